/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "util.h"

/**
 * struct report - what was read, by kind
 * @control: name of the arm that others are compared with
 * @environments: environment lines
 * @reclaim: lines of reclaim-bench
 * @mkdir: lines of mkdir-bench
 * @stress: lines of kind "stress"
 */
struct report {
	const char *control;
	json_t *environments;
	json_t *reclaim;
	json_t *mkdir;
	json_t *stress;
};

/**
 * report_init - an empty report
 * @report: filled in; report_free() frees it
 * @control: name of the control arm
 */
void report_init(struct report *report, const char *control);

void report_free(struct report *report);

/**
 * report_add_line - take in one line; a jsonl_line_fn
 * @object: the line's object
 * @where: not used
 * @arg: struct report
 * @err: filled in when a member is missing or has a wrong type, a kind is not
 *       known, or the same arm was seen already in the same run and round
 *
 * Return: 0 or -1.
 */
int report_add_line(json_t *object, const char *where, void *arg,
		    struct bench_error *err);

/**
 * report_evaluate - what demo.json holds
 * @report: lines
 * @warn: gets a line for what cannot be compared, or was cut off
 *
 * Return: object with "environment", "arms", "mkdir" and "stress", to be
 * freed by the caller.
 */
json_t *report_evaluate(const struct report *report, FILE *warn);

/**
 * report_print - the tables
 * @demo: what report_evaluate() returned
 * @out: stream
 */
void report_print(const json_t *demo, FILE *out);

#endif
