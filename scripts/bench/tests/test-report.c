// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "report.h"
#include "tap.h"

/* a line of reclaim-bench with four requests of about @ms */
static json_t *reclaim(const char *run, const char *arm, int round, int memcgs,
		       double rate, double ms, int visits)
{
	return json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:s,s:i,s:i,s:f,s:f,s:n,s:n,s:{s:i,s:i},s:[f,f,f,f]}",
			 "kind", "reclaim", "run", run, "arm", arm, "round", round,
			 "memcgs", memcgs, "workers", 2, "requests_per_worker", 2,
			 "request", "1024M swappiness=0", "requests", 4,
			 "requests_cut_off", 0, "requests_per_s", rate,
			 "cpu_system_seconds", 0.5, "ns_per_visit", "visits_per_request",
			 "counters", "lru_gen_memcg_visit", visits, "lru_gen_memcg_rotate", 10,
			 "latencies_ms", ms, ms + 1, ms + 2, ms + 3);
}

static json_t *mkdir_line(const char *arm, int round, int lru_gen, double seconds)
{
	return json_pack("{s:s,s:s,s:s,s:i,s:i,s:i,s:f,s:f,s:{}}",
			 "kind", "mkdir", "run", "r", "arm", arm, "round", round,
			 "memcgs", 1000, "lru_gen", lru_gen, "mkdir_seconds", seconds,
			 "rmdir_seconds", 2.0, "counters");
}

static int add(struct report *r, json_t *line, struct bench_error *err)
{
	int ret;

	if (!line) {
		printf("Bail out! a fixture is broken\n");
		exit(1);
	}
	ret = report_add_line(line, "x:1", r, err);
	json_decref(line);
	return ret;
}

static const json_t *row(const json_t *demo, const char *list, size_t i)
{
	return json_array_get(json_object_get(demo, list), i);
}

