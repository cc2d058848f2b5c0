// SPDX-License-Identifier: GPL-2.0
/*
 * What does the kernel reclaim while a command makes memory scarce, next to
 * many idle memory cgroups?
 *
 * The requests of reclaim-bench free nothing; this is the check that reclaim
 * which does free pages is not worse for it.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jsonl.h"
#include "session.h"
#include "signals.h"
#include "vmstat.h"

#define KILL_AFTER_NS	3000000000ull

/*
 * A column of the result: counters of /proc/vmstat, added up; "x_" stands for all
 * whose names begin so.
 */
static const struct {
	const char *name;
	const char *items[3];
} sums[] = {
	{ "pages_scanned", { "pgscan_kswapd", "pgscan_direct" } },
	{ "pages_reclaimed", { "pgsteal_kswapd", "pgsteal_direct" } },
	{ "direct_stalls", { "allocstall_" } },
	{ "refaults", { "workingset_refault_" } },
	{ "swapped_out", { "pswpout" } },
	{ "oom_kills", { "oom_kill" } },
	{ "visits", { VMSTAT_VISIT } },
};
#define SUMS	(sizeof(sums) / sizeof(sums[0]))

struct bench {
	struct session s;
	double time_limit;
	const char *yaml;
	char **command;
};

static const char usage[] =
"Usage: stress-bench [OPTION]... -- COMMAND [ARG]...\n"
"Makes N idle memory cgroups, runs COMMAND once for each arm and round, outside of\n"
"them, and tells how long it took and what was reclaimed meanwhile.  COMMAND's\n"
"output goes to standard error; when it fails, so does the benchmark.\n"
"\n"
"  --memcgs N         number of memory cgroups (1500)\n"
"  --yaml FILE        COMMAND is stress-ng with --yaml FILE: read its bogo-ops\n"
"  --time-limit SECS  end COMMAND after this time, as a failure (600)\n"
SESSION_HELP
"\n"
SESSION_EXIT_HELP;

