// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the programs whole, on a folder that looks like /proc, /sys and a
 * cgroup v2 root.  A FIFO that is full stands for a memory.reclaim that takes
 * long: a write to it blocks, and a signal ends it.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>

#include "jsonl.h"
#include "tap.h"
#include "tmpdir.h"

#define ARGS_MAX	24

struct result {
	int code;		/* exit code, or -signal */
	char out[65536];
	char err[8192];
};

struct fixture {
	char dir[512];
	const char *bin;
	struct result r;
};

static const char *const sysctls[] = {
	"proc/sys/vm/lru_gen_memcg_tail_cache",
	"proc/sys/vm/lru_gen_memcg_skip_young",
	"proc/sys/vm/lru_gen_memcg_resched",
};

static pid_t start(struct fixture *f, const char *const *args)
{
	char *argv[ARGS_MAX + 1], path[1024], text[1024];
	size_t n = 0;
	pid_t pid;

	while (args[n] && n < ARGS_MAX) {
		argv[n] = (char *)args[n];
		n++;
	}
	argv[n] = NULL;
	fflush(NULL);
	pid = fork();
	if (pid)
		return pid;
	/* a group of its own: whoever is left of it can be found */
	setpgid(0, 0);
	snprintf(path, sizeof(path), "%s/%s", f->bin, args[0]);
	snprintf(text, sizeof(text), "%s/out", f->dir);
	if (!freopen(text, "w", stdout))
		_exit(99);
	snprintf(text, sizeof(text), "%s/err", f->dir);
	if (!freopen(text, "w", stderr))
		_exit(99);
	execv(path, argv);
	_exit(98);
}

static void finish(struct fixture *f, pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	f->r.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	tmpdir_get(f->dir, "out", f->r.out, sizeof(f->r.out));
	tmpdir_get(f->dir, "err", f->r.err, sizeof(f->r.err));
}

static void run_args(struct fixture *f, const char *const *args)
{
	finish(f, start(f, args));
}

#define run(f, ...) run_args(f, (const char *const []){ __VA_ARGS__, NULL })

static bool code_is(struct tap *t, const struct fixture *f, int code, const char *what)
{
	bool passed = f->r.code == code;

	ok(t, passed, "%s: exit code %d", what, code);
	if (!passed)
		printf("#   got %d\n#   %s\n", f->r.code, f->r.err);
	return passed;
}

static unsigned int folders(const char *path, char *last, size_t size)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	if (!dir)
		return 0;
	for (struct dirent *de; (de = readdir(dir));) {
		if (de->d_type != DT_DIR || de->d_name[0] == '.')
			continue;
		n++;
		if (last)
			snprintf(last, size, "%s/%.255s", path, de->d_name);
	}
	closedir(dir);
	return n;
}

/* everything as it was, and nobody left? */
static void clean(struct tap *t, const struct fixture *f, const char *what)
{
	char cg[600], buf[64];
	bool knobs = true;

	snprintf(cg, sizeof(cg), "%s/cg", f->dir);
	ok(t, !folders(cg, NULL, 0), "%s: no cgroup is left", what);
	for (int i = 0; i < 3; i++)
		knobs &= !strcmp(tmpdir_get(f->dir, sysctls[i], buf, sizeof(buf)),
				 i == 1 ? "0\n" : "1\n");
	knobs &= !strcmp(tmpdir_get(f->dir, "sys/kernel/mm/lru_gen/enabled", buf,
				    sizeof(buf)), "0x0007\n");
	ok(t, knobs, "%s: the knobs are as before", what);
	tmpdir_get(cg, "cgroup.subtree_control", buf, sizeof(buf));
	ok(t, !*buf || !strcmp(buf, "-memory"), "%s: the memory controller is as before", what);
}

