// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "jsonl.h"
#include "session.h"
#include "signals.h"
#include "sysinfo.h"

void session_init(struct session *s, const char *program)
{
	memset(s, 0, sizeof(*s));
	s->program = program;
	s->memcgs = 1500;
	s->rounds = 1;
	s->first_round = 1;
	s->seed = 1;
	s->settle = 0.1;
	s->label = "current";
	s->sysroot = "";
	s->tree.dirfd = -1;
	s->start_ns = now_ns();
}

int option_number(const char *name, const char *arg, unsigned long min,
		  unsigned long max, unsigned long *out, struct bench_error *err)
{
	if (parse_ulong(arg, min, max, out))
		return bench_fail(err, EXIT_USAGE,
				  "--%s \"%s\": give a whole number from %lu to %lu",
				  name, arg, min, max);
	return 0;
}

int option_seconds(const char *name, const char *arg, double max, double *out,
		   struct bench_error *err)
{
	if (parse_seconds(arg, max, out))
		return bench_fail(err, EXIT_USAGE,
				  "--%s \"%s\": give seconds from 0 to %.0f, such as 30 or 0.5",
				  name, arg, max);
	return 0;
}

bool option_text_valid(const char *text, size_t size)
{
	json_t *check = json_string(text);
	bool valid = check && *text && strlen(text) < size;

	json_decref(check);
	return valid;
}

static int take_note(struct session *s, const char *arg, struct bench_error *err)
{
	const char *eq = strchr(arg, '=');
	json_t *key;

	if (!eq || eq == arg)
		return bench_fail(err, EXIT_USAGE, "--note \"%s\": give KEY=VALUE", arg);
	if (!s->notes)
		s->notes = json_object();
	key = json_stringn(arg, (size_t)(eq - arg));
	if (!key || json_object_set_new(s->notes, json_string_value(key),
					json_string(eq + 1))) {
		json_decref(key);
		return bench_fail(err, EXIT_USAGE, "--note \"%s\": not UTF-8", arg);
	}
	json_decref(key);
	return 0;
}

int session_option(struct session *s, int opt, const char *arg,
		   struct bench_error *err)
{
	switch (opt) {
	case OPT_MEMCGS:
		return option_number("memcgs", arg, 1, 1000000, &s->memcgs, err);
	case OPT_ARMS:
		s->given_arms = true;
		s->json = true;
		return arm_parse_list(arg, &s->arms, err);
	case OPT_ROUNDS:
		return option_number("rounds", arg, 1, 100000, &s->rounds, err);
	case OPT_FIRST_ROUND:
		return option_number("first-round", arg, 0, 1000000,
				     &s->first_round, err);
	case OPT_SEED:
		return option_number("seed", arg, 0, 0xffffffff, &s->seed, err);
	case OPT_SETTLE:
		return option_seconds("settle", arg, 3600, &s->settle, err);
	case OPT_JSON:
		s->json = true;
		return 0;
	case OPT_LABEL:
		if (!option_text_valid(arg, sizeof(s->arms.arms[0].name)))
			return bench_fail(err, EXIT_USAGE,
					  "--label \"%s\": give 1 to %zu bytes of UTF-8",
					  arg, sizeof(s->arms.arms[0].name) - 1);
		s->label = arg;
		return 0;
	case OPT_RUN_ID:
		if (!option_text_valid(arg, sizeof(s->run_id)))
			return bench_fail(err, EXIT_USAGE,
					  "--run-id \"%s\": give 1 to %zu bytes of UTF-8",
					  arg, sizeof(s->run_id) - 1);
		strcpy(s->run_id, arg);
		return 0;
	case OPT_CGROUP_ROOT:
		s->cgroup_root = arg;
		return 0;
	case OPT_SYSROOT:
		s->sysroot = arg;
		return 0;
	case OPT_ENVIRONMENT:
		s->environment = true;
		return 0;
	case OPT_NOTE:
		return take_note(s, arg, err);
	}
	return bench_fail(err, EXIT_USAGE, "see --help");
}

static void default_run_id(struct session *s)
{
	char path[4096], boot[64] = "";

	if (path_format(path, sizeof(path), "%s/proc/sys/kernel/random/boot_id",
			s->sysroot) ||
	    file_read(path, boot, sizeof(boot)) < 0)
		boot[0] = '\0';
	snprintf(s->run_id, sizeof(s->run_id), "%s%s%ld", boot, *boot ? "-" : "",
		 (long)getpid());
}

