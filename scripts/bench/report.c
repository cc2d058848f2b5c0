// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interval.h"
#include "jsonl.h"
#include "report.h"
#include "stats.h"

#define CONFIDENCE	0.95

void report_init(struct report *report, const char *control)
{
	report->control = control;
	report->environments = json_array();
	report->reclaim = json_array();
	report->mkdir = json_array();
	report->stress = json_array();
}

void report_free(struct report *report)
{
	json_decref(report->environments);
	json_decref(report->reclaim);
	json_decref(report->mkdir);
	json_decref(report->stress);
}

/* what a member of a line must be */
struct member {
	const char *name;
	char type;	/* s: string, i: integer, n: number, N: number or null, O: object */
};

static int check_members(const json_t *object, const struct member *members,
			 struct bench_error *err)
{
	for (; members->name; members++) {
		json_t *value = json_object_get(object, members->name);
		bool ok = false;

		switch (members->type) {
		case 's':
			ok = json_is_string(value);
			break;
		case 'i':
			ok = json_is_integer(value) && json_integer_value(value) >= 0;
			break;
		case 'n':
			ok = json_is_number(value) && json_number_value(value) >= 0;
			break;
		case 'N':
			ok = json_is_null(value) ||
			     (json_is_number(value) && json_number_value(value) >= 0);
			break;
		case 'O':
			ok = json_is_object(value);
			break;
		}
		if (!ok)
			return bench_fail(err, EXIT_FAIL, "\"%s\" is %s", members->name,
					  value ? "of a wrong type or negative" : "missing");
	}
	return 0;
}

static int check_counters(const json_t *line, struct bench_error *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(line, "counters"), key, value) {
		if (!json_is_integer(value))
			return bench_fail(err, EXIT_FAIL,
					  "counter \"%s\" is not a whole number", key);
	}
	return 0;
}

static int check_latencies(const json_t *line, struct bench_error *err)
{
	const json_t *list = json_object_get(line, "latencies_ms");
	const json_t *bins = json_object_get(line, "latency_histogram");
	json_int_t requests = json_integer_value(json_object_get(line, "requests"));
	json_int_t sum = 0;
	json_t *value;
	size_t i;

	if (json_is_array(list)) {
		json_array_foreach(list, i, value) {
			if (!json_is_number(value))
				return bench_fail(err, EXIT_FAIL,
						  "latencies_ms has something that is not a number");
		}
		sum = (json_int_t)json_array_size(list);
	} else if (json_is_array(bins)) {
		json_array_foreach(bins, i, value) {
			json_int_t count = json_integer_value(json_array_get(value, 1));

			if (json_array_size(value) != 2 ||
			    !json_is_number(json_array_get(value, 0)) ||
			    count < 1 || count > requests - sum)
				return bench_fail(err, EXIT_FAIL,
						  "latency_histogram has something that is not [ms, count]");
			sum += count;
		}
	} else {
		return bench_fail(err, EXIT_FAIL,
				  "latencies_ms or latency_histogram is missing");
	}
	if (sum != requests)
		return bench_fail(err, EXIT_FAIL,
				  "latencies of %lld requests, but \"requests\" is %lld",
				  (long long)sum, (long long)requests);
	return 0;
}

static bool same(const json_t *a, const json_t *b, const char *const *keys)
{
	for (; *keys; keys++) {
		json_t *x = json_object_get(a, *keys), *y = json_object_get(b, *keys);

		if (x != y && !json_equal(x, y))
			return false;
	}
	return true;
}

/* lines with these the same belong to one row of a table */
static const char *const reclaim_group[] = {
	"arm", "memcgs", "workers", "requests_per_worker", "request", NULL
};
static const char *const mkdir_group[] = {
	"arm", "memcgs", "lru_gen", "lru_gen_set", NULL
};
static const char *const stress_group[] = { "arm", NULL };
/* and with these the same, two of them were run side by side */
static const char *const pair_keys[] = { "run", "round", NULL };

static const json_t *find(const json_t *lines, const json_t *like,
			  const char *const *group, const char *const *pair)
{
	json_t *line;
	size_t i;

	json_array_foreach(lines, i, line) {
		if (same(line, like, group) && (!pair || same(line, like, pair)))
			return line;
	}
	return NULL;
}

