/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>

#include "arms.h"
#include "cgroup.h"
#include "knobs.h"
#include "util.h"

/**
 * struct session - what the benchmarks share: options, and what to put back
 * @program: name before messages
 * @memcgs: how many memory cgroups
 * @rounds: how often each arm is run
 * @first_round: number of the first round
 * @seed: of the arms' order in each round
 * @settle: seconds between setting the knobs and the run
 * @json: one JSON object a line instead of text
 * @keep: leave the cgroups
 * @environment: print the environment line and stop
 * @use: folder of cgroups to use, or NULL
 * @label: name of the only arm when --arms is not given
 * @run_id: ties lines of one comparison together
 * @cgroup_root: given by the user, or NULL
 * @sysroot: "" or the folder below which to find /proc and /sys
 * @notes: KEY=VALUE pairs for the environment line
 * @given_arms: whether --arms was given
 * @arms: the arms; one without settings when --arms was not given
 * @knobs: what to put back
 * @root: the root cgroup
 * @tree: the folder of cgroups
 * @start_ns: for the elapsed time of progress lines
 */
struct session {
	const char *program;
	unsigned long memcgs;
	unsigned long rounds;
	unsigned long first_round;
	unsigned long seed;
	double settle;
	bool json;
	bool keep;
	bool environment;
	const char *use;
	const char *label;
	char run_id[96];
	const char *cgroup_root;
	const char *sysroot;
	json_t *notes;
	bool given_arms;
	struct arm_list arms;
	struct knob_set knobs;
	struct cgroup_root root;
	struct cgroup_tree tree;
	uint64_t start_ns;
};

/* long options that every benchmark takes; own ones have values below 256 */
enum {
	OPT_MEMCGS = 256, OPT_ARMS, OPT_ROUNDS, OPT_FIRST_ROUND, OPT_SEED,
	OPT_SETTLE, OPT_JSON, OPT_LABEL, OPT_RUN_ID, OPT_CGROUP_ROOT,
	OPT_SYSROOT, OPT_ENVIRONMENT, OPT_NOTE, OPT_HELP,
};

#define SESSION_OPTIONS \
	{ "memcgs", required_argument, NULL, OPT_MEMCGS }, \
	{ "arms", required_argument, NULL, OPT_ARMS }, \
	{ "rounds", required_argument, NULL, OPT_ROUNDS }, \
	{ "first-round", required_argument, NULL, OPT_FIRST_ROUND }, \
	{ "seed", required_argument, NULL, OPT_SEED }, \
	{ "settle", required_argument, NULL, OPT_SETTLE }, \
	{ "json", no_argument, NULL, OPT_JSON }, \
	{ "label", required_argument, NULL, OPT_LABEL }, \
	{ "run-id", required_argument, NULL, OPT_RUN_ID }, \
	{ "cgroup-root", required_argument, NULL, OPT_CGROUP_ROOT }, \
	{ "sysroot", required_argument, NULL, OPT_SYSROOT }, \
	{ "environment", no_argument, NULL, OPT_ENVIRONMENT }, \
	{ "note", required_argument, NULL, OPT_NOTE }, \
	{ "help", no_argument, NULL, OPT_HELP }, \
	{ NULL, 0, NULL, 0 }

#define SESSION_HELP \
"  --arms A,B,...     compare states of the vm.lru_gen_memcg_* sysctls: control\n" \
"                     (all 0), tail_cache, skip_young, resched (each adds one),\n" \
"                     all; implies --json; the sysctls are put back at the end\n" \
"  --rounds K         run each arm K times, in a new random order each time (1)\n" \
"  --first-round N    number of the first round (1)\n" \
"  --seed S           seed of the order (1)\n" \
"  --settle SECONDS   wait after setting the sysctls (0.1)\n" \
"  --label NAME       name of the arm in the output without --arms (current)\n" \
"  --run-id TEXT      lines with the same id and round are compared; give one to\n" \
"                     compare kernels over several boots (boot id and pid)\n" \
"  --json             one JSON object on one line for each run\n" \
"  --cgroup-root DIR  the cgroup v2 root (found in /proc/self/mounts)\n" \
"  --sysroot DIR      look for /proc and /sys below DIR (for tests)\n" \
"  --environment      only print a JSON line that describes kernel and machine\n" \
"  --note KEY=VALUE   add a note to it, may be given several times\n" \
"  --help             this text\n"

