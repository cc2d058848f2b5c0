// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>

#include "stats.h"

double percentile_sorted(const double *sorted, size_t count, double percent)
{
	size_t rank;

	if (!count)
		return NAN;
	/* 99 * 100 / 100 may come out a hair above 99 */
	rank = (size_t)ceil(percent * (double)count / 100 - 1e-9);
	if (rank < 1)
		rank = 1;
	if (rank > count)
		rank = count;
	return sorted[rank - 1];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void summarise(double *values, size_t count, struct summary *out)
{
	double sum = 0;

	out->count = count;
	if (count)
		qsort(values, count, sizeof(*values), compare);
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	out->mean = count ? sum / (double)count : NAN;
	out->p50 = percentile_sorted(values, count, 50);
	out->p99 = count < P99_MIN_SAMPLES ? NAN :
		   percentile_sorted(values, count, 99);
	out->max = count ? values[count - 1] : NAN;
}

size_t histogram(const double *sorted, size_t count, struct histogram_bin *bins)
{
	size_t n = 0;

	for (size_t i = 0; i < count;) {
		double sum = 0;
		size_t start = i;

		while (i < count && sorted[i] <= sorted[start] * 1.01)
			sum += sorted[i++];
		bins[n].count = i - start;
		bins[n++].value = sum / (double)(i - start);
	}
	return n;
}