int session_open(struct session *s, struct bench_error *err)
{
	char name[64];

	signals_block();
	if (!*s->run_id)
		default_run_id(s);
	if (!s->given_arms) {
		s->arms.count = 1;
		strcpy(s->arms.arms[0].name, s->label);
	}
	s->knobs.sysroot = s->sysroot;
	/* before anything is made: a kernel without the feature is told at once */
	if (arm_save_knobs(&s->arms, &s->knobs, err))
		return -1;
	if (cgroup_root_find(&s->root, s->sysroot, s->cgroup_root, err))
		return -1;
	if (s->use)
		return cgroup_tree_use(&s->tree, s->use, err);
	if (cgroup_root_enable_memory(&s->root, err))
		return -1;
	snprintf(name, sizeof(name), "%s.%ld", s->program, (long)getpid());
	return cgroup_tree_make(&s->tree, &s->root, name, err);
}

int session_wait(double seconds, struct bench_error *err)
{
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);

	for (;;) {
		uint64_t now = now_ns();
		uint64_t left = end > now ? (end - now + 999999) / 1000000 : 0;
		int sig = signals_poll(left > 1000 ? 1000 : (unsigned int)left);

		if (sig)
			return bench_fail(err, 128 + sig, "stopped by SIG%s",
					  sigabbrev_np(sig));
		if (now_ns() >= end)
			return 0;
	}
}

int session_close(struct session *s)
{
	struct bench_error err;
	int ret = 0;

	if (knob_restore(&s->knobs, &err)) {
		fprintf(stderr, "%s: %s\n", s->program, err.text);
		ret = -1;
	}
	if (s->keep && s->tree.owned) {
		fprintf(stderr, "%s: %lu cgroups are kept in %s\n", s->program,
			s->tree.made, s->tree.path);
		/* their memory controller must stay as well */
		s->tree.owned = false;
		s->root.memory_added = false;
	}
	if (s->tree.made > 1000 && s->tree.owned)
		session_progress(s, "removing %lu cgroups", s->tree.made);
	if (cgroup_tree_remove(&s->tree, &err)) {
		fprintf(stderr, "%s: %s\n", s->program, err.text);
		ret = -1;
	}
	session_progress(s, "%s", "");
	if (!ret && cgroup_root_restore(&s->root, &err)) {
		fprintf(stderr, "%s: %s\n", s->program, err.text);
		ret = -1;
	}
	return ret;
}

int session_run_arms(struct session *s, session_run_fn *run, void *bench,
		     struct bench_error *err)
{
	size_t order[ARM_MAX];

	for (unsigned long i = 0; i < s->rounds; i++) {
		unsigned long round = s->first_round + i;

		shuffle_order(order, s->arms.count, s->seed, round);
		for (size_t j = 0; j < s->arms.count; j++) {
			if (run(bench, &s->arms.arms[order[j]], round, j, err))
				return -1;
		}
	}
	return 0;
}

int session_main(struct session *s, bool bad_options,
		 int (*run)(void *bench, struct bench_error *err), void *bench,
		 struct bench_error *err)
{
	bool open = false, failed = bad_options;
	int code = 0;

	if (!failed && s->environment) {
		failed = session_environment(s, err);
	} else if (!failed) {
		open = true;
		failed = run(bench, err);
	}
	if (failed) {
		if (open)
			session_progress(s, "%s", "");
		fprintf(stderr, "%s: %s\n", s->program, err->text);
		code = err->code;
	}
	if (open && session_close(s) && !code)
		code = EXIT_FAIL;
	json_decref(s->notes);
	s->notes = NULL;
	return code;
}

void session_progress(const struct session *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (*text)
		fprintf(stderr, "\r\033[K%s: %s, %.0f s", s->program, text,
			(double)(now_ns() - s->start_ns) / 1e9);
	else
		fprintf(stderr, "\r\033[K");
}

json_t *session_line(const struct session *s, const char *kind,
		     const struct arm *arm, unsigned long round,
		     unsigned long position)
{
	json_t *line = json_object(), *knobs;

	json_object_set_new(line, "kind", json_string(kind));
	json_object_set_new(line, "run", json_string(s->run_id));
	json_object_set_new(line, "arm", json_string(arm->name));
	json_object_set_new(line, "round", json_integer((json_int_t)round));
	json_object_set_new(line, "position", json_integer((json_int_t)position));
	json_object_set_new(line, "seed", json_integer((json_int_t)s->seed));
	if (arm->count) {
		knobs = json_object();
		for (size_t i = 0; i < arm->count; i++)
			json_object_set_new(knobs, arm->settings[i].name,
					    json_string(arm->settings[i].value));
		json_object_set_new(line, "knobs", knobs);
	}
	return line;
}

int session_environment(const struct session *s, struct bench_error *err)
{
	json_t *line = environment_line(s->sysroot, s->notes);
	int ret = jsonl_write(stdout, line, err);

	json_decref(line);
	return ret;
}
