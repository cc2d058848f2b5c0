// SPDX-License-Identifier: GPL-2.0
/*
 * How fast does reclaim from the root go next to many empty memory cgroups?
 *
 * The requests ask for more than there is to take, so nearly all are answered
 * with EAGAIN: what is measured is walking the memcg LRU, not freeing pages.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsonl.h"
#include "session.h"
#include "stats.h"
#include "sysinfo.h"
#include "workers.h"

#define LATENCIES_MAX	10000	/* above it a line has a histogram instead */

struct bench {
	struct session s;
	struct worker_load load;
	char path[2048];
	const char *cpu_method;
};

static const char usage[] =
"Usage: reclaim-bench [OPTION]...\n"
"Makes N empty memory cgroups and lets W processes write R requests each to the\n"
"root's memory.reclaim, all starting together.\n"
"\n"
"  --memcgs N         number of memory cgroups (1500)\n"
"  --workers W        number of processes (8)\n"
"  --requests R       requests of each process (3)\n"
"  --request TEXT     text of a request (\"1024M swappiness=0\")\n"
"  --time-limit SECS  begin no request after this time (120)\n"
"  --hard-cap SECS    cut requests off after this time (time limit + 240)\n"
"  --warmup R         R requests of one process before each run, not counted (0)\n"
"  --memcgs-keep      leave the cgroups for a later --use\n"
"  --use DIR          use the cgroups in DIR, do not make or remove any\n"
SESSION_HELP
"\n"
"ns_per_visit is the processes' kernel CPU time (ru_stime) over the memory\n"
"cgroups that reclaim visited meanwhile (lru_gen_memcg_visit in /proc/vmstat);\n"
"a kernel without that counter gives null.  p99 needs 100 requests.\n"
SESSION_EXIT_HELP;

static int parse(struct bench *b, int argc, char **argv, struct bench_error *err)
{
	static const struct option options[] = {
		{ "workers", required_argument, NULL, 'w' },
		{ "requests", required_argument, NULL, 'r' },
		{ "request", required_argument, NULL, 't' },
		{ "time-limit", required_argument, NULL, 'l' },
		{ "hard-cap", required_argument, NULL, 'c' },
		{ "warmup", required_argument, NULL, 'W' },
		{ "memcgs-keep", no_argument, NULL, 'k' },
		{ "use", required_argument, NULL, 'u' },
		SESSION_OPTIONS
	};
	int opt, ret = 0;

	b->load = (struct worker_load) {
		.request = "1024M swappiness=0",
		.workers = 8, .requests = 3,
		.time_limit = 120, .hard_cap = -1,
	};
	while (!ret && (opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'w':
			ret = option_number("workers", optarg, 1, 4096,
					    &b->load.workers, err);
			break;
		case 'r':
			ret = option_number("requests", optarg, 1, 1000000,
					    &b->load.requests, err);
			break;
		case 't':
			b->load.request = optarg;
			if (!option_text_valid(optarg, 256))
				ret = bench_fail(err, EXIT_USAGE,
						 "--request: give a text such as \"1024M swappiness=0\"");
			break;
		case 'l':
			ret = option_seconds("time-limit", optarg, 1e6,
					     &b->load.time_limit, err);
			break;
		case 'c':
			ret = option_seconds("hard-cap", optarg, 1e6,
					     &b->load.hard_cap, err);
			break;
		case 'W':
			ret = option_number("warmup", optarg, 0, 1000,
					    &b->load.warmup, err);
			break;
		case 'k':
			b->s.keep = true;
			break;
		case 'u':
			b->s.use = optarg;
			break;
		case OPT_HELP:
			fputs(usage, stdout);
			exit(0);
		case '?':
			/* getopt has named the option */
			return bench_fail(err, EXIT_USAGE, "see --help");
		default:
			ret = session_option(&b->s, opt, optarg, err);
		}
	}
	if (ret)
		return ret;
	if (optind < argc)
		return bench_fail(err, EXIT_USAGE, "\"%s\": no argument is expected, see --help",
				  argv[optind]);
	if (b->load.hard_cap < 0)
		b->load.hard_cap = b->load.time_limit + 240;
	if (b->load.hard_cap < b->load.time_limit)
		return bench_fail(err, EXIT_USAGE,
				  "--hard-cap %g is below --time-limit %g",
				  b->load.hard_cap, b->load.time_limit);
	b->load.sysroot = b->s.sysroot;
	return 0;
}