static void prepare(struct fixture *f)
{
	char text[1024];

	snprintf(text, sizeof(text), "none %s/cg cgroup2 rw 0 0\n", f->dir);
	tmpdir_put(f->dir, "proc/self/mounts", text);
	tmpdir_put(f->dir, "proc/vmstat", "nr_x 1\nlru_gen_memcg_visit 5\nlru_gen_memcg_rotate 6\n");
	for (int i = 0; i < 3; i++)
		tmpdir_put(f->dir, sysctls[i], i == 1 ? "0\n" : "1\n");
	tmpdir_put(f->dir, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	tmpdir_put(f->dir, "cg/cgroup.controllers", "cpu memory\n");
	tmpdir_put(f->dir, "cg/cgroup.subtree_control", "");
	tmpdir_put(f->dir, "cg/cgroup.stat", "nr_descendants 0\nnr_dying_descendants 0\n");
	tmpdir_put(f->dir, "cg/memory.reclaim", "");
}

static void usage(struct tap *t, struct fixture *f)
{
	static const char *const bad[][3] = {
		{ "--memcgs", "0", "whole number" },
		{ "--memcgs", "1e3", "whole number" },
		{ "--memcgs", "-5", "whole number" },
		{ "--workers", "0", "whole number" },
		{ "--requests", "many", "whole number" },
		{ "--time-limit", "1:30", "seconds" },
		{ "--time-limit", "inf", "seconds" },
		{ "--hard-cap", "1", "below --time-limit" },
		{ "--arms", "control,fast", "\"fast\"" },
		{ "--note", "novalue", "KEY=VALUE" },
		{ "--request", "", "1024M" },
		{ "--label", "", "UTF-8" },
		{ "--bogus", "x", "--help" },
		{ "extra", "more", "\"extra\"" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		run(f, "reclaim-bench", "--sysroot", f->dir, bad[i][0], bad[i][1]);
		code_is(t, f, 2, bad[i][0]);
		ok_text(t, f->r.err, bad[i][2], "the message tells the right form");
	}
	run(f, "mkdir-bench", "--lru-gen", "0,8");
	code_is(t, f, 2, "--lru-gen 0,8");
	run(f, "mkdir-bench", "--lru-gen", "7,7");
	code_is(t, f, 2, "--lru-gen 7,7");
	run(f, "mkdir-bench", "--lru-gen", "");
	code_is(t, f, 2, "--lru-gen ''");
	run(f, "mkdir-bench", "--help");
	code_is(t, f, 0, "mkdir-bench --help");
	ok_text(t, f->r.out, "--lru-gen", "the help has the options");
	run(f, "reclaim-bench", "--help");
	code_is(t, f, 0, "reclaim-bench --help");
	run(f, "demo-report");
	code_is(t, f, 2, "demo-report without a file");
	run(f, "demo-report", "--help");
	code_is(t, f, 0, "demo-report --help");
}

static void missing(struct tap *t, struct fixture *f)
{
	char path[1024];

	run(f, "reclaim-bench", "--sysroot", "/nonexistent");
	code_is(t, f, 4, "no /proc");
	snprintf(path, sizeof(path), "%s/%s", f->dir, sysctls[2]);
	unlink(path);
	run(f, "reclaim-bench", "--sysroot", f->dir, "--arms", "control", "--memcgs", "3");
	code_is(t, f, 4, "a sysctl that is not there");
	ok_text(t, f->r.err, "this kernel has no vm.lru_gen_memcg_resched", "it is named");
	ok(t, strchr(f->r.err, '\n') == strrchr(f->r.err, '\n'), "in one line");
	tmpdir_put(f->dir, sysctls[2], "1\n");
	tmpdir_put(f->dir, "cg/cgroup.controllers", "cpu\n");
	run(f, "mkdir-bench", "--sysroot", f->dir);
	code_is(t, f, 4, "no memory controller");
	tmpdir_put(f->dir, "cg/cgroup.controllers", "cpu memory\n");
	snprintf(path, sizeof(path), "%s/cg/memory.reclaim", f->dir);
	unlink(path);
	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "3");
	code_is(t, f, 4, "no memory.reclaim");
	ok_text(t, f->r.err, "5.19", "the message says since when it is there");
	clean(t, f, "no memory.reclaim");
	tmpdir_put(f->dir, "cg/memory.reclaim", "");
}

static json_t *parse_line(const char **text)
{
	size_t len = strcspn(*text, "\n");
	json_t *line = json_loadb(*text, len, 0, NULL);

	*text += len + ((*text)[len] == '\n');
	return line;
}

static void plain_runs(struct tap *t, struct fixture *f)
{
	unsigned int lines = 0, control = 0;
	bool sane = true, shuffled = false;
	char yaml[600], script[1024];
	const char *at;
	json_t *line;

	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "20", "--workers", "3",
	    "--requests", "4", "--settle", "0");
	code_is(t, f, 0, "text output");
	ok_text(t, f->r.out, "requests        12 in", "twelve requests are made");
	ok_text(t, f->r.out, "ok 12", "all succeed");
	ok_text(t, f->r.out, "lru_gen_memcg_rotate", "counters are shown by their prefix");
	clean(t, f, "text output");

	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "20", "--workers", "3",
	    "--requests", "40", "--settle", "0", "--json", "--label", "x\"y");
	code_is(t, f, 0, "JSON output");
	at = f->r.out;
	line = parse_line(&at);
	ok(t, line && !*at, "one object on one line");
	ok(t, json_integer_value(json_object_get(line, "requests")) == 120 &&
	      json_integer_value(json_object_get(line, "memcgs")) == 20 &&
	      json_array_size(json_object_get(line, "latencies_ms")) == 120 &&
	      json_is_number(json_object_get(line, "p99_ms")) &&
	      !strcmp(json_string_value(json_object_get(line, "arm")), "x\"y"), "with its values");
	json_decref(line);

	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "5", "--workers", "2",
	    "--requests", "6000", "--settle", "0", "--json");
	code_is(t, f, 0, "many requests");
	at = f->r.out;
	line = parse_line(&at);
	ok(t, json_array_size(json_object_get(line, "latency_histogram")) > 1 &&
	      !json_object_get(line, "latencies_ms"), "a histogram above 10000 requests");
	json_decref(line);

	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "5", "--workers", "2",
	    "--requests", "2", "--settle", "0", "--arms", "control,tail_cache,all",
	    "--rounds", "4", "--seed", "3", "--first-round", "10");
	code_is(t, f, 0, "arms");
	for (at = f->r.out; *at; lines++) {
		const char *arm;

		line = parse_line(&at);
		arm = json_string_value(json_object_get(line, "arm"));
		if (!arm) {
			sane = false;
			break;
		}
		sane &= json_integer_value(json_object_get(line, "round")) == 10 + lines / 3 &&
			json_integer_value(json_object_get(line, "position")) == lines % 3;
		control += !strcmp(arm, "control");
		shuffled |= lines % 3 == 0 && strcmp(arm, "control");
		json_decref(line);
	}
	ok(t, lines == 12 && sane, "a line for each arm and round");
	ok(t, control == 4, "each arm once a round");
	ok(t, shuffled, "in a random order");
	clean(t, f, "arms");

	run(f, "mkdir-bench", "--sysroot", f->dir, "--memcgs", "30", "--settle", "0",
	    "--arms", "control,all", "--lru-gen", "0,7", "--rounds", "2");
	code_is(t, f, 0, "mkdir-bench");
	lines = 0;
	for (at = f->r.out, sane = true; *at && sane; lines++) {
		line = parse_line(&at);
		sane &= json_real_value(json_object_get(line, "mkdir_seconds")) > 0 &&
			json_real_value(json_object_get(line, "rmdir_seconds")) > 0 &&
			json_integer_value(json_object_get(line, "memcgs")) == 30;
		json_decref(line);
	}
	ok(t, sane && lines == 8, "a line for each arm, lru_gen and round");
	clean(t, f, "mkdir-bench");
	run(f, "mkdir-bench", "--sysroot", f->dir, "--memcgs", "30");
	code_is(t, f, 0, "mkdir-bench, text");
	ok_text(t, f->r.out, "rmdir", "times of rmdir");

	tmpdir_put(f->dir, "stress.yaml",
		   "metrics:\n    - stressor: vm\n      bogo-ops: 40\n      bogo-ops-per-second-usr-sys-time: 9.5\n    - stressor: vm\n      bogo-ops: 2\n");
	snprintf(yaml, sizeof(yaml), "%s/stress.yaml", f->dir);
	snprintf(script, sizeof(script), "printf 'pgscan_direct 30\\npgscan_kswapd 5\\nallocstall_normal 2\\npswpout 1\\nlru_gen_memcg_visit 11\\n' >%s/proc/vmstat; echo said",
		 f->dir);
	run(f, "stress-bench", "--sysroot", f->dir, "--memcgs", "4", "--settle", "0",
	    "--json", "--yaml", yaml, "--", "sh", "-c", script);
	code_is(t, f, 0, "stress-bench");
	at = f->r.out;
	line = parse_line(&at);
	ok(t, line && !*at, "stress-bench: one line, the command's output is not in it");
	ok_text(t, f->r.err, "said", "stress-bench: but on standard error");
	ok(t, json_integer_value(json_object_get(line, "pages_scanned")) == 35 &&
	      json_integer_value(json_object_get(line, "direct_stalls")) == 2 &&
	      json_integer_value(json_object_get(line, "visits")) == 6 &&
	      json_integer_value(json_object_get(line, "memcgs")) == 4 &&
	      json_number_value(json_object_get(line, "bogo_ops")) == 42, "stress-bench: the sums");
	json_decref(line);
	clean(t, f, "stress-bench");
	run(f, "stress-bench", "--sysroot", f->dir, "--memcgs", "4", "--arms", "control",
	    "--settle", "0", "--", "sh", "-c", "exit 7");
	code_is(t, f, 1, "stress-bench, a command that fails");
	ok_text(t, f->r.err, "sh exited with 7", "is told");
	ok(t, !*f->r.out, "and gives no number");
	clean(t, f, "stress-bench, a command that fails");
	run(f, "stress-bench", "--sysroot", f->dir, "--memcgs", "4", "--settle", "0",
	    "--time-limit", "0.2", "--", "sleep", "60");
	code_is(t, f, 1, "stress-bench, a command that does not end");
	ok_text(t, f->r.err, "did not end within 0.2 s", "is told");
	run(f, "stress-bench", "--sysroot", f->dir, "--memcgs", "4", "--", "/nonexistent");
	code_is(t, f, 4, "stress-bench, no such command");
	clean(t, f, "stress-bench, no such command");
	run(f, "stress-bench", "--sysroot", f->dir, "--memcgs", "4", "--yaml", script,
	    "--settle", "0", "--", "true");
	code_is(t, f, 1, "stress-bench, no YAML file");
	run(f, "stress-bench", "--memcgs", "4");
	code_is(t, f, 2, "stress-bench without a command");
	prepare(f);

	run(f, "reclaim-bench", "--environment", "--note", "accel=tcg");
	code_is(t, f, 0, "--environment");
	ok_text(t, f->r.out, "\"accel\":\"tcg\"", "has the note");
}

