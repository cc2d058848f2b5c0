/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_JSONL_H
#define BENCH_JSONL_H

#include <jansson.h>
#include <stdio.h>

#include "util.h"

/**
 * json_number - a number, or null where there is none
 * @value: NaN and infinities become null
 */
json_t *json_number(double value);

/**
 * jsonl_write - write an object as one line and flush it
 * @out: stream
 * @object: written, reference is not taken
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int jsonl_write(FILE *out, const json_t *object, struct bench_error *err);

/**
 * typedef jsonl_line_fn - is given each line's object
 * @object: the object, with a string "kind"; borrowed
 * @where: "file:line", for messages
 * @arg: as given to jsonl_read()
 * @err: to fill in when the line is not acceptable; without "file:line"
 *
 * Return: 0, or -1 to stop.
 */
typedef int (*jsonl_line_fn)(json_t *object, const char *where, void *arg,
			     struct bench_error *err);

/**
 * jsonl_read - read a file of JSON lines
 * @path: file, or "-" for standard input
 * @fn: called for each object; blank lines are passed over
 * @arg: handed to @fn
 * @warn: gets one line when the last line was cut short and skipped
 * @err: filled in on failure, with file and line number
 *
 * Return: number of objects, or -1.
 */
long jsonl_read(const char *path, jsonl_line_fn fn, void *arg, FILE *warn,
		struct bench_error *err);

#endif
