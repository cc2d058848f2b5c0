/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SYSINFO_H
#define BENCH_SYSINFO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "util.h"

/**
 * struct kernel_config - the running kernel's configuration
 * @text: lines of /proc/config.gz, NULL when the kernel does not carry it
 */
struct kernel_config {
	char *text;
};

/**
 * kernel_config_read - read and unpack /proc/config.gz
 * @sysroot: "" or the folder below which to find /proc
 * @config: filled in; kernel_config_free() frees it
 */
void kernel_config_read(const char *sysroot, struct kernel_config *config);

void kernel_config_free(struct kernel_config *config);

/**
 * kernel_config_is - is an option on?
 * @config: configuration
 * @option: full name, for instance "CONFIG_PREEMPT_RT"
 *
 * Return: whether it is y or m; false when the configuration is not known.
 */
bool kernel_config_is(const struct kernel_config *config, const char *option);

/**
 * preempt_model - how the kernel preempts itself
 * @config: configuration
 * @version: text of uname -v, used when @config is not known
 * @dynamic: text of debugfs' sched/preempt, "" when there is none
 * @buf: gets none, voluntary, full, lazy, rt or unknown; "(dynamic)" behind
 *       it where it can be changed at run time
 * @size: size of @buf in bytes
 */
void preempt_model(const struct kernel_config *config, const char *version,
		   const char *dynamic, char *buf, size_t size);

/**
 * cputime_method - how exact ru_stime is, in words
 * @config: configuration
 */
const char *cputime_method(const struct kernel_config *config);

/**
 * environment_line - what the results were measured on
 * @sysroot: "" or the folder below which to find /proc and /sys
 * @notes: object of strings that the user gave, may be NULL; borrowed
 *
 * Return: object of kind "environment"; what cannot be read is null.
 */
json_t *environment_line(const char *sysroot, json_t *notes);

#endif
