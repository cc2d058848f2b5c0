// SPDX-License-Identifier: GPL-2.0
/*
 * How long do mkdir and rmdir of many memory cgroups take?
 *
 * A new memory cgroup goes to the tail of a bin of the memcg LRU, also where
 * MGLRU is switched off at run time; finding that tail by walking makes N of
 * them quadratic.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jsonl.h"
#include "session.h"
#include "stats.h"
#include "vmstat.h"

#define LRU_GEN_STATES_MAX	8

struct bench {
	struct session s;
	double drain_limit;
	size_t states;			/* 0: leave lru_gen/enabled alone */
	unsigned long state[LRU_GEN_STATES_MAX];
	uint64_t *ns;			/* of each operation */
	double *us;
};

static const char usage[] =
"Usage: mkdir-bench [OPTION]...\n"
"Makes N memory cgroups in one folder, removes them, and takes the time of each.\n"
"\n"
"  --memcgs N         number of memory cgroups (1500)\n"
"  --lru-gen A,B,...  run each arm with each of these values of\n"
"                     " LRU_GEN_ENABLED ", such as 0,7\n"
"  --drain-limit SECS wait at most so long after each run until the kernel has\n"
"                     freed the removed cgroups (60)\n"
SESSION_HELP
"\n"
SESSION_EXIT_HELP;

static int parse_states(struct bench *b, const char *arg, struct bench_error *err)
{
	char *copy = strdup(arg), *rest = copy, *word;
	int ret = 0;

	b->states = 0;
	while (copy && !ret && (word = strsep(&rest, ","))) {
		unsigned long value;

		if (b->states == LRU_GEN_STATES_MAX ||
		    parse_ulong(word, 0, 7, &value)) {
			ret = -1;
			break;
		}
		for (size_t i = 0; i < b->states; i++)
			ret |= b->state[i] == value ? -1 : 0;
		b->state[b->states++] = value;
	}
	free(copy);
	if (!copy || ret)
		return bench_fail(err, EXIT_USAGE,
				  "--lru-gen \"%s\": give different numbers from 0 to 7 with commas between them, such as 0,7",
				  arg);
	return 0;
}