static int add_line(json_t *lines, json_t *object, const char *const *group,
		    struct bench_error *err)
{
	if (find(lines, object, group, pair_keys))
		return bench_fail(err, EXIT_FAIL,
				  "arm \"%s\" of round %lld of this run is there already",
				  json_string_value(json_object_get(object, "arm")),
				  (long long)json_integer_value(json_object_get(object, "round")));
	json_array_append(lines, object);
	return 0;
}

int report_add_line(json_t *object, const char *where, void *arg,
		    struct bench_error *err)
{
	static const struct member reclaim[] = {
		{ "run", 's' }, { "arm", 's' }, { "round", 'i' },
		{ "memcgs", 'i' }, { "workers", 'i' },
		{ "requests_per_worker", 'i' }, { "request", 's' },
		{ "requests", 'i' }, { "requests_cut_off", 'i' },
		{ "requests_per_s", 'N' }, { "cpu_system_seconds", 'N' },
		{ "ns_per_visit", 'N' }, { "visits_per_request", 'N' },
		{ "counters", 'O' }, { NULL, 0 }
	};
	static const struct member mkdir[] = {
		{ "run", 's' }, { "arm", 's' }, { "round", 'i' },
		{ "memcgs", 'i' }, { "lru_gen", 'N' }, { "mkdir_seconds", 'n' },
		{ "rmdir_seconds", 'n' }, { "counters", 'O' }, { NULL, 0 }
	};
	static const struct member stress[] = { { "arm", 's' }, { NULL, 0 } };
	const char *kind = json_string_value(json_object_get(object, "kind"));
	struct report *report = arg;

	(void)where;
	if (!strcmp(kind, "environment")) {
		json_array_append(report->environments, object);
		return 0;
	}
	if (!strcmp(kind, "reclaim")) {
		if (check_members(object, reclaim, err) ||
		    check_counters(object, err) || check_latencies(object, err))
			return -1;
		return add_line(report->reclaim, object, reclaim_group, err);
	}
	if (!strcmp(kind, "mkdir")) {
		if (check_members(object, mkdir, err) || check_counters(object, err))
			return -1;
		return add_line(report->mkdir, object, mkdir_group, err);
	}
	if (!strcmp(kind, "stress")) {
		if (check_members(object, stress, err))
			return -1;
		json_array_append(report->stress, object);
		return 0;
	}
	return bench_fail(err, EXIT_FAIL,
			  "kind \"%.40s\" is not reclaim, mkdir, stress or environment", kind);
}

static double number_of(const json_t *line, const char *key)
{
	json_t *value = json_object_get(line, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_of(const json_t *line, const char *key)
{
	const char *text = json_string_value(json_object_get(line, key));

	return text ? text : "";
}

/* rows in the order of the public table, others as they came */
static int arm_rank(const json_t *line, const char *control)
{
	static const char *const known[] = { "tail_cache", "skip_young", "resched", "all" };
	const char *arm = text_of(line, "arm");

	if (!strcmp(arm, control))
		return 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(arm, known[i]))
			return (int)i + 2;
	}
	return 1;
}

static int line_before(const json_t *a, const json_t *b, const char *control)
{
	static const char *const keys[] = { "workers", "memcgs", "lru_gen" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		double x = number_of(a, keys[i]), y = number_of(b, keys[i]);

		if (x != y && !isnan(x) && !isnan(y))
			return x < y;
	}
	return arm_rank(a, control) < arm_rank(b, control);
}

/* one line of each group, in the order of the tables */
static json_t *group_heads(const json_t *lines, const char *const *group,
			   const char *control)
{
	json_t *heads = json_array(), *line;
	size_t i, j;

	json_array_foreach(lines, i, line) {
		if (find(heads, line, group, NULL))
			continue;
		for (j = 0; j < json_array_size(heads); j++) {
			if (line_before(line, json_array_get(heads, j), control))
				break;
		}
		json_array_insert(heads, j, line);
	}
	return heads;
}