/* sleep while something is not so; false when it does not come to be */
static bool wait_for_folders(const char *path, unsigned int count, char *last, size_t size)
{
	for (int i = 0; i < 500; i++) {
		if (folders(path, last, size) == count)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	}
	return false;
}

static int fill_fifo(const struct fixture *f)
{
	char path[600], junk[4096] = { 0 };
	int fd;

	snprintf(path, sizeof(path), "%s/cg/memory.reclaim", f->dir);
	unlink(path);
	if (mkfifo(path, 0600))
		return -1;
	fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	while (fd >= 0 && write(fd, junk, sizeof(junk)) > 0)
		;
	return fd;
}

static void interrupted(struct tap *t, struct fixture *f, int sig, bool arms)
{
	char cg[600], tree[1200] = "", what[64];
	bool gone = false;
	pid_t pid;

	snprintf(what, sizeof(what), "SIG%s while requests run", sigabbrev_np(sig));
	snprintf(cg, sizeof(cg), "%s/cg", f->dir);
	if (arms)
		pid = start(f, (const char *const []){ "reclaim-bench", "--sysroot", f->dir,
			    "--memcgs", "50", "--workers", "4", "--arms", "control",
			    "--settle", "0", NULL });
	else
		pid = start(f, (const char *const []){ "reclaim-bench", "--sysroot", f->dir,
			    "--memcgs", "50", "--workers", "4", "--settle", "0", NULL });
	ok(t, wait_for_folders(cg, 1, tree, sizeof(tree)) &&
	      wait_for_folders(tree, 50, NULL, 0), "%s: the cgroups are there", what);
	/* the workers then block in their first write */
	nanosleep(&(struct timespec){ .tv_nsec = 500000000 }, NULL);
	ok(t, !waitpid(pid, NULL, WNOHANG), "%s: it is at work", what);
	/* to all of the group, as a terminal does */
	kill(-pid, sig);
	finish(f, pid);
	code_is(t, f, 128 + sig, what);
	for (int i = 0; i < 50 && !gone; i++) {
		gone = kill(-pid, 0) && errno == ESRCH;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	ok(t, gone, "%s: no worker is left", what);
	clean(t, f, what);
}

static void blocked(struct tap *t, struct fixture *f)
{
	int fd = fill_fifo(f);
	const char *at;
	json_t *line;

	if (!ok(t, fd >= 0, "a FIFO that is full"))
		return;
	interrupted(t, f, SIGINT, true);
	interrupted(t, f, SIGTERM, false);
	interrupted(t, f, SIGHUP, true);
	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "5", "--workers", "3",
	    "--settle", "0", "--json", "--time-limit", "0.1", "--hard-cap", "0.4");
	code_is(t, f, 0, "hard cap");
	at = f->r.out;
	line = parse_line(&at);
	ok(t, json_is_true(json_object_get(line, "hard_cap_hit")) &&
	      json_integer_value(json_object_get(line, "requests_cut_off")) == 3 &&
	      json_integer_value(json_object_get(line, "requests")) == 0 &&
	      json_is_null(json_object_get(line, "mean_ms")), "the line says what was cut off");
	ok(t, json_real_value(json_object_get(line, "wall_seconds")) < 5, "and it took not long");
	ok_text(t, f->r.err, "3 requests of arm current were cut off", "with a warning");
	json_decref(line);
	clean(t, f, "hard cap");
	close(fd);
}

