/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_UTIL_H
#define BENCH_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* exit codes of every tool here */
enum {
	EXIT_FAIL = 1,		/* the run failed */
	EXIT_USAGE = 2,		/* bad command line */
	EXIT_MISSING = 4,	/* kernel, machine or right lacks something */
};

/**
 * struct bench_error - the one line that says what went wrong
 * @code: exit code, one of EXIT_*
 * @text: the line, without the program's name and without a newline
 */
struct bench_error {
	int code;
	char text[512];
};

/**
 * bench_fail - fill in an error
 * @err: filled in
 * @code: exit code
 * @fmt: printf format of the line
 *
 * Return: always -1, so that a caller can return it.
 */
int bench_fail(struct bench_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** now_ns - CLOCK_MONOTONIC in nanoseconds */
uint64_t now_ns(void);

/**
 * parse_ulong - a whole decimal number
 * @text: digits only, no sign, no blank
 * @min: smallest valid value
 * @max: largest valid value
 * @out: the number
 *
 * Return: 0, or -EINVAL (not a number) or -ERANGE (outside @min..@max).
 */
int parse_ulong(const char *text, unsigned long min, unsigned long max,
		unsigned long *out);

/**
 * parse_seconds - a number of seconds such as 30 or 0.5
 * @text: decimal digits, with or without a fraction after a point
 * @max: largest valid value
 * @out: the number
 *
 * Return: 0, or -EINVAL or -ERANGE.
 */
int parse_seconds(const char *text, double max, double *out);

/**
 * file_read - read a small text file whole
 * @path: file
 * @buf: gets the text, always terminated; trailing newlines are dropped
 * @size: size of @buf in bytes
 *
 * Return: length of the text, or a negative errno; -EFBIG when @buf is short.
 */
int file_read(const char *path, char *buf, size_t size);

/**
 * file_read_all - read a text file of any size
 * @path: file
 * @len: length in bytes, may be NULL
 *
 * Return: terminated text to be freed by the caller, or NULL with errno set.
 */
char *file_read_all(const char *path, size_t *len);

/**
 * file_write - write a text with one write call
 * @path: file that exists
 * @text: what to write
 *
 * Return: 0 or a negative errno.
 */
int file_write(const char *path, const char *text);

/**
 * path_format - build a path
 * @buf: gets the path
 * @size: size of @buf in bytes
 * @fmt: printf format
 *
 * Return: 0, or -ENAMETOOLONG.
 */
int path_format(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * errno_name - symbolic name of an errno
 * @err: positive errno
 *
 * Return: for instance "EAGAIN"; "errno" for one without a name.
 */
const char *errno_name(int err);

#endif