static json_t *ratio_json(const double *ratios, size_t count, const char *of,
			  size_t unpaired)
{
	struct ratio r;
	json_t *out = json_object();

	ratio_interval(ratios, count, CONFIDENCE, &r);
	json_object_set_new(out, "estimate", json_number(r.estimate));
	json_object_set_new(out, "low", json_number(r.low));
	json_object_set_new(out, "high", json_number(r.high));
	json_object_set_new(out, "pairs", json_integer((json_int_t)count));
	json_object_set_new(out, "of", json_string(of));
	if (isnan(r.estimate))
		json_object_set_new(out, "why_null",
				    json_string("no round that has a control run too"));
	else if (isnan(r.low))
		json_object_set_new(out, "why_null",
				    json_sprintf("an interval needs %d rounds",
						 INTERVAL_MIN_ROUNDS));
	if (unpaired)
		json_object_set_new(out, "rounds_without_control",
				    json_integer((json_int_t)unpaired));
	return out;
}

/*
 * The ratios of a group's rounds to the control arm's.  With @inverse the
 * control's value is on top, for values where less is better.
 */
static json_t *group_ratio(const json_t *lines, const json_t *head,
			   const char *const *group, const char *control,
			   const char *key, bool inverse, const char *of)
{
	double *ratios = calloc(json_array_size(lines), sizeof(*ratios));
	size_t count = 0, unpaired = 0, i;
	json_t *line, *result;

	json_array_foreach(lines, i, line) {
		json_t *like;
		const json_t *base;
		double x, y;

		if (!same(line, head, group))
			continue;
		like = json_copy(line);
		json_object_set_new(like, "arm", json_string(control));
		base = find(lines, like, group, pair_keys);
		json_decref(like);
		x = number_of(line, key);
		y = base ? number_of(base, key) : NAN;
		if (ratios && x > 0 && y > 0)
			ratios[count++] = inverse ? y / x : x / y;
		else
			unpaired++;
	}
	result = ratio_json(ratios, count, of, unpaired);
	free(ratios);
	return result;
}

static void add_counters(json_t *sum, const json_t *line)
{
	json_t *value, *old;
	const char *key;

	json_object_foreach(json_object_get(line, "counters"), key, value) {
		old = json_object_get(sum, key);
		json_object_set_new(sum, key,
				    json_integer(json_integer_value(value) +
						 json_integer_value(old)));
	}
}

static size_t add_latencies(const json_t *line, double *values)
{
	json_t *list = json_object_get(line, "latencies_ms"), *value;
	size_t n = 0, i;

	if (json_is_array(list)) {
		json_array_foreach(list, i, value)
			values[n++] = json_number_value(value);
		return n;
	}
	json_array_foreach(json_object_get(line, "latency_histogram"), i, value) {
		json_int_t count = json_integer_value(json_array_get(value, 1));

		while (count-- > 0)
			values[n++] = json_number_value(json_array_get(value, 0));
	}
	return n;
}

