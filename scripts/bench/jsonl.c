// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jsonl.h"

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

int jsonl_write(FILE *out, const json_t *object, struct bench_error *err)
{
	/* 9 digits: more is noise and makes the lines long */
	if (json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(9)) ||
	    fputc('\n', out) == EOF || fflush(out))
		return bench_fail(err, EXIT_FAIL, "cannot write the result: %s",
				  strerror(errno));
	return 0;
}

static int take_line(const char *line, size_t len, const char *where,
		     jsonl_line_fn fn, void *arg, struct bench_error *err)
{
	struct bench_error inner = { 0 };
	json_error_t jerr;
	json_t *object;
	int ret = 0;

	object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &jerr);
	if (!object)
		return bench_fail(err, EXIT_FAIL, "%s: not a JSON object: %s",
				  where, jerr.text);
	if (!json_is_object(object) ||
	    !json_is_string(json_object_get(object, "kind")))
		ret = bench_fail(err, EXIT_FAIL,
				 "%s: not an object with a string \"kind\"", where);
	else if (fn(object, where, arg, &inner))
		ret = bench_fail(err, inner.code, "%s: %.300s", where, inner.text);
	json_decref(object);
	return ret;
}

long jsonl_read(const char *path, jsonl_line_fn fn, void *arg, FILE *warn,
		struct bench_error *err)
{
	unsigned long number = 0;
	size_t size = 0;
	char *line = NULL;
	long objects = 0;
	ssize_t len;
	FILE *in;

	in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	if (!in)
		return bench_fail(err, EXIT_FAIL, "cannot read %s: %s", path,
				  strerror(errno));
	errno = 0;
	while ((len = getline(&line, &size, in)) >= 0) {
		char where[512];
		json_t *probe;

		number++;
		snprintf(where, sizeof(where), "%.480s:%lu", path, number);
		if (strspn(line, " \t\r\n") == (size_t)len)
			continue;
		/* a writer that was stopped leaves half a line, and only one */
		if (line[len - 1] != '\n') {
			probe = json_loadb(line, (size_t)len, 0, NULL);
			if (!probe) {
				fprintf(warn,
					"%s: warning: the last line is cut short, skipped\n",
					where);
				break;
			}
			json_decref(probe);
		}
		if (take_line(line, (size_t)len, where, fn, arg, err)) {
			objects = -1;
			break;
		}
		objects++;
		errno = 0;
	}
	if (objects >= 0 && ferror(in))
		objects = bench_fail(err, EXIT_FAIL, "cannot read %s: %s", path,
				     strerror(errno));
	free(line);
	if (in != stdin)
		fclose(in);
	return objects;
}