#define SESSION_EXIT_HELP \
"Exit code: 0 done, 1 failed, 2 usage, 4 something is missing (root, cgroup v2,\n" \
"the memory controller, the sysctls), 128 + signal when stopped.\n"

/**
 * session_init - defaults
 * @s: filled in
 * @program: name before messages
 */
void session_init(struct session *s, const char *program);

/**
 * session_option - take one of SESSION_OPTIONS
 * @s: gets the value
 * @opt: OPT_*
 * @arg: its argument
 * @err: filled in on failure
 *
 * Return: 0 or -1 (bad value, or an @opt that is not a session's).
 */
int session_option(struct session *s, int opt, const char *arg,
		   struct bench_error *err);

/**
 * option_number - a numeric option's value
 * @name: of the option, without dashes, for the message
 * @arg: the text
 * @min: smallest valid value
 * @max: largest valid value
 * @out: gets the value
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int option_number(const char *name, const char *arg, unsigned long min,
		  unsigned long max, unsigned long *out, struct bench_error *err);

/**
 * option_seconds - as option_number(), for seconds with a fraction
 */
int option_seconds(const char *name, const char *arg, double max, double *out,
		   struct bench_error *err);

/**
 * option_text_valid - can a text be an option's value?
 * @text: the text
 * @size: size in bytes of what shall hold it, terminated
 *
 * Return: true when it is not empty, fits, and is UTF-8.
 */
bool option_text_valid(const char *text, size_t size);

/**
 * session_open - find the root cgroup, save the knobs, make the folder
 * @s: options are set
 * @err: filled in on failure
 *
 * Signals are held back from here on.
 *
 * Return: 0 or -1; session_close() must be called in both cases.
 */
int session_open(struct session *s, struct bench_error *err);

/**
 * session_wait - wait, unless a signal comes
 * @seconds: how long
 * @err: filled in when a signal came, with code 128 + signal
 *
 * Return: 0 or -1.
 */
int session_wait(double seconds, struct bench_error *err);

/**
 * session_close - put knobs back, remove cgroups, put the controller back
 * @s: may be opened in part
 *
 * Failures are printed, one line each.
 *
 * Return: 0 or -1.
 */
int session_close(struct session *s);

/**
 * typedef session_run_fn - one run of an arm
 * @bench: the program's own
 * @arm: not applied yet
 * @round: number of the round
 * @position: of this run in its round, from 0
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
typedef int session_run_fn(void *bench, const struct arm *arm, unsigned long round,
			   unsigned long position, struct bench_error *err);

/**
 * session_run_arms - run each arm once a round, in a random order
 * @s: open
 * @run: called for each
 * @bench: handed to @run
 * @err: filled in on failure
 *
 * Return: 0 or -1, the first failure of @run ends it.
 */
int session_run_arms(struct session *s, session_run_fn *run, void *bench,
		     struct bench_error *err);

/**
 * session_main - what every benchmark's main() does once its options are read
 * @s: the session; closed at the end
 * @bad_options: options were wrong, @err says how
 * @run: opens the session and does the work
 * @bench: handed to @run
 * @err: the first failure; printed
 *
 * Return: the exit code.
 */
int session_main(struct session *s, bool bad_options,
		 int (*run)(void *bench, struct bench_error *err), void *bench,
		 struct bench_error *err);

/**
 * session_progress - tell a user at a terminal how far it is
 * @s: session
 * @fmt: printf format, "" clears the line
 *
 * Written to standard error, and only when that is a terminal.
 */
void session_progress(const struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * session_line - the members that every line of a run begins with
 * @s: session
 * @kind: "reclaim" or "mkdir"
 * @arm: which arm ran
 * @round: in which round
 * @position: at which place of the round, from 0
 */
json_t *session_line(const struct session *s, const char *kind,
		     const struct arm *arm, unsigned long round,
		     unsigned long position);

/**
 * session_environment - print the environment line
 * @s: session
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int session_environment(const struct session *s, struct bench_error *err);

#endif
