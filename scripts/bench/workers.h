/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"
#include "vmstat.h"

#define WORKER_ERRNOS	8

/**
 * struct worker_load - what the workers do
 * @path: memory.reclaim of the root cgroup
 * @request: text that each request writes
 * @sysroot: "" or the folder below which to find /proc
 * @workers: number of processes
 * @requests: requests of each
 * @warmup: requests of the first worker before the start, not counted
 * @time_limit: seconds after which no request is begun
 * @hard_cap: seconds after which requests under way are cut off
 */
struct worker_load {
	const char *path;
	const char *request;
	const char *sysroot;
	unsigned long workers;
	unsigned long requests;
	unsigned long warmup;
	double time_limit;
	double hard_cap;
};

/**
 * struct worker_result - what came out
 * @wall: seconds from the common start to the end of the last worker
 * @begun: requests begun
 * @done: requests that came back
 * @ok: of these, with success
 * @eagain: of these, with EAGAIN: the target was not met
 * @cut_off: requests ended by the hard cap; not among @done
 * @time_limited: a worker stopped early because of the time limit
 * @hard_capped: the hard cap was reached
 * @cpu_system: kernel CPU time of all workers in seconds
 * @cpu_user: user CPU time of all workers in seconds
 * @cpu_known: whether every worker told its CPU time
 * @errnos: other errors: number and count
 * @errno_count: how many of @errnos are in use
 * @counters: what the kernel counted meanwhile, machine-wide
 * @latencies: of the requests that came back, in milliseconds; to be freed
 */
struct worker_result {
	double wall;
	unsigned long begun;
	unsigned long done;
	unsigned long ok;
	unsigned long eagain;
	unsigned long cut_off;
	bool time_limited;
	bool hard_capped;
	double cpu_system;
	double cpu_user;
	bool cpu_known;
	struct {
		int error;
		unsigned long count;
	} errnos[WORKER_ERRNOS];
	size_t errno_count;
	struct vmstat counters;
	double *latencies;
};

/**
 * workers_run - start the workers together, wait for them, add up
 * @load: what to do
 * @out: filled in on success
 * @err: filled in on failure; with code 128 + signal when a signal came
 *
 * No worker is left when it returns.  signals_block() was called before.
 *
 * Return: 0 or -1.
 */
int workers_run(const struct worker_load *load, struct worker_result *out,
		struct bench_error *err);

#endif