static json_t *evaluate_arm(const struct report *report, const json_t *head,
			    FILE *warn)
{
	json_t *arm = json_object(), *counters = json_object(), *line;
	double rate = 0, visits = 0, cpu = 0, *latencies;
	json_int_t requests = 0, cut_off = 0;
	size_t rounds = 0, n = 0, i;
	struct summary ms;

	json_array_foreach(report->reclaim, i, line) {
		if (same(line, head, reclaim_group))
			requests += json_integer_value(json_object_get(line, "requests"));
	}
	latencies = calloc((size_t)requests + 1, sizeof(*latencies));
	if (!latencies) {
		fprintf(warn, "no memory for %lld latencies\n", (long long)requests);
		abort();
	}
	json_array_foreach(report->reclaim, i, line) {
		json_t *visit;

		if (!same(line, head, reclaim_group))
			continue;
		rounds++;
		rate += number_of(line, "requests_per_s");
		/* one round without the counter makes the whole unknown */
		visit = json_object_get(json_object_get(line, "counters"),
					"lru_gen_memcg_visit");
		visits += visit ? (double)json_integer_value(visit) : NAN;
		cpu += number_of(line, "cpu_system_seconds");
		cut_off += json_integer_value(json_object_get(line, "requests_cut_off"));
		add_counters(counters, line);
		n += add_latencies(line, latencies + n);
	}
	summarise(latencies, n, &ms);
	free(latencies);
	if (cut_off)
		fprintf(warn, "warning: arm %s: %lld requests were cut off by the hard cap, its figures are too good\n",
			text_of(head, "arm"), (long long)cut_off);

	json_object_set(arm, "name", json_object_get(head, "arm"));
	json_object_set(arm, "memcgs", json_object_get(head, "memcgs"));
	json_object_set(arm, "workers", json_object_get(head, "workers"));
	json_object_set(arm, "requests_per_worker",
			json_object_get(head, "requests_per_worker"));
	json_object_set(arm, "request", json_object_get(head, "request"));
	json_object_set_new(arm, "rounds", json_integer((json_int_t)rounds));
	json_object_set_new(arm, "requests", json_integer(requests));
	json_object_set_new(arm, "requests_cut_off", json_integer(cut_off));
	json_object_set_new(arm, "requests_per_s", json_number(rate / (double)rounds));
	json_object_set_new(arm, "visits_per_request",
			    json_number(requests && !cut_off ?
					visits / (double)requests : NAN));
	json_object_set_new(arm, "ns_per_visit",
			    json_number(visits > 0 ? cpu * 1e9 / visits : NAN));
	json_object_set_new(arm, "mean_ms", json_number(ms.mean));
	json_object_set_new(arm, "p50_ms", json_number(ms.p50));
	json_object_set_new(arm, "p99_ms", json_number(ms.p99));
	json_object_set_new(arm, "max_ms", json_number(ms.max));
	json_object_set_new(arm, "ratio",
			    group_ratio(report->reclaim, head, reclaim_group,
					report->control, "requests_per_s", false,
					"requests_per_s / control's"));
	json_object_set_new(arm, "counters", counters);
	return arm;
}

static json_t *evaluate_mkdir(const struct report *report, const json_t *head)
{
	json_t *row = json_object(), *counters = json_object(), *line;
	double seconds = 0, rmdir_seconds = 0;
	size_t rounds = 0, i;

	json_array_foreach(report->mkdir, i, line) {
		if (!same(line, head, mkdir_group))
			continue;
		rounds++;
		seconds += number_of(line, "mkdir_seconds");
		rmdir_seconds += number_of(line, "rmdir_seconds");
		add_counters(counters, line);
	}
	json_object_set(row, "arm", json_object_get(head, "arm"));
	json_object_set(row, "memcgs", json_object_get(head, "memcgs"));
	json_object_set(row, "lru_gen", json_object_get(head, "lru_gen"));
	json_object_set(row, "lru_gen_set", json_object_get(head, "lru_gen_set"));
	json_object_set_new(row, "rounds", json_integer((json_int_t)rounds));
	json_object_set_new(row, "seconds", json_number(seconds / (double)rounds));
	json_object_set_new(row, "rmdir_seconds",
			    json_number(rmdir_seconds / (double)rounds));
	json_object_set_new(row, "ratio",
			    group_ratio(report->mkdir, head, mkdir_group,
					report->control, "mkdir_seconds", true,
					"control's mkdir seconds / seconds"));
	json_object_set_new(row, "rmdir_ratio",
			    group_ratio(report->mkdir, head, mkdir_group,
					report->control, "rmdir_seconds", true,
					"control's rmdir seconds / seconds"));
	json_object_set_new(row, "counters", counters);
	return row;
}

static bool is_metric(const char *key, const json_t *value)
{
	static const char *const others[] = { "round", "position", "seed" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(key, others[i]))
			return false;
	}
	return json_is_number(value);
}

/* the mean of each metric over the rounds that have it */
static json_t *evaluate_stress(const struct report *report, const json_t *head)
{
	json_t *row = json_object(), *line, *value;
	size_t rounds = 0, i;
	const char *key;

	json_object_set(row, "arm", json_object_get(head, "arm"));
	json_array_foreach(report->stress, i, line)
		rounds += same(line, head, stress_group);
	json_object_set_new(row, "rounds", json_integer((json_int_t)rounds));
	json_array_foreach(report->stress, i, line) {
		if (!same(line, head, stress_group))
			continue;
		json_object_foreach(line, key, value) {
			double sum = 0;
			size_t n = 0, j;
			json_t *other;

			if (!is_metric(key, value) || json_object_get(row, key))
				continue;
			json_array_foreach(report->stress, j, other) {
				double x = number_of(other, key);

				if (!same(other, head, stress_group) || isnan(x))
					continue;
				sum += x;
				n++;
			}
			json_object_set_new(row, key, json_number(sum / (double)n));
		}
	}
	return row;
}

