// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

int bench_fail(struct bench_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

int parse_ulong(const char *text, unsigned long min, unsigned long max,
		unsigned long *out)
{
	unsigned long value;
	char *end;

	/* strtoul takes blanks and signs; "-1" would wrap around */
	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (*end)
		return -EINVAL;
	if (errno || value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int parse_seconds(const char *text, double max, double *out)
{
	double value = 0, scale = 1;
	const char *p = text;
	bool digits = false;

	/* by hand: strtod would take "inf", "nan" and "0x1p3" */
	for (; *p >= '0' && *p <= '9'; p++, digits = true)
		value = value * 10 + (*p - '0');
	if (*p == '.') {
		for (p++; *p >= '0' && *p <= '9'; p++, digits = true) {
			scale /= 10;
			value += scale * (*p - '0');
		}
	}
	if (*p || !digits)
		return -EINVAL;
	if (value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int file_read(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	int fd, ret = 0;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			ret = -errno;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	close(fd);
	if (!ret && len == size)
		ret = -EFBIG;
	if (ret) {
		buf[0] = '\0';
		return ret;
	}
	while (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return (int)len;
}

char *file_read_all(const char *path, size_t *len_out)
{
	size_t len = 0, size = 16384;
	char *buf, *bigger;
	int fd, saved;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	buf = malloc(size);
	while (buf) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			saved = errno;
			free(buf);
			close(fd);
			errno = saved;
			return NULL;
		}
		if (!n)
			break;
		len += (size_t)n;
		if (len == size - 1) {
			size *= 2;
			bigger = realloc(buf, size);
			if (!bigger)
				free(buf);
			buf = bigger;
		}
	}
	close(fd);
	if (!buf) {
		errno = ENOMEM;
		return NULL;
	}
	buf[len] = '\0';
	if (len_out)
		*len_out = len;
	return buf;
}

int file_write(const char *path, const char *text)
{
	size_t len = strlen(text);
	int fd, ret = 0;
	ssize_t n;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		ret = -errno;
	else if ((size_t)n != len)
		ret = -EIO;
	if (close(fd) && !ret)
		ret = -errno;
	return ret;
}

int path_format(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

const char *errno_name(int err)
{
	const char *name = strerrorname_np(err);

	return name ? name : "errno";
}
