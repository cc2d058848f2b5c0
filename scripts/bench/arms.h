/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_ARMS_H
#define BENCH_ARMS_H

#include <stddef.h>

#include "knobs.h"

#define ARM_MAX			8
#define ARM_SETTINGS_MAX	4

/**
 * struct arm - a named state of the knobs that is compared with others
 * @name: what output lines call it
 * @count: number of @settings
 * @settings: written in this order
 */
struct arm {
	char name[32];
	size_t count;
	struct knob_setting settings[ARM_SETTINGS_MAX];
};

struct arm_list {
	size_t count;
	struct arm arms[ARM_MAX];
};

/**
 * arm_parse_list - read a list such as "control,tail_cache,skip_young,resched"
 * @text: names with commas between them; each adds one sysctl to the one
 *        before it, "all" is the same state as "resched"
 * @out: filled in
 * @err: filled in on failure
 *
 * Return: 0 or -1 (an unknown, doubled or missing name).
 */
int arm_parse_list(const char *text, struct arm_list *out,
		   struct bench_error *err);

/**
 * arm_save_knobs - save every knob that an arm of the list sets
 * @list: arms
 * @set: gets the knobs
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int arm_save_knobs(const struct arm_list *list, struct knob_set *set,
		   struct bench_error *err);

/**
 * arm_apply - write the settings of an arm
 * @arm: the arm
 * @set: knobs, saved before
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int arm_apply(const struct arm *arm, struct knob_set *set,
	      struct bench_error *err);

/**
 * shuffle_order - a random order, the same for the same seed everywhere
 * @order: gets the numbers 0 .. @count - 1
 * @count: how many
 * @seed: seed of the whole run
 * @round: round, so that each has its own order
 */
void shuffle_order(size_t *order, size_t count, unsigned long seed,
		   unsigned long round);

#endif