/* one run, evaluated */
struct run {
	struct worker_result r;
	struct summary ms;
	double requests_per_s;
	double visits;			/* NaN without the counter */
	double visits_per_request;
	double ns_per_visit;
};

static void evaluate(struct run *run)
{
	uint64_t visits;

	summarise(run->r.latencies, run->r.done, &run->ms);
	run->requests_per_s = run->r.wall > 0 ? (double)run->r.done / run->r.wall : NAN;
	run->visits = vmstat_get(&run->r.counters, VMSTAT_VISIT, &visits) ?
		      (double)visits : NAN;
	/* with requests cut off, some visits belong to none of those counted */
	run->visits_per_request = run->r.done && !run->r.cut_off ?
				  run->visits / (double)run->r.done : NAN;
	run->ns_per_visit = run->r.cpu_known && run->visits > 0 ?
			    run->r.cpu_system * 1e9 / run->visits : NAN;
}

static json_t *latencies_json(const struct run *run, const char **key)
{
	struct histogram_bin *bins;
	json_t *array = json_array();
	size_t n;

	if (run->r.done <= LATENCIES_MAX) {
		*key = "latencies_ms";
		for (size_t i = 0; i < run->r.done; i++)
			json_array_append_new(array, json_real(run->r.latencies[i]));
		return array;
	}
	*key = "latency_histogram";
	bins = calloc(run->r.done, sizeof(*bins));
	n = bins ? histogram(run->r.latencies, run->r.done, bins) : 0;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_pack("[fI]", bins[i].value,
						       (json_int_t)bins[i].count));
	free(bins);
	return array;
}

#define SET_COUNT(line, name, value) \
	json_object_set_new(line, name, json_integer((json_int_t)(value)))
#define SET_NUMBER(line, name, value) \
	json_object_set_new(line, name, json_number(value))

static int print_json(const struct bench *b, const struct run *run,
		      json_t *line, struct bench_error *err)
{
	json_t *other = json_object(), *counters = json_object();
	const char *key;
	json_t *latencies = latencies_json(run, &key);
	int ret;

	SET_COUNT(line, "memcgs", b->s.tree.made);
	SET_COUNT(line, "workers", b->load.workers);
	SET_COUNT(line, "requests_per_worker", b->load.requests);
	json_object_set_new(line, "request", json_string(b->load.request));
	SET_COUNT(line, "requests", run->r.done);
	SET_COUNT(line, "requests_begun", run->r.begun);
	SET_COUNT(line, "requests_cut_off", run->r.cut_off);
	json_object_set_new(line, "time_limit_hit", json_boolean(run->r.time_limited));
	json_object_set_new(line, "hard_cap_hit", json_boolean(run->r.hard_capped));
	SET_NUMBER(line, "wall_seconds", run->r.wall);
	SET_NUMBER(line, "requests_per_s", run->requests_per_s);
	SET_NUMBER(line, "mean_ms", run->ms.mean);
	SET_NUMBER(line, "p50_ms", run->ms.p50);
	SET_NUMBER(line, "p99_ms", run->ms.p99);
	SET_NUMBER(line, "max_ms", run->ms.max);
	SET_COUNT(line, "ok", run->r.ok);
	SET_COUNT(line, "eagain", run->r.eagain);
	for (size_t i = 0; i < run->r.errno_count; i++)
		SET_COUNT(other, errno_name(run->r.errnos[i].error),
			  run->r.errnos[i].count);
	json_object_set_new(line, "other_errors", other);
	SET_NUMBER(line, "visits_per_request", run->visits_per_request);
	SET_NUMBER(line, "ns_per_visit", run->ns_per_visit);
	SET_NUMBER(line, "cpu_system_seconds",
		   run->r.cpu_known ? run->r.cpu_system : NAN);
	SET_NUMBER(line, "cpu_user_seconds",
		   run->r.cpu_known ? run->r.cpu_user : NAN);
	json_object_set_new(line, "cpu_time", json_string(b->cpu_method));
	for (size_t i = 0; i < run->r.counters.count; i++)
		SET_COUNT(counters, run->r.counters.items[i].name,
			  run->r.counters.items[i].value);
	json_object_set_new(line, "counters", counters);
	json_object_set_new(line, key, latencies);
	ret = jsonl_write(stdout, line, err);
	json_decref(line);
	return ret;
}

static const char *number(char *buf, size_t size, const char *fmt, double value)
{
	if (!isfinite(value))
		return "-";
	/* the formats are this file's own */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(buf, size, fmt, value);
#pragma GCC diagnostic pop
	return buf;
}

