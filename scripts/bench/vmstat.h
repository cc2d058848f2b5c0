/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_VMSTAT_H
#define BENCH_VMSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

#define VMSTAT_PREFIX	"lru_gen_memcg_"
#define VMSTAT_VISIT	"lru_gen_memcg_visit"

struct vmstat_item {
	char name[64];
	uint64_t value;
};

/**
 * struct vmstat - a snapshot of the counters that share a prefix
 * @count: number of items; 0 on a kernel that has none
 * @items: in the kernel's order
 */
struct vmstat {
	size_t count;
	struct vmstat_item items[64];
};

/**
 * vmstat_parse - pick counters out of the text of /proc/vmstat
 * @text: lines of the form "name value"
 * @prefix: which names to take, those that begin so or are just that
 * @out: filled in; later items than fit are an error
 *
 * Return: 0, -EINVAL on a line of another form, -E2BIG.
 */
int vmstat_parse(const char *text, const char *prefix, struct vmstat *out);

/**
 * vmstat_read - take a snapshot
 * @sysroot: "" or the folder below which to find /proc
 * @prefix: which names to take
 * @out: filled in
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int vmstat_read(const char *sysroot, const char *prefix, struct vmstat *out,
		struct bench_error *err);

/**
 * vmstat_delta - what was counted between two snapshots
 * @before: earlier one
 * @after: later one
 * @out: @after's items minus @before's; may be one of the two
 */
void vmstat_delta(const struct vmstat *before, const struct vmstat *after,
		  struct vmstat *out);

/**
 * vmstat_get - one counter
 * @vs: snapshot or delta
 * @name: full name
 * @value: gets the value
 *
 * Return: whether the counter is there.
 */
bool vmstat_get(const struct vmstat *vs, const char *name, uint64_t *value);

#endif
