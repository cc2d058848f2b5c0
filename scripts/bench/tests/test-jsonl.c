// SPDX-License-Identifier: GPL-2.0
#include <locale.h>

#include "jsonl.h"
#include "tap.h"
#include "tmpdir.h"

static int collect(json_t *object, const char *where, void *arg, struct bench_error *err)
{
	(void)where;
	if (json_object_get(object, "refuse"))
		return bench_fail(err, EXIT_FAIL, "refused it");
	json_array_append(arg, object);
	return 0;
}

static long take(const char *dir, const char *text, json_t *out, char *warning,
		 size_t size, struct bench_error *err)
{
	char path[600];
	FILE *warn = fmemopen(warning, size, "w");
	long n;

	memset(err, 0, sizeof(*err));
	memset(warning, 0, size);
	json_array_clear(out);
	tmpdir_put(dir, "in.jsonl", text);
	snprintf(path, sizeof(path), "%s/in.jsonl", dir);
	n = jsonl_read(path, collect, out, warn, err);
	fclose(warn);
	return n;
}

static void round_trip(struct tap *t, const char *dir)
{
	json_t *in = json_pack("{s:s,s:f,s:f,s:I,s:o,s:o,s:s}", "kind", "x", "half", 0.5,
			       "big", 123456789.25, "count", (json_int_t)1 << 53,
			       "nan", json_number(NAN), "inf", json_number(INFINITY),
			       "text", "Gr\xc3\xbc\xc3\x9f\x65 \"\n");
	static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE" };
	json_t *out = json_array();
	struct bench_error err;
	char path[600], buf[1024], warning[256];
	const char *comma = NULL;
	FILE *file;

	/* a locale with a decimal comma, where one is installed */
	for (size_t i = 0; !comma && i < sizeof(locales) / sizeof(locales[0]); i++)
		comma = setlocale(LC_ALL, locales[i]);
	snprintf(path, sizeof(path), "%s/in.jsonl", dir);
	file = fopen(path, "w");
	ok(t, !jsonl_write(file, in, &err) && !jsonl_write(file, in, &err), "write two lines");
	fclose(file);
	tmpdir_get(dir, "in.jsonl", buf, sizeof(buf));
	if (comma)
		ok_text(t, buf, "\"half\":0.5", "a decimal point in a locale with a comma");
	else
		tap_skip(t, "a decimal point in a locale with a comma", "no such locale is installed");
	ok(t, jsonl_read(path, collect, out, stderr, &err) == 2, "read them back");
	setlocale(LC_ALL, "C");
	ok(t, json_is_null(json_object_get(json_array_get(out, 1), "nan")) &&
	      json_is_null(json_object_get(json_array_get(out, 1), "inf")),
	   "what is no number is null");
	ok_near(t, json_real_value(json_object_get(json_array_get(out, 1), "big")),
		123456789, 0.3, "nine digits are kept");
	json_object_set_new(in, "big", json_real(123456789.0));
	json_object_set_new(json_array_get(out, 0), "big", json_real(123456789.0));
	ok(t, json_equal(in, json_array_get(out, 0)), "all else is equal");
	ok(t, take(dir, "", out, warning, sizeof(warning), &err) == 0, "an empty file");
	file = fopen("/dev/full", "w");
	ok(t, jsonl_write(file, in, &err) && err.code == EXIT_FAIL, "no space is told");
	fclose(file);
	json_decref(in);
	json_decref(out);
}

static void broken(struct tap *t, const char *dir)
{
	json_t *out = json_array();
	char warning[1024];
	struct bench_error err;

	ok(t, take(dir, "{\"kind\":\"a\"}\n\n \r\n{\"kind\":\"b\"}\r\n", out, warning,
		   sizeof(warning), &err) == 2, "blank lines and carriage returns");
	ok(t, take(dir, "{\"kind\":\"a\"}\n{\"kind\":\"b\"}", out, warning,
		   sizeof(warning), &err) == 2 && !*warning,
	   "a last line that is whole but has no newline");
	ok(t, take(dir, "{\"kind\":\"a\"}\n{\"kind\":\"b\",\"x\":[1,", out, warning,
		   sizeof(warning), &err) == 1, "a last line that is cut short is skipped");
	ok_text(t, warning, "in.jsonl:2: warning", "with a warning that names the line");
	ok(t, take(dir, "{\"kind\":\"a\"}\n{\"kind\":\"b\",\n", out, warning,
		   sizeof(warning), &err) == -1 && err.code == EXIT_FAIL,
	   "a bad last line with a newline was not cut short");
	ok_text(t, err.text, "in.jsonl:2:", "the message names file and line");
	ok(t, take(dir, "{\"kind\":\"a\"}\n[   1.0] kernel says\n{\"kind\":\"b\"}\n", out,
		   warning, sizeof(warning), &err) == -1, "a line in the middle that is not JSON");
	ok_text(t, err.text, "in.jsonl:2:", "the message names it");
	ok(t, take(dir, "{\"kin\":\"a\"}\n", out, warning, sizeof(warning), &err) == -1 &&
	      strstr(err.text, "in.jsonl:1:"), "no kind");
	ok(t, take(dir, "{\"kind\":5}\n", out, warning, sizeof(warning), &err) == -1,
	   "a kind that is no string");
	ok(t, take(dir, "[1]\n", out, warning, sizeof(warning), &err) == -1, "not an object");
	ok(t, take(dir, "{\"kind\":\"a\",\"kind\":\"b\"}\n", out, warning,
		   sizeof(warning), &err) == -1, "a member twice");
	ok(t, take(dir, "{\"kind\":\"a\"}\n{\"kind\":\"a\",\"refuse\":1}\n", out, warning,
		   sizeof(warning), &err) == -1, "a line that the reader refuses");
	ok_text(t, err.text, "in.jsonl:2: refused it", "the message names line and reason");
	ok(t, jsonl_read("/nonexistent/x", collect, out, stderr, &err) == -1 &&
	      strstr(err.text, "/nonexistent/x"), "a file that is not there");
	ok(t, jsonl_read("/", collect, out, stderr, &err) == -1, "a folder");
	json_decref(out);
}

int main(void)
{
	struct tap t = { 0 };
	char dir[512];

	tmpdir_make(dir, sizeof(dir));
	round_trip(&t, dir);
	broken(&t, dir);
	tmpdir_remove(dir);
	return tap_end(&t);
}
