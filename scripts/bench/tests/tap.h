/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_TAP_H
#define BENCH_TAP_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/**
 * struct tap - count of a test program's checks
 */
struct tap {
	unsigned int run;
	unsigned int failed;
};

/** ok - one check: print its line in the TAP form */
static inline bool __attribute__((format(printf, 3, 4)))
ok(struct tap *t, bool passed, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %u - ", passed ? "" : "not ", ++t->run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	t->failed += !passed;
	return passed;
}

/** ok_near - check that a number is close to what it should be */
static inline bool ok_near(struct tap *t, double got, double want, double tolerance,
			   const char *what)
{
	bool passed = fabs(got - want) <= tolerance;

	ok(t, passed, "%s", what);
	if (!passed)
		printf("#   got %.12g, want %.12g\n", got, want);
	return passed;
}

/** ok_text - check that a text has another in it */
static inline bool ok_text(struct tap *t, const char *got, const char *want,
			   const char *what)
{
	bool passed = strstr(got, want);

	ok(t, passed, "%s", what);
	if (!passed)
		printf("#   got \"%s\"\n#   want \"%s\" in it\n", got, want);
	return passed;
}

/** tap_skip - a check that this machine cannot run */
static inline void tap_skip(struct tap *t, const char *what, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++t->run, what, why);
}

/** tap_end - plan line; the program's exit code */
static inline int tap_end(const struct tap *t)
{
	printf("1..%u\n", t->run);
	return t->failed ? 1 : 0;
}

#endif