static int parse(struct bench *b, int argc, char **argv, struct bench_error *err)
{
	static const struct option options[] = {
		{ "yaml", required_argument, NULL, 'y' },
		{ "time-limit", required_argument, NULL, 'l' },
		SESSION_OPTIONS
	};
	int opt, ret = 0;

	b->time_limit = 600;
	/* "+": what follows COMMAND is COMMAND's */
	while (!ret && (opt = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		switch (opt) {
		case 'y':
			b->yaml = optarg;
			break;
		case 'l':
			ret = option_seconds("time-limit", optarg, 1e6,
					     &b->time_limit, err);
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
	if (!ret && optind == argc && !b->s.environment)
		return bench_fail(err, EXIT_USAGE, "give a COMMAND after --, see --help");
	b->command = argv + optind;
	return ret;
}

static int read_sums(struct bench *b, uint64_t *out, struct bench_error *err)
{
	struct vmstat vs;

	for (size_t i = 0; i < SUMS; i++) {
		out[i] = 0;
		for (size_t j = 0; j < 3 && sums[i].items[j]; j++) {
			const char *name = sums[i].items[j];
			bool all = name[strlen(name) - 1] == '_';

			if (vmstat_read(b->s.sysroot, name, &vs, err))
				return -1;
			for (size_t k = 0; k < vs.count; k++) {
				if (all || !strcmp(vs.items[k].name, name))
					out[i] += vs.items[k].value;
			}
		}
	}
	return 0;
}

/* the sum of the lines "bogo-ops: N" that stress-ng writes, one a stressor */
static int read_bogo_ops(const char *path, double *out, struct bench_error *err)
{
	static const char key[] = "\n      bogo-ops: ";
	char *text = file_read_all(path, NULL), *at = text;
	size_t n = 0;

	if (!text)
		return bench_fail(err, EXIT_FAIL, "cannot read %s: %s", path,
				  strerror(errno));
	*out = 0;
	while ((at = strstr(at, key))) {
		at += strlen(key);
		*out += strtod(at, NULL);
		n++;
	}
	free(text);
	if (!n)
		return bench_fail(err, EXIT_FAIL, "%s: no \"bogo-ops\" in it, is it a YAML file of stress-ng's --metrics?",
				  path);
	return 0;
}

static pid_t start(const struct bench *b, struct bench_error *err)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid < 0) {
		bench_fail(err, EXIT_FAIL, "cannot fork: %s", strerror(errno));
		return -1;
	}
	if (pid) {
		/* here as well: whichever of the two is first */
		setpgid(pid, pid);
		return pid;
	}
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(b->command[0], b->command);
	fprintf(stderr, "%s: cannot run %s: %s\n", b->s.program, b->command[0],
		strerror(errno));
	_exit(127);
}

/* Runs the command to its end, or ends its process group. */
static int run_command(const struct bench *b, double *wall, struct bench_error *err)
{
	uint64_t begin = now_ns(), stop_at = 0;
	pid_t pid = start(b, err), ended;
	int status, ret = 0, sig;

	if (pid < 0)
		return -1;
	while (!(ended = waitpid(pid, &status, WNOHANG))) {
		uint64_t now = now_ns();

		sig = signals_poll(100);
		if (stop_at) {
			if (now > stop_at)
				kill(-pid, SIGKILL);
			continue;
		}
		if (sig)
			ret = bench_fail(err, 128 + sig, "stopped by SIG%s",
					 sigabbrev_np(sig));
		else if ((double)(now - begin) / 1e9 > b->time_limit)
			ret = bench_fail(err, EXIT_FAIL, "%s did not end within %g s",
					 b->command[0], b->time_limit);
		if (ret) {
			kill(-pid, SIGTERM);
			stop_at = now + KILL_AFTER_NS;
		}
	}
	*wall = (double)(now_ns() - begin) / 1e9;
	if (ret)
		return ret;
	if (ended < 0)
		return bench_fail(err, EXIT_FAIL, "cannot wait for %s: %s",
				  b->command[0], strerror(errno));
	if (WIFSIGNALED(status))
		return bench_fail(err, EXIT_FAIL, "%s was killed by SIG%s", b->command[0],
				  sigabbrev_np(WTERMSIG(status)));
	if (WEXITSTATUS(status) == 127)
		return bench_fail(err, EXIT_MISSING, "cannot run %s", b->command[0]);
	if (WEXITSTATUS(status))
		return bench_fail(err, EXIT_FAIL, "%s exited with %d", b->command[0],
				  WEXITSTATUS(status));
	return 0;
}

static int run_arm(void *bench, const struct arm *arm, unsigned long round,
		   unsigned long position, struct bench_error *err)
{
	struct bench *b = bench;
	uint64_t before[SUMS], after[SUMS];
	double wall, bogo_ops = NAN;
	json_t *line;
	int ret;

	session_progress(&b->s, "round %lu of %lu, %s",
			 round - b->s.first_round + 1, b->s.rounds, arm->name);
	if (arm_apply(arm, &b->s.knobs, err) || session_wait(b->s.settle, err) ||
	    read_sums(b, before, err) || run_command(b, &wall, err) ||
	    read_sums(b, after, err) ||
	    (b->yaml && read_bogo_ops(b->yaml, &bogo_ops, err)))
		return -1;
	session_progress(&b->s, "%s", "");
	if (!b->s.json) {
		printf("%s: %s, %lu memory cgroups\n  %-16s %.3f\n", arm->name,
		       b->command[0], b->s.memcgs, "wall_seconds", wall);
		if (b->yaml)
			printf("  %-16s %.0f\n", "bogo_ops", bogo_ops);
		for (size_t i = 0; i < SUMS; i++)
			printf("  %-16s %llu\n", sums[i].name,
			       (unsigned long long)(after[i] - before[i]));
		if (fflush(stdout) || ferror(stdout))
			return bench_fail(err, EXIT_FAIL, "cannot write the result");
		return 0;
	}
	line = session_line(&b->s, "stress", arm, round, position);
	json_object_set_new(line, "memcgs", json_integer((json_int_t)b->s.memcgs));
	json_object_set_new(line, "wall_seconds", json_number(wall));
	if (b->yaml)
		json_object_set_new(line, "bogo_ops", json_number(bogo_ops));
	for (size_t i = 0; i < SUMS; i++)
		json_object_set_new(line, sums[i].name,
				    json_integer((json_int_t)(after[i] - before[i])));
	ret = jsonl_write(stdout, line, err);
	json_decref(line);
	return ret;
}

static int run_all(void *bench, struct bench_error *err)
{
	struct bench *b = bench;

	if (session_open(&b->s, err) ||
	    cgroup_tree_fill(&b->s.tree, b->s.memcgs, NULL, err))
		return -1;
	return session_run_arms(&b->s, run_arm, b, err);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	struct bench_error err = { 0 };

	session_init(&b.s, "stress-bench");
	return session_main(&b.s, parse(&b, argc, argv, &err), run_all, &b, &err);
}