static void restore_file(const struct fixture *f)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/cg/memory.reclaim", f->dir);
	unlink(path);
	tmpdir_put(f->dir, "cg/memory.reclaim", "");
}

static void limits(struct tap *t, struct fixture *f)
{
	const char *at;
	char path[600];
	json_t *line;

	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "5", "--workers", "2",
	    "--requests", "1000000", "--settle", "0", "--json", "--time-limit", "0.05");
	code_is(t, f, 0, "time limit");
	at = strstr(f->r.out, "\"time_limit_hit\":true");
	ok(t, at, "the line says that the limit was reached");

	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "7", "--memcgs-keep",
	    "--settle", "0");
	code_is(t, f, 0, "--memcgs-keep");
	snprintf(path, sizeof(path), "%s/cg", f->dir);
	char tree[1200] = "";
	ok(t, folders(path, tree, sizeof(tree)) == 1 && folders(tree, NULL, 0) == 7,
	   "the cgroups are kept");
	run(f, "reclaim-bench", "--sysroot", f->dir, "--use", tree, "--settle", "0", "--json");
	code_is(t, f, 0, "--use");
	at = f->r.out;
	line = parse_line(&at);
	ok(t, json_integer_value(json_object_get(line, "memcgs")) == 7, "they are counted");
	json_decref(line);
	ok(t, folders(tree, NULL, 0) == 7, "and stay");
	tmpdir_remove(tree);

	/* the result cannot be written: an error, and all is cleaned up */
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		char bin[1024];

		snprintf(bin, sizeof(bin), "%s/reclaim-bench", f->bin);
		if (!freopen("/dev/full", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(99);
		execl(bin, bin, "--sysroot", f->dir, "--memcgs", "5", "--settle", "0",
		      "--arms", "control", (char *)NULL);
		_exit(98);
	}
	finish(f, pid);
	code_is(t, f, 1, "no space for the result");
	clean(t, f, "no space for the result");
}