static double num(const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static bool is_text(const json_t *object, const char *key, const char *want)
{
	const char *got = json_string_value(json_object_get(object, key));

	return got && !strcmp(got, want);
}

static void figures(struct tap *t)
{
	char warnings[2048] = "", tables[8192] = "";
	struct bench_error err = { 0 };
	const json_t *a, *ratio;
	struct report r;
	json_t *demo;
	FILE *out;
	int bad = 0;

	report_init(&r, "control");
	/* arms out of order, as a shuffled run writes them; ratios 2, 1 and 4 */
	bad |= add(&r, json_pack("{s:s,s:s}", "kind", "environment", "kernel", "7.3"), &err);
	bad |= add(&r, reclaim("r", "resched", 1, 100, 4, 10, 1000), &err);
	bad |= add(&r, reclaim("r", "control", 1, 100, 2, 100, 2000), &err);
	bad |= add(&r, reclaim("r", "control", 2, 100, 4, 100, 2000), &err);
	bad |= add(&r, reclaim("r", "resched", 2, 100, 4, 20, 1000), &err);
	bad |= add(&r, reclaim("r", "tail_cache", 2, 100, 8, 20, 1000), &err);
	bad |= add(&r, reclaim("r", "resched", 3, 100, 8, 30, 1000), &err);
	bad |= add(&r, reclaim("r", "control", 3, 100, 2, 100, 2000), &err);
	/* another N, another run: no control of theirs */
	bad |= add(&r, reclaim("r", "resched", 1, 200, 5, 10, 1000), &err);
	bad |= add(&r, reclaim("s", "tail_cache", 1, 100, 1, 20, 1000), &err);
	bad |= add(&r, mkdir_line("all", 1, 7, 1), &err);
	bad |= add(&r, mkdir_line("control", 1, 7, 3), &err);
	bad |= add(&r, mkdir_line("all", 1, 0, 1), &err);
	bad |= add(&r, mkdir_line("control", 1, 0, 4), &err);
	bad |= add(&r, mkdir_line("control", 2, 0, 4), &err);
	bad |= add(&r, mkdir_line("all", 2, 0, 1), &err);
	bad |= add(&r, json_pack("{s:s,s:s,s:i,s:f,s:i}", "kind", "stress", "arm", "all",
				 "round", 1, "ops", 10.0, "oom", 0), &err);
	bad |= add(&r, json_pack("{s:s,s:s,s:i,s:f}", "kind", "stress", "arm", "all",
				 "round", 2, "ops", 20.0), &err);
	ok(t, !bad, "all lines are taken");
	out = fmemopen(warnings, sizeof(warnings), "w");
	demo = report_evaluate(&r, out);
	fclose(out);
	ok(t, !*warnings, "no warning");

	ok(t, is_text(json_object_get(demo, "environment"), "kernel", "7.3") &&
	      !json_object_get(demo, "environments"), "environment");
	ok(t, json_array_size(json_object_get(demo, "arms")) == 4, "four rows");
	ok(t, is_text(row(demo, "arms", 0), "name", "control") &&
	      is_text(row(demo, "arms", 1), "name", "tail_cache") &&
	      is_text(row(demo, "arms", 2), "name", "resched") &&
	      num(row(demo, "arms", 3), "memcgs") == 200,
	   "in the order of the table, by N first");

	a = row(demo, "arms", 0);
	ok_near(t, num(a, "requests_per_s"), 8.0 / 3, 1e-9, "mean of the rounds' req/s");
	ok_near(t, num(a, "rounds"), 3, 0, "rounds");
	ok_near(t, num(a, "visits_per_request"), 500, 1e-9, "visits per request");
	ok_near(t, num(a, "ns_per_visit"), 1.5e9 / 6000, 1e-6, "ns per visit");
	ok_near(t, num(json_object_get(a, "counters"), "lru_gen_memcg_rotate"), 30, 0,
		"counters are summed");
	ratio = json_object_get(a, "ratio");
	ok(t, num(ratio, "estimate") == 1 && num(ratio, "low") == 1 && num(ratio, "high") == 1,
	   "control's ratio to itself");

	a = row(demo, "arms", 2);
	/* latencies 10..13, 20..23, 30..33 */
	ok_near(t, num(a, "p50_ms"), 21, 1e-9, "p50 of the pooled latencies");
	ok_near(t, num(a, "mean_ms"), 21.5, 1e-9, "mean of the pooled latencies");
	ok_near(t, num(a, "max_ms"), 33, 1e-9, "maximum of the pooled latencies");
	ok(t, json_is_null(json_object_get(a, "p99_ms")), "p99 is null below 100 requests");
	ratio = json_object_get(a, "ratio");
	ok_near(t, num(ratio, "estimate"), 2, 1e-9, "geometric mean of 2, 1, 4");
	ok_near(t, num(ratio, "low"), exp(log(2) * (1 - 4.302653 / sqrt(3))), 1e-6, "low");
	ok_near(t, num(ratio, "high"), exp(log(2) * (1 + 4.302653 / sqrt(3))), 1e-5, "high");

	ratio = json_object_get(row(demo, "arms", 1), "ratio");
	ok(t, num(ratio, "estimate") == 2 && num(ratio, "pairs") == 1 &&
	      num(ratio, "rounds_without_control") == 1 &&
	      json_is_null(json_object_get(ratio, "low")),
	   "one pair: no interval; the other run is not paired");
	ok_text(t, json_string_value(json_object_get(ratio, "why_null")), "3 rounds", "and says why");
	ratio = json_object_get(row(demo, "arms", 3), "ratio");
	ok(t, json_is_null(json_object_get(ratio, "estimate")), "no control at that N: no ratio");
	ok_text(t, json_string_value(json_object_get(ratio, "why_null")), "no round", "and says why");

	ok(t, json_array_size(json_object_get(demo, "mkdir")) == 4 &&
	      num(row(demo, "mkdir", 0), "lru_gen") == 0 &&
	      is_text(row(demo, "mkdir", 0), "arm", "control") &&
	      is_text(row(demo, "mkdir", 3), "arm", "all") &&
	      num(row(demo, "mkdir", 3), "lru_gen") == 7, "mkdir rows by lru_gen and arm");
	a = row(demo, "mkdir", 1);
	ok_near(t, num(a, "seconds"), 1, 1e-9, "mkdir seconds");
	ok_near(t, num(json_object_get(a, "ratio"), "estimate"), 4, 1e-9, "times as fast");
	ok_near(t, num(json_object_get(row(demo, "mkdir", 3), "ratio"), "estimate"), 3, 1e-9,
		"compared at the same lru_gen only");
	ok_near(t, num(json_object_get(a, "rmdir_ratio"), "estimate"), 1, 1e-9, "rmdir ratio");

	a = row(demo, "stress", 0);
	ok(t, json_array_size(json_object_get(demo, "stress")) == 1 && num(a, "rounds") == 2 &&
	      num(a, "ops") == 15 && num(a, "oom") == 0, "stress: means over who has the metric");

	out = fmemopen(tables, sizeof(tables), "w");
	report_print(demo, out);
	fclose(out);
	ok_text(t, tables, "2.00 [0.36, 11.19]", "the table has ratio and interval");
	ok_text(t, tables, "2.00 [-, -]", "and shows where there is no interval");
	ok_text(t, tables, "visits/request", "and its heads");
	json_decref(demo);
	report_free(&r);
}

static void pooled(struct tap *t)
{
	char warnings[1024] = "";
	struct bench_error err = { 0 };
	json_t *line, *demo;
	struct report r;
	FILE *warn;

	/* a histogram: 60 of 1 ms, 41 of 9 ms; p99 is known from 100 on */
	report_init(&r, "control");
	line = reclaim("r", "control", 1, 5, 1, 1, 7);
	json_object_del(line, "latencies_ms");
	json_object_set_new(line, "latency_histogram", json_pack("[[f,i],[f,i]]", 1.0, 60, 9.0, 41));
	json_object_set_new(line, "requests", json_integer(101));
	json_object_set_new(line, "requests_cut_off", json_integer(3));
	ok(t, !add(&r, line, &err), "a line with a histogram");
	line = reclaim("r", "tail_cache", 1, 5, 0, 1, 7);
	json_object_set_new(line, "cpu_system_seconds", json_null());
	json_object_del(json_object_get(line, "counters"), "lru_gen_memcg_visit");
	ok(t, !add(&r, line, &err), "a line without visits");
	warn = fmemopen(warnings, sizeof(warnings), "w");
	demo = report_evaluate(&r, warn);
	fclose(warn);
	ok_near(t, num(row(demo, "arms", 0), "p50_ms"), 1, 1e-9, "p50 of a histogram");
	ok_near(t, num(row(demo, "arms", 0), "p99_ms"), 9, 1e-9, "p99 of a histogram");
	ok_text(t, warnings, "control: 3 requests were cut off", "cut requests are told");
	ok(t, json_is_null(json_object_get(row(demo, "arms", 0), "visits_per_request")),
	   "and make visits per request unknown");
	ok(t, json_is_null(json_object_get(row(demo, "arms", 1), "visits_per_request")) &&
	      json_is_null(json_object_get(row(demo, "arms", 1), "ns_per_visit")),
	   "no counter: visits are null");
	ok(t, json_is_null(json_object_get(json_object_get(row(demo, "arms", 1), "ratio"),
					   "estimate")), "no request a second: no ratio");
	json_decref(demo);
	report_free(&r);
}

static void refused(struct tap *t, const char *member, json_t *value, const char *want)
{
	json_t *line = reclaim("r", "control", 1, 5, 1, 1, 7);
	struct bench_error err = { 0 };
	struct report r;

	report_init(&r, "control");
	if (value)
		json_object_set_new(line, member, value);
	else
		json_object_del(line, member);
	ok(t, add(&r, line, &err) && err.code == EXIT_FAIL, "refused: %s", member);
	ok_text(t, err.text, want, "the message says what is wrong");
	ok(t, !json_array_size(r.reclaim), "the line is not taken");
	report_free(&r);
}

static void bad_lines(struct tap *t)
{
	struct bench_error err = { 0 };
	struct report r;

	refused(t, "arm", NULL, "\"arm\" is missing");
	refused(t, "round", json_real(1.5), "\"round\" is of a wrong type");
	refused(t, "memcgs", json_string("many"), "\"memcgs\" is of a wrong type");
	refused(t, "requests_per_s", json_real(-1), "\"requests_per_s\" is");
	refused(t, "counters", json_null(), "\"counters\" is of a wrong type");
	refused(t, "counters", json_pack("{s:s}", "x", "y"), "counter \"x\"");
	refused(t, "latencies_ms", NULL, "latencies_ms or latency_histogram is missing");
	refused(t, "latencies_ms", json_pack("[f]", 1.0), "latencies of 1 requests, but \"requests\" is 4");
	refused(t, "latencies_ms", json_pack("[f,f,s,f]", 1.0, 1.0, "x", 1.0), "not a number");
	refused(t, "kind", json_string("other"), "kind \"other\"");

	report_init(&r, "control");
	ok(t, !add(&r, reclaim("r", "control", 1, 5, 1, 1, 7), &err), "a first line");
	ok(t, add(&r, reclaim("r", "control", 1, 5, 1, 1, 7), &err), "the same again is refused");
	ok_text(t, err.text, "is there already", "the message says so");
	ok(t, add(&r, json_pack("{s:s}", "kind", "stress"), &err), "stress without an arm");
	ok(t, add(&r, json_pack("{s:s,s:s}", "kind", "mkdir", "arm", "x"), &err), "mkdir without times");
	report_free(&r);
}

int main(void)
{
	struct tap t = { 0 };

	figures(&t);
	pooled(&t);
	bad_lines(&t);
	return tap_end(&t);
}