static int parse(struct bench *b, int argc, char **argv, struct bench_error *err)
{
	static const struct option options[] = {
		{ "lru-gen", required_argument, NULL, 'g' },
		{ "drain-limit", required_argument, NULL, 'd' },
		SESSION_OPTIONS
	};
	int opt, ret = 0;

	b->drain_limit = 60;
	while (!ret && (opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'g':
			ret = parse_states(b, optarg, err);
			break;
		case 'd':
			ret = option_seconds("drain-limit", optarg, 3600,
					     &b->drain_limit, err);
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
	if (!ret && optind < argc)
		return bench_fail(err, EXIT_USAGE, "\"%s\": no argument is expected, see --help",
				  argv[optind]);
	return ret;
}

/* seconds in total, and microseconds of one operation */
static double evaluate(struct bench *b, struct summary *us)
{
	double total = 0;

	for (unsigned long i = 0; i < b->s.memcgs; i++) {
		b->us[i] = (double)b->ns[i] / 1e3;
		total += (double)b->ns[i] / 1e9;
	}
	summarise(b->us, b->s.memcgs, us);
	return total;
}

/*
 * Wait until the kernel has freed what was removed, so that one run does not
 * load the next.  @left gets how many are still there when the limit ends it.
 */
static int drain(struct bench *b, unsigned long target, double *waited,
		 unsigned long *left, struct bench_error *err)
{
	uint64_t start = now_ns();

	*left = 0;
	do {
		unsigned long dying;

		*waited = (double)(now_ns() - start) / 1e9;
		/* a kernel that does not tell: nothing to wait for */
		if (cgroup_dying(&b->s.root, &dying))
			return 0;
		*left = dying > target ? dying - target : 0;
		if (!*left)
			return 0;
		if (session_wait(0.02, err))
			return -1;
	} while (*waited < b->drain_limit);
	fprintf(stderr, "%s: warning: %lu removed cgroups are not freed after %g s\n",
		b->s.program, *left, b->drain_limit);
	return 0;
}

static void set_op(json_t *line, const char *op, double total, const struct summary *us)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_seconds", op);
	json_object_set_new(line, key, json_number(total));
	snprintf(key, sizeof(key), "%s_us", op);
	json_object_set_new(line, key,
			    json_pack("{s:o,s:o,s:o,s:o}",
				      "mean", json_number(us->mean),
				      "p50", json_number(us->p50),
				      "p99", json_number(us->p99),
				      "max", json_number(us->max)));
}

static void print_op(const char *op, double total, const struct summary *us)
{
	printf("  %-7s %9.3f s   us each: mean %.1f  p50 %.1f  p99 ", op, total,
	       us->mean, us->p50);
	if (isnan(us->p99))
		printf("-");
	else
		printf("%.1f", us->p99);
	printf("  max %.1f\n", us->max);
}

static int run_one(struct bench *b, const struct arm *arm, size_t state,
		   unsigned long round, unsigned long position,
		   struct bench_error *err)
{
	struct vmstat before, after;
	struct summary mk, rm;
	double mk_total, rm_total, waited;
	unsigned long dying = 0, left;
	char text[64], path[4096];
	json_t *line, *counters, *lru_gen = NULL;
	int ret;

	session_progress(&b->s, "round %lu of %lu, %s",
			 round - b->s.first_round + 1, b->s.rounds, arm->name);
	if (arm_apply(arm, &b->s.knobs, err))
		return -1;
	if (b->states) {
		snprintf(text, sizeof(text), "%lu", b->state[state]);
		if (knob_write(&b->s.knobs, LRU_GEN_ENABLED, text, err))
			return -1;
	}
	if (session_wait(b->s.settle, err))
		return -1;
	cgroup_dying(&b->s.root, &dying);
	if (vmstat_read(b->s.sysroot, VMSTAT_PREFIX, &before, err) ||
	    cgroup_tree_fill(&b->s.tree, b->s.memcgs, b->ns, err))
		return -1;
	mk_total = evaluate(b, &mk);
	if (cgroup_tree_empty(&b->s.tree, b->ns, true, err))
		return -1;
	rm_total = evaluate(b, &rm);
	if (vmstat_read(b->s.sysroot, VMSTAT_PREFIX, &after, err) ||
	    drain(b, dying, &waited, &left, err))
		return -1;
	vmstat_delta(&before, &after, &after);
	session_progress(&b->s, "%s", "");

	/* as the kernel has it: one that lacks a capability drops its bit */
	if (!path_format(path, sizeof(path), "%s%s", b->s.sysroot, LRU_GEN_ENABLED) &&
	    file_read(path, text, sizeof(text)) > 0)
		lru_gen = json_integer(strtol(text, NULL, 0));
	if (!b->s.json) {
		printf("%s: %lu memory cgroups", arm->name, b->s.memcgs);
		if (lru_gen)
			printf(", lru_gen %lld", (long long)json_integer_value(lru_gen));
		printf("\n");
		print_op("mkdir", mk_total, &mk);
		print_op("rmdir", rm_total, &rm);
		json_decref(lru_gen);
		if (fflush(stdout) || ferror(stdout))
			return bench_fail(err, EXIT_FAIL, "cannot write the result");
		return 0;
	}
	line = session_line(&b->s, "mkdir", arm, round, position);
	json_object_set_new(line, "memcgs", json_integer((json_int_t)b->s.memcgs));
	json_object_set_new(line, "lru_gen", lru_gen ? lru_gen : json_null());
	if (b->states)
		json_object_set_new(line, "lru_gen_set",
				    json_integer((json_int_t)b->state[state]));
	set_op(line, "mkdir", mk_total, &mk);
	set_op(line, "rmdir", rm_total, &rm);
	json_object_set_new(line, "drain_seconds", json_number(waited));
	json_object_set_new(line, "not_freed", json_integer((json_int_t)left));
	counters = json_object();
	for (size_t i = 0; i < after.count; i++)
		json_object_set_new(counters, after.items[i].name,
				    json_integer((json_int_t)after.items[i].value));
	json_object_set_new(line, "counters", counters);
	ret = jsonl_write(stdout, line, err);
	json_decref(line);
	return ret;
}

static int run_all(void *bench, struct bench_error *err)
{
	struct bench *b = bench;
	size_t order[ARM_MAX * LRU_GEN_STATES_MAX];
	size_t states = b->states ? b->states : 1;

	b->ns = calloc(b->s.memcgs, sizeof(*b->ns));
	b->us = calloc(b->s.memcgs, sizeof(*b->us));
	if (!b->ns || !b->us)
		return bench_fail(err, EXIT_FAIL, "no memory for %lu times", b->s.memcgs);
	if (session_open(&b->s, err))
		return -1;
	if (b->states && knob_add(&b->s.knobs, LRU_GEN_ENABLED, err))
		return -1;
	for (unsigned long i = 0; i < b->s.rounds; i++) {
		unsigned long round = b->s.first_round + i;

		shuffle_order(order, b->s.arms.count * states, b->s.seed, round);
		for (size_t j = 0; j < b->s.arms.count * states; j++) {
			if (run_one(b, &b->s.arms.arms[order[j] / states],
				    order[j] % states, round, j, err))
				return -1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	struct bench_error err = { 0 };
	int code;

	session_init(&b.s, "mkdir-bench");
	code = session_main(&b.s, parse(&b, argc, argv, &err), run_all, &b, &err);
	free(b.ns);
	free(b.us);
	return code;
}
