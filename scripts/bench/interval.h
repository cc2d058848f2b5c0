/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_INTERVAL_H
#define BENCH_INTERVAL_H

#include <stddef.h>

#define INTERVAL_MIN_ROUNDS	3

/**
 * struct ratio - a ratio and how well it is known
 * @count: number of pairs behind it
 * @estimate: geometric mean of the pairs' ratios, NaN without a pair
 * @low: lower end of the interval, NaN below INTERVAL_MIN_ROUNDS pairs
 * @high: upper end of the interval
 */
struct ratio {
	size_t count;
	double estimate;
	double low;
	double high;
};

/**
 * ratio_interval - two-sided Student t interval of the mean log-ratio
 * @ratios: one per round, all above 0
 * @count: how many
 * @confidence: for instance 0.95
 * @out: filled in
 */
void ratio_interval(const double *ratios, size_t count, double confidence,
		    struct ratio *out);

#endif
