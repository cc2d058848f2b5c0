/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stddef.h>

#define P99_MIN_SAMPLES	100	/* below it p99 says no more than the maximum */

/**
 * struct summary - of a set of values, in their unit
 * @count: number of values; with 0 all others are NaN
 * @p99: NaN below P99_MIN_SAMPLES values
 */
struct summary {
	size_t count;
	double mean;
	double p50;
	double p99;
	double max;
};

/**
 * percentile_sorted - nearest-rank percentile: always one of the values
 * @sorted: values in rising order
 * @count: how many
 * @percent: above 0, up to 100
 *
 * Return: the value, NaN when there is none.
 */
double percentile_sorted(const double *sorted, size_t count, double percent);

/**
 * summarise - mean, percentiles and maximum
 * @values: gets sorted
 * @count: how many
 * @out: filled in
 */
void summarise(double *values, size_t count, struct summary *out);

/**
 * struct histogram_bin - values that lie within 1 % of each other
 * @value: their mean
 * @count: how many
 */
struct histogram_bin {
	double value;
	size_t count;
};

/**
 * histogram - put values into bins
 * @sorted: values in rising order
 * @count: how many
 * @bins: gets at most @count bins, in rising order
 *
 * Return: number of bins.
 */
size_t histogram(const double *sorted, size_t count, struct histogram_bin *bins);

#endif
