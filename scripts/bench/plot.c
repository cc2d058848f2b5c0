// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plot.h"

static double number_of(const json_t *row, const char *key)
{
	json_t *value = json_object_get(row, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const json_t *control_row(const json_t *rows, const json_t *like,
				 const char *name_key, const char *control,
				 const char *const *keys)
{
	json_t *row;
	size_t i, k;

	json_array_foreach(rows, i, row) {
		const char *name = json_string_value(json_object_get(row, name_key));

		if (!name || strcmp(name, control))
			continue;
		for (k = 0; keys[k]; k++) {
			const json_t *x = json_object_get(row, keys[k]);
			const json_t *y = json_object_get(like, keys[k]);

			/* not there in both is the same too */
			if (x != y && !json_equal(x, y))
				break;
		}
		if (!keys[k])
			return row;
	}
	return NULL;
}

/* a label in gnuplot's data: quoted, without what it would interpret */
static void put_label(FILE *out, const char *name)
{
	fputc('"', out);
	for (; *name; name++) {
		if ((unsigned char)*name < ' ' || strchr("\"\\", *name))
			fputc(' ', out);
		else
			fputc(*name, out);
	}
}

/*
 * A row: label, value, low, high, text beside the bar.  The interval is that
 * of the ratio, scaled to the control arm's mean.
 */
static void put_row(FILE *out, double value, const json_t *ratio, double control,
		    bool inverse, int digits)
{
	double low = number_of(ratio, "low"), high = number_of(ratio, "high");
	double estimate = number_of(ratio, "estimate");

	if (isnan(low) || isnan(control)) {
		low = high = value;
	} else if (inverse) {
		double swap = control / high;

		high = control / low;
		low = swap;
	} else {
		low *= control;
		high *= control;
	}
	fprintf(out, "\" %.9g %.9g %.9g \"%.*f", value, low, high, digits, value);
	/* the control's ratio to itself is no news */
	if (!isnan(estimate) && value != control)
		fprintf(out, " (%.2fx)", estimate);
	fprintf(out, "\"\n");
}

static size_t put_arms(FILE *out, const json_t *demo)
{
	static const char *const keys[] = {
		"memcgs", "workers", "requests_per_worker", "request", NULL
	};
	const json_t *rows = json_object_get(demo, "arms");
	const char *control = json_string_value(json_object_get(demo, "control"));
	json_t *row;
	size_t i;

	fprintf(out, "# arm, requests per second, low, high, label\n");
	json_array_foreach(rows, i, row) {
		const json_t *base = control_row(rows, row, "name", control, keys);

		put_label(out, json_string_value(json_object_get(row, "name")));
		fprintf(out, ", N=%.0f", number_of(row, "memcgs"));
		put_row(out, number_of(row, "requests_per_s"),
			json_object_get(row, "ratio"),
			base ? number_of(base, "requests_per_s") : NAN, false, 2);
	}
	return i;
}

static size_t put_mkdir(FILE *out, const json_t *demo)
{
	static const char *const keys[] = { "memcgs", "lru_gen", "lru_gen_set", NULL };
	const json_t *rows = json_object_get(demo, "mkdir");
	const char *control = json_string_value(json_object_get(demo, "control"));
	json_t *row;
	size_t i;

	fprintf(out, "# arm, seconds, low, high, label\n");
	json_array_foreach(rows, i, row) {
		const json_t *base = control_row(rows, row, "arm", control, keys);
		double lru_gen = number_of(row, "lru_gen");

		put_label(out, json_string_value(json_object_get(row, "arm")));
		fprintf(out, ", N=%.0f", number_of(row, "memcgs"));
		if (!isnan(lru_gen))
			fprintf(out, ", lru_gen %s", lru_gen > 0 ? "on" : "off");
		put_row(out, number_of(row, "seconds"),
			json_object_get(row, "ratio"),
			base ? number_of(base, "seconds") : NAN, true, 2);
	}
	return i;
}

static int write_data(const json_t *demo, const char *dir, const char *name,
		      size_t (*put)(FILE *, const json_t *), size_t *count,
		      struct bench_error *err)
{
	char path[4096];
	bool bad;
	FILE *out;

	if (path_format(path, sizeof(path), "%s/%s", dir, name))
		return bench_fail(err, EXIT_FAIL, "%s: path too long", dir);
	out = fopen(path, "we");
	if (!out)
		return bench_fail(err, EXIT_FAIL, "cannot write %s: %s", path,
				  strerror(errno));
	*count = put(out, demo);
	bad = ferror(out);
	if (fclose(out) || bad)
		return bench_fail(err, EXIT_FAIL, "cannot write %s: %s", path,
				  strerror(errno));
	return 0;
}

static void put_chart(FILE *out, const char *file, const char *title,
		      const char *axis, size_t rows, const char *colour)
{
	fprintf(out,
		"\n"
		/* stats leaves out what the chart before has set as out of range */
		"set xrange [*:*]\n"
		"set yrange [*:*]\n"
		"stats '%s' using 4 nooutput\n"
		"set title '%s'\n"
		"set xlabel '%s'\n"
		"set xrange [0:STATS_max * 1.35]\n"
		"set yrange [%zu.6:-0.6]\n"
		"plot '%s' using (0):0:(0):2:($0 - 0.32):($0 + 0.32):ytic(1) with boxxyerror linecolor rgb '%s' notitle, \\\n"
		"     '' using 2:0:3:4 with xerrorbars pointtype 0 linewidth 1.5 linecolor rgb '#222222' notitle, \\\n"
		"     '' using 4:0:5 with labels left offset 1,0 notitle\n",
		file, title, axis, rows - 1, file, colour);
}

int plot_write(const json_t *demo, const char *dir, struct bench_error *err)
{
	size_t arms, mkdirs, charts;
	char path[4096];
	bool bad;
	FILE *out;

	if (write_data(demo, dir, "demo-arms.dat", put_arms, &arms, err) ||
	    write_data(demo, dir, "demo-mkdir.dat", put_mkdir, &mkdirs, err))
		return -1;
	charts = (arms > 0) + (mkdirs > 0);
	if (!charts)
		return 0;
	if (path_format(path, sizeof(path), "%s/demo.gp", dir))
		return bench_fail(err, EXIT_FAIL, "%s: path too long", dir);
	out = fopen(path, "we");
	if (!out)
		return bench_fail(err, EXIT_FAIL, "cannot write %s: %s", path,
				  strerror(errno));
	fprintf(out,
		"# gnuplot demo.gp, in this folder, draws demo.svg\n"
		"set terminal svg size 900,%zu font 'sans-serif,13' noenhanced background rgb 'white'\n"
		"set output 'demo.svg'\n"
		"set multiplot layout %zu,1\n"
		"set style fill solid 0.85 noborder\n"
		"set lmargin 34\n"
		"set border 3\n"
		"set tics nomirror out\n"
		"set grid xtics linecolor rgb '#dddddd'\n",
		charts * 110 + (arms + mkdirs) * 38, charts);
	if (arms)
		put_chart(out, "demo-arms.dat",
			  "Reclaim requests to the root: more is better",
			  "requests per second (whiskers: 95 % interval)", arms, "#3a78b5");
	if (mkdirs)
		put_chart(out, "demo-mkdir.dat",
			  "mkdir of memory cgroups: less is better",
			  "seconds (in brackets: times as fast as control)", mkdirs, "#b5703a");
	fprintf(out, "\nunset multiplot\n");
	bad = ferror(out);
	if (fclose(out) || bad)
		return bench_fail(err, EXIT_FAIL, "cannot write %s: %s", path,
				  strerror(errno));
	return 1;
}

int plot_render(const char *dir, bool *rendered, struct bench_error *err)
{
	int status;
	pid_t pid;

	*rendered = false;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return bench_fail(err, EXIT_FAIL, "fork: %s", strerror(errno));
	if (!pid) {
		if (chdir(dir))
			_exit(126);
		execlp("gnuplot", "gnuplot", "demo.gp", (char *)NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (waitpid(pid, &status, 0) < 0)
		return bench_fail(err, EXIT_FAIL, "waitpid: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return bench_fail(err, EXIT_FAIL, "gnuplot failed on %s/demo.gp", dir);
	*rendered = true;
	return 0;
}