static int print_text(const struct bench *b, const struct run *run,
		      struct bench_error *err)
{
	char n1[32], n2[32], n3[32], n4[32];

	printf("%s: %lu memory cgroups, %lu workers x %lu requests of \"%s\"\n",
	       b->s.arms.arms[0].name, b->s.tree.made, b->load.workers,
	       b->load.requests, b->load.request);
	printf("  requests        %lu in %.3f s, %s per second\n", run->r.done,
	       run->r.wall, number(n1, sizeof(n1), "%.3f", run->requests_per_s));
	if (run->r.time_limited)
		printf("  time limit      reached: %lu of %lu requests were begun\n",
		       run->r.begun, b->load.workers * b->load.requests);
	if (run->r.hard_capped)
		printf("  hard cap        reached: %lu requests were cut off and are not counted\n",
		       run->r.cut_off);
	printf("  latency ms      mean %s  p50 %s  p99 %s  max %s\n",
	       number(n1, sizeof(n1), "%.1f", run->ms.mean),
	       number(n2, sizeof(n2), "%.1f", run->ms.p50),
	       number(n3, sizeof(n3), "%.1f", run->ms.p99),
	       number(n4, sizeof(n4), "%.1f", run->ms.max));
	printf("  answers         EAGAIN %lu  ok %lu", run->r.eagain, run->r.ok);
	for (size_t i = 0; i < run->r.errno_count; i++)
		printf("  %s %lu", errno_name(run->r.errnos[i].error),
		       run->r.errnos[i].count);
	printf("\n  visits/request  %s\n",
	       number(n1, sizeof(n1), "%.0f", run->visits_per_request));
	printf("  ns/visit        %s  (kernel CPU time %s s)\n",
	       number(n1, sizeof(n1), "%.1f", run->ns_per_visit),
	       number(n2, sizeof(n2), "%.3f",
		      run->r.cpu_known ? run->r.cpu_system : NAN));
	for (size_t i = 0; i < run->r.counters.count; i++)
		printf("  %-30s %llu\n", run->r.counters.items[i].name,
		       (unsigned long long)run->r.counters.items[i].value);
	if (fflush(stdout) || ferror(stdout))
		return bench_fail(err, EXIT_FAIL, "cannot write the result");
	return 0;
}

static int run_arm(void *bench, const struct arm *arm, unsigned long round,
		   unsigned long position, struct bench_error *err)
{
	struct bench *b = bench;
	struct run run;
	int ret;

	session_progress(&b->s, "round %lu of %lu, %s",
			 round - b->s.first_round + 1, b->s.rounds, arm->name);
	if (arm_apply(arm, &b->s.knobs, err) || session_wait(b->s.settle, err))
		return -1;
	ret = workers_run(&b->load, &run.r, err);
	session_progress(&b->s, "%s", "");
	if (ret)
		return ret;
	evaluate(&run);
	if (run.r.hard_capped)
		fprintf(stderr, "%s: warning: hard cap of %g s: %lu requests of arm %s were cut off\n",
			b->s.program, b->load.hard_cap, run.r.cut_off, arm->name);
	if (b->s.json)
		ret = print_json(b, &run, session_line(&b->s, "reclaim", arm,
						       round, position), err);
	else
		ret = print_text(b, &run, err);
	free(run.r.latencies);
	return ret;
}

static int run_all(void *bench, struct bench_error *err)
{
	struct kernel_config config;
	struct bench *b = bench;

	kernel_config_read(b->s.sysroot, &config);
	b->cpu_method = cputime_method(&config);
	kernel_config_free(&config);
	if (session_open(&b->s, err))
		return -1;
	if (path_format(b->path, sizeof(b->path), "%s/memory.reclaim", b->s.root.path))
		return bench_fail(err, EXIT_FAIL, "%s: path too long", b->s.root.path);
	b->load.path = b->path;
	if (!b->s.use) {
		session_progress(&b->s, "making %lu memory cgroups", b->s.memcgs);
		if (cgroup_tree_fill(&b->s.tree, b->s.memcgs, NULL, err))
			return -1;
	}
	return session_run_arms(&b->s, run_arm, b, err);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	struct bench_error err = { 0 };

	session_init(&b.s, "reclaim-bench");
	return session_main(&b.s, parse(&b, argc, argv, &err), run_all, &b, &err);
}
