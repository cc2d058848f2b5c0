// SPDX-License-Identifier: GPL-2.0
/*
 * Puts the lines of reclaim-bench, mkdir-bench and a stress run together:
 * tables, demo.json and a plot.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jsonl.h"
#include "plot.h"
#include "report.h"

static const char usage[] =
"Usage: demo-report [OPTION]... FILE...\n"
"Reads JSON lines of reclaim-bench and mkdir-bench (\"-\" is standard input),\n"
"prints tables, and writes demo.json, demo.gp with its data, and, where gnuplot\n"
"is installed, demo.svg.\n"
"\n"
"  --out DIR       folder for the files, made when missing (.)\n"
"  --control NAME  the arm that the others are compared with (control)\n"
"  --no-plot       write demo.json only\n"
"  --help          this text\n"
"\n"
"A line's \"kind\" is reclaim, mkdir, environment, or stress: the latter has an\n"
"\"arm\" and any numbers, of which the mean over the lines of an arm is shown.\n"
"Lines are compared when \"run\" and \"round\" are the same.  A ratio is the\n"
"geometric mean over the rounds, with a 95 % t interval of its logarithm from 3\n"
"rounds on.  A last line that is cut short is skipped with a warning.\n"
"Exit code: 0 done, 1 a bad line or a file that cannot be read or written, 2 usage.\n";

static int write_json(const json_t *demo, const char *dir, struct bench_error *err)
{
	char path[4096], temp[4096];
	bool bad;
	FILE *out;

	if (path_format(path, sizeof(path), "%s/demo.json", dir) ||
	    path_format(temp, sizeof(temp), "%s/.demo.json.%ld", dir, (long)getpid()))
		return bench_fail(err, EXIT_FAIL, "%s: path too long", dir);
	/* renamed when whole: a reader never sees half of it */
	out = fopen(temp, "we");
	if (!out)
		return bench_fail(err, EXIT_FAIL, "cannot write %s: %s", temp,
				  strerror(errno));
	bad = json_dumpf(demo, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) ||
	      fputc('\n', out) == EOF;
	if (fclose(out) || bad || rename(temp, path)) {
		bench_fail(err, EXIT_FAIL, "cannot write %s: %s", path, strerror(errno));
		unlink(temp);
		return -1;
	}
	return 0;
}

static int make_report(struct report *report, char **files, const char *dir,
		       bool plot, struct bench_error *err)
{
	bool rendered = false;
	json_t *demo;
	int ret;

	for (; *files; files++) {
		if (jsonl_read(*files, report_add_line, report, stderr, err) < 0)
			return -1;
	}
	if (!json_array_size(report->reclaim) && !json_array_size(report->mkdir) &&
	    !json_array_size(report->stress))
		return bench_fail(err, EXIT_FAIL, "the files hold no result");
	if (mkdir(dir, 0777) && errno != EEXIST)
		return bench_fail(err, EXIT_FAIL, "cannot make %s: %s", dir,
				  strerror(errno));
	demo = report_evaluate(report, stderr);
	report_print(demo, stdout);
	ret = write_json(demo, dir, err);
	if (!ret && plot) {
		ret = plot_write(demo, dir, err);
		if (ret > 0)
			ret = plot_render(dir, &rendered, err);
		if (!ret && !rendered)
			fprintf(stderr, "demo-report: no plot: gnuplot is not installed (apt-get install gnuplot-nox), or nothing to draw\n");
	}
	json_decref(demo);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = bench_fail(err, EXIT_FAIL, "cannot write the tables");
	return ret;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "out", required_argument, NULL, 'o' },
		{ "control", required_argument, NULL, 'c' },
		{ "no-plot", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	const char *dir = ".", *control = "control";
	struct bench_error err = { 0 };
	struct report report;
	bool plot = true;
	int opt, code = 0;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'o':
			dir = optarg;
			break;
		case 'c':
			control = optarg;
			break;
		case 'n':
			plot = false;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs("demo-report: see --help\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind == argc) {
		fputs("demo-report: give at least one file, see --help\n", stderr);
		return EXIT_USAGE;
	}
	report_init(&report, control);
	if (make_report(&report, argv + optind, dir, plot, &err)) {
		fprintf(stderr, "demo-report: %s\n", err.text);
		code = err.code;
	}
	report_free(&report);
	return code;
}
