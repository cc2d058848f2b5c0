/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_KNOBS_H
#define BENCH_KNOBS_H

#include <stdbool.h>
#include <stddef.h>

#include "util.h"

#define KNOB_MAX	16
#define LRU_GEN_ENABLED	"/sys/kernel/mm/lru_gen/enabled"

/**
 * struct knob - a file of the kernel that is set and put back
 * @name: as the user gave it: a sysctl (vm.swappiness) or an absolute path
 * @path: the file
 * @saved: its text at the start
 * @touched: whether it was written since
 */
struct knob {
	char name[128];
	char path[1024];
	char saved[256];
	bool touched;
};

/**
 * struct knob_set - the knobs that a run may change
 * @sysroot: "" or the folder below which to find /proc and /sys
 * @count: number of @knobs
 * @knobs: in the order they were added
 */
struct knob_set {
	const char *sysroot;
	size_t count;
	struct knob knobs[KNOB_MAX];
};

/**
 * struct knob_setting - NAME=VALUE
 * @name: as in struct knob
 * @value: text to write, without a newline
 */
struct knob_setting {
	char name[128];
	char value[64];
};

/**
 * knob_parse - take NAME=VALUE apart
 * @text: a sysctl in dotted form or an absolute path, "=", a value
 * @out: filled in
 *
 * Return: 0, or -EINVAL when @text has another form or is too long.
 */
int knob_parse(const char *text, struct knob_setting *out);

/**
 * knob_add - save a knob's value, to be put back by knob_restore()
 * @set: gets the knob; one that is there already is not saved again
 * @name: as in struct knob
 * @err: filled in on failure; EXIT_MISSING when the kernel has no such knob
 *
 * Return: 0 or -1.
 */
int knob_add(struct knob_set *set, const char *name, struct bench_error *err);

/**
 * knob_write - set a knob that was added before
 * @set: knobs
 * @name: as in struct knob
 * @value: text
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int knob_write(struct knob_set *set, const char *name, const char *value,
	       struct bench_error *err);

/**
 * knob_restore - put back every knob that was written, last one first
 * @set: knobs
 * @err: filled in with the first failure; the others are still tried
 *
 * Return: 0 or -1.
 */
int knob_restore(struct knob_set *set, struct bench_error *err);

#endif
