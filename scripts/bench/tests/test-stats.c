// SPDX-License-Identifier: GPL-2.0
#include "interval.h"
#include "stats.h"
#include "tap.h"

static void percentiles(struct tap *t)
{
	double v[100], one = 7;
	struct summary s;

	/* falling: summarise() has to sort */
	for (int i = 0; i < 100; i++)
		v[i] = 100 - i;
	summarise(v, 100, &s);
	ok_near(t, s.mean, 50.5, 1e-12, "mean of 1..100");
	ok_near(t, s.p50, 50, 0, "p50 of 1..100 is the 50th");
	ok_near(t, s.p99, 99, 0, "p99 of 1..100 is the 99th");
	ok_near(t, s.max, 100, 0, "max of 1..100");
	ok_near(t, percentile_sorted(v, 100, 100), 100, 0, "p100 is the maximum");
	ok_near(t, percentile_sorted(v, 100, 0.1), 1, 0, "p0.1 is the minimum");
	ok_near(t, percentile_sorted(v, 5, 50), 3, 0, "p50 of 1..5 is the middle one");
	ok_near(t, percentile_sorted(v, 4, 50), 2, 0, "p50 of 1..4 is the lower middle one");

	summarise(v, 99, &s);
	ok(t, isnan(s.p99), "no p99 of 99 values");
	summarise(&one, 1, &s);
	ok(t, s.p50 == 7 && s.max == 7 && s.mean == 7, "one value");
	summarise(NULL, 0, &s);
	ok(t, isnan(s.mean) && isnan(s.p50) && isnan(s.max), "no value: all NaN");
}

static void bins(struct tap *t)
{
	double v[] = { 1, 1.005, 1.009, 2, 2, 50 };
	struct histogram_bin b[6];
	size_t n = histogram(v, 6, b);

	ok(t, n == 3 && b[0].count == 3 && b[1].count == 2 && b[2].count == 1,
	   "values within 1 %% share a bin");
	ok_near(t, b[0].value, (1 + 1.005 + 1.009) / 3, 1e-12, "a bin's value is their mean");
	ok(t, !histogram(v, 0, b), "no value, no bin");
}

static void intervals(struct tap *t)
{
	/*
	 * Worked by hand: mean and standard deviation of the logarithms, and
	 * Student quantiles as printed in tables: t(0.975; 3) = 3.182446,
	 * t(0.975; 2) = 4.302653.  In R: exp(t.test(log(x))$conf.int).
	 */
	static const double four[] = { 1.9, 2.1, 2.0, 2.3 };
	static const double three[] = { 1, 2, 4 };
	static const double same[] = { 3, 3, 3 };
	struct ratio r;

	ratio_interval(four, 4, 0.95, &r);
	ok_near(t, r.estimate, 2.0698205, 1e-6, "geometric mean of four ratios");
	ok_near(t, r.low, 1.8186173, 1e-6, "lower end, 3 degrees of freedom");
	ok_near(t, r.high, 2.3557221, 1e-6, "upper end, 3 degrees of freedom");

	/* logs are 0, l, 2l with l = ln 2: mean l, standard deviation l */
	ratio_interval(three, 3, 0.95, &r);
	ok_near(t, r.estimate, 2, 1e-12, "geometric mean of 1, 2, 4");
	ok_near(t, r.low, exp(log(2) * (1 - 4.302653 / sqrt(3))), 1e-6,
		"lower end, 2 degrees of freedom");
	ok_near(t, r.high, exp(log(2) * (1 + 4.302653 / sqrt(3))), 1e-5,
		"upper end, 2 degrees of freedom");

	ratio_interval(same, 3, 0.95, &r);
	ok(t, fabs(r.low - 3) < 1e-12 && fabs(r.high - 3) < 1e-12,
	   "no spread: an interval of no width");
	ratio_interval(four, 2, 0.95, &r);
	ok(t, r.estimate > 1.99 && isnan(r.low) && isnan(r.high),
	   "two rounds: an estimate, no interval");
	ratio_interval(four, 0, 0.95, &r);
	ok(t, isnan(r.estimate) && isnan(r.low), "no round: nothing");
}

int main(void)
{
	struct tap t = { 0 };

	percentiles(&t);
	bins(&t);
	intervals(&t);
	return tap_end(&t);
}