json_t *report_evaluate(const struct report *report, FILE *warn)
{
	json_t *demo = json_object(), *rows, *heads, *head;
	json_t *environment = json_array_get(report->environments, 0);
	size_t i;

	environment = environment ? json_deep_copy(environment) : json_object();
	json_object_del(environment, "kind");
	json_object_set_new(demo, "environment", environment);
	/* one object for each boot, where there were several */
	if (json_array_size(report->environments) > 1)
		json_object_set(demo, "environments", report->environments);
	json_object_set_new(demo, "control", json_string(report->control));
	json_object_set_new(demo, "confidence", json_real(CONFIDENCE));

	rows = json_array();
	heads = group_heads(report->reclaim, reclaim_group, report->control);
	json_array_foreach(heads, i, head)
		json_array_append_new(rows, evaluate_arm(report, head, warn));
	json_object_set_new(demo, "arms", rows);
	json_decref(heads);

	rows = json_array();
	heads = group_heads(report->mkdir, mkdir_group, report->control);
	json_array_foreach(heads, i, head)
		json_array_append_new(rows, evaluate_mkdir(report, head));
	json_object_set_new(demo, "mkdir", rows);
	json_decref(heads);

	rows = json_array();
	heads = group_heads(report->stress, stress_group, report->control);
	json_array_foreach(heads, i, head)
		json_array_append_new(rows, evaluate_stress(report, head));
	json_object_set_new(demo, "stress", rows);
	json_decref(heads);
	return demo;
}

/* a table whose columns are as wide as their widest cell */
#define COLUMNS	16
#define CELL	48

struct table {
	size_t columns, rows, size;
	char (*cells)[COLUMNS][CELL];
};

static void table_row(struct table *t)
{
	if (t->rows == t->size) {
		t->size = t->size ? t->size * 2 : 16;
		t->cells = realloc(t->cells, t->size * sizeof(*t->cells));
		if (!t->cells)
			abort();
	}
	memset(t->cells[t->rows], 0, sizeof(*t->cells));
	t->rows++;
	t->columns = t->rows == 1 ? 0 : t->columns;
}