static void report(struct tap *t, struct fixture *f)
{
	char in[600], out[600], path[700], buf[65536];
	json_t *demo;
	bool gnuplot;

	snprintf(in, sizeof(in), "%s/in.jsonl", f->dir);
	snprintf(out, sizeof(out), "%s/report", f->dir);
	run(f, "reclaim-bench", "--sysroot", f->dir, "--memcgs", "5", "--workers", "2",
	    "--requests", "50", "--settle", "0", "--arms", "control,tail_cache,skip_young,resched",
	    "--rounds", "3");
	tmpdir_put(f->dir, "in.jsonl", f->r.out);
	run(f, "mkdir-bench", "--sysroot", f->dir, "--memcgs", "30", "--settle", "0",
	    "--arms", "control,all", "--lru-gen", "0,7", "--rounds", "3");
	snprintf(path, sizeof(path), "%s/mk.jsonl", f->dir);
	tmpdir_put(f->dir, "mk.jsonl", f->r.out);
	run(f, "demo-report", "--out", out, in, path);
	code_is(t, f, 0, "demo-report on what the two write");
	ok_text(t, f->r.out, "skip_young", "a row for each arm");
	snprintf(path, sizeof(path), "%s/demo.json", out);
	demo = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	ok(t, json_array_size(json_object_get(demo, "arms")) == 4 &&
	      json_array_size(json_object_get(demo, "mkdir")) == 4 &&
	      json_is_object(json_object_get(demo, "environment")) &&
	      json_is_array(json_object_get(demo, "stress")), "demo.json has the lists");
	ok(t, json_is_number(json_object_get(json_object_get(json_array_get(
		json_object_get(demo, "arms"), 3), "ratio"), "low")), "with intervals");
	json_decref(demo);
	ok_text(t, tmpdir_get(out, "demo.gp", buf, sizeof(buf)), "demo-arms.dat", "a gnuplot script");
	gnuplot = !system("command -v gnuplot >/dev/null");
	if (gnuplot)
		ok_text(t, tmpdir_get(out, "demo.svg", buf, sizeof(buf)), "skip_young",
			"an SVG with the arms' names");
	else
		tap_skip(t, "an SVG with the arms' names", "gnuplot is not installed");

	tmpdir_put(f->dir, "in.jsonl", "{\"kind\":\"environment\"}\n{\"kind\":\"reclaim\"}\n");
	run(f, "demo-report", "--out", out, in);
	code_is(t, f, 1, "a line without its members");
	ok_text(t, f->r.err, "in.jsonl:2: \"run\" is missing", "file, line and member are named");
	tmpdir_put(f->dir, "in.jsonl",
		   "{\"kind\":\"stress\",\"arm\":\"control\",\"ops\":5}\n{\"kind\":\"stress\",\"ar");
	run(f, "demo-report", "--out", out, "--no-plot", in);
	code_is(t, f, 0, "a last line that is cut short");
	ok_text(t, f->r.err, "in.jsonl:2: warning", "gives a warning");
	ok_text(t, f->r.out, "ops", "and the rest is shown");
	tmpdir_put(f->dir, "in.jsonl", "{\"kind\":\"environment\"}\n");
	run(f, "demo-report", "--out", out, in);
	code_is(t, f, 1, "no result at all");
	run(f, "demo-report", "--out", out, "/nonexistent.jsonl");
	code_is(t, f, 1, "a file that is not there");
	ok_text(t, f->r.err, "/nonexistent.jsonl", "is named");
	tmpdir_put(f->dir, "in.jsonl", "{\"kind\":\"stress\",\"arm\":\"control\",\"ops\":5}\n");
	run(f, "demo-report", "--out", "/proc/none", in);
	code_is(t, f, 1, "a folder that cannot be made");
}

int main(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tap t = { 0 };

	f->bin = getenv("BENCH_DIR");
	if (!f->bin) {
		printf("Bail out! BENCH_DIR names no folder with the programs\n");
		free(f);
		return 1;
	}
	tmpdir_make(f->dir, sizeof(f->dir));
	prepare(f);
	usage(&t, f);
	missing(&t, f);
	plain_runs(&t, f);
	blocked(&t, f);
	restore_file(f);
	limits(&t, f);
	report(&t, f);
	tmpdir_remove(f->dir);
	free(f);
	return tap_end(&t);
}
