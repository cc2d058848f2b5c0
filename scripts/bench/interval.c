// SPDX-License-Identifier: GPL-2.0
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "interval.h"

void ratio_interval(const double *ratios, size_t count, double confidence,
		    struct ratio *out)
{
	double mean = 0, squares = 0, half;

	out->count = count;
	out->estimate = out->low = out->high = NAN;
	if (!count)
		return;
	for (size_t i = 0; i < count; i++)
		mean += log(ratios[i]) / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += pow(log(ratios[i]) - mean, 2);
	out->estimate = exp(mean);
	if (count < INTERVAL_MIN_ROUNDS)
		return;
	half = gsl_cdf_tdist_Pinv(1 - (1 - confidence) / 2, (double)count - 1) *
	       sqrt(squares / (double)(count - 1) / (double)count);
	out->low = exp(mean - half);
	out->high = exp(mean + half);
}