static void cell(struct table *t, size_t column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void cell(struct table *t, size_t column, const char *fmt, ...)
{
	va_list ap;

	if (column >= COLUMNS)
		return;
	va_start(ap, fmt);
	vsnprintf(t->cells[t->rows - 1][column], CELL, fmt, ap);
	va_end(ap);
	if (column >= t->columns)
		t->columns = column + 1;
}

static void cell_number(struct table *t, size_t column, const json_t *row,
			const char *key, int digits)
{
	double value = number_of(row, key);

	if (isnan(value))
		cell(t, column, "-");
	else
		cell(t, column, "%.*f", digits, value);
}

static void cell_ratio(struct table *t, size_t column, const json_t *row,
		       const char *key)
{
	const json_t *ratio = json_object_get(row, key);
	double x = number_of(ratio, "estimate");

	if (isnan(x))
		cell(t, column, "-");
	else if (isnan(number_of(ratio, "low")))
		cell(t, column, "%.2f [-, -]", x);
	else
		cell(t, column, "%.2f [%.2f, %.2f]", x, number_of(ratio, "low"),
		     number_of(ratio, "high"));
}

static void table_print(struct table *t, FILE *out)
{
	for (size_t r = 0; r < t->rows; r++) {
		for (size_t c = 0; c < t->columns; c++) {
			size_t width = 0;

			for (size_t i = 0; i < t->rows; i++) {
				size_t len = strlen(t->cells[i][c]);

				width = len > width ? len : width;
			}
			/* names to the left, numbers to the right */
			if (c)
				fprintf(out, "  %*s", (int)width, t->cells[r][c]);
			else
				fprintf(out, "  %-*s", (int)width, t->cells[r][c]);
		}
		fputc('\n', out);
	}
	free(t->cells);
}

static void print_arms(const json_t *arms, FILE *out)
{
	static const char *const heads[] = {
		"arm", "memcgs", "req/s", "ratio [low, high]", "visits/request",
		"ns/visit", "mean ms", "p50 ms", "p99 ms", "max ms", "rounds",
	};
	struct table t = { 0 };
	json_t *arm;
	size_t i;

	fprintf(out, "Reclaim requests to the root, %lld workers (ratio: to control's req/s)\n",
		(long long)json_integer_value(json_object_get(json_array_get(arms, 0),
							      "workers")));
	table_row(&t);
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		cell(&t, i, "%s", heads[i]);
	json_array_foreach(arms, i, arm) {
		table_row(&t);
		cell(&t, 0, "%s", text_of(arm, "name"));
		cell_number(&t, 1, arm, "memcgs", 0);
		cell_number(&t, 2, arm, "requests_per_s", 2);
		cell_ratio(&t, 3, arm, "ratio");
		cell_number(&t, 4, arm, "visits_per_request", 0);
		cell_number(&t, 5, arm, "ns_per_visit", 0);
		cell_number(&t, 6, arm, "mean_ms", 1);
		cell_number(&t, 7, arm, "p50_ms", 1);
		cell_number(&t, 8, arm, "p99_ms", 1);
		cell_number(&t, 9, arm, "max_ms", 1);
		cell_number(&t, 10, arm, "rounds", 0);
	}
	table_print(&t, out);
}

static void print_mkdir(const json_t *rows, FILE *out)
{
	static const char *const heads[] = {
		"arm", "memcgs", "lru_gen", "mkdir s", "times as fast [low, high]",
		"rmdir s", "times as fast [low, high]", "rounds",
	};
	struct table t = { 0 };
	json_t *row;
	size_t i;

	fprintf(out, "mkdir and rmdir of memory cgroups (times as fast as control)\n");
	table_row(&t);
	for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		cell(&t, i, "%s", heads[i]);
	json_array_foreach(rows, i, row) {
		table_row(&t);
		cell(&t, 0, "%s", text_of(row, "arm"));
		cell_number(&t, 1, row, "memcgs", 0);
		cell_number(&t, 2, row, "lru_gen", 0);
		cell_number(&t, 3, row, "seconds", 3);
		cell_ratio(&t, 4, row, "ratio");
		cell_number(&t, 5, row, "rmdir_seconds", 3);
		cell_ratio(&t, 6, row, "rmdir_ratio");
		cell_number(&t, 7, row, "rounds", 0);
	}
	table_print(&t, out);
}

static void print_stress(const json_t *rows, FILE *out)
{
	const json_t *first = json_array_get(rows, 0);
	struct table t = { 0 };
	json_t *row, *value;
	const char *key;
	size_t i, c = 1;

	fprintf(out, "Reclaim under memory pressure\n");
	table_row(&t);
	cell(&t, 0, "arm");
	json_object_foreach((json_t *)first, key, value) {
		if (strcmp(key, "arm"))
			cell(&t, c++, "%s", key);
	}
	json_array_foreach(rows, i, row) {
		table_row(&t);
		cell(&t, 0, "%s", text_of(row, "arm"));
		c = 1;
		json_object_foreach((json_t *)first, key, value) {
			double x = number_of(row, key);

			if (!strcmp(key, "arm"))
				continue;
			cell_number(&t, c++, row, key, x == floor(x) ? 0 : 3);
		}
	}
	table_print(&t, out);
}

void report_print(const json_t *demo, FILE *out)
{
	const json_t *arms = json_object_get(demo, "arms");
	const json_t *mkdir = json_object_get(demo, "mkdir");
	const json_t *stress = json_object_get(demo, "stress");
	const json_t *env = json_object_get(demo, "environment");

	if (json_object_size(env))
		fprintf(out, "Linux %s, %s, %.0f CPUs, preemption %s\n\n",
			text_of(env, "kernel"), text_of(env, "machine"),
			number_of(env, "cpus"), text_of(env, "preemption"));
	if (json_array_size(arms))
		print_arms(arms, out);
	if (json_array_size(arms) && json_array_size(mkdir))
		fputc('\n', out);
	if (json_array_size(mkdir))
		print_mkdir(mkdir, out);
	if (json_array_size(stress) &&
	    (json_array_size(mkdir) || json_array_size(arms)))
		fputc('\n', out);
	if (json_array_size(stress))
		print_stress(stress, out);
}
