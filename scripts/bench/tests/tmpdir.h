/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_TMPDIR_H
#define BENCH_TMPDIR_H

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** tmpdir_make - a new folder for a test's files; ends the program on failure */
static inline void tmpdir_make(char *path, size_t size)
{
	snprintf(path, size, "%s/bench-test.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(path)) {
		printf("Bail out! cannot make %s\n", path);
		exit(1);
	}
}

static inline int tmpdir_remove_one(const char *path, const struct stat *st, int type,
				    struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/** tmpdir_remove - remove a folder and all in it */
static inline void tmpdir_remove(const char *path)
{
	nftw(path, tmpdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/** tmpdir_put - write a file below a folder, with the folders above it */
static inline void tmpdir_put(const char *dir, const char *name, const char *text)
{
	char path[1024];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	out = fopen(path, "w");
	if (!out || fputs(text, out) < 0 || fclose(out)) {
		printf("Bail out! cannot write %s\n", path);
		exit(1);
	}
}

/** tmpdir_get - read a file below a folder; "" when it is not there */
static inline const char *tmpdir_get(const char *dir, const char *name, char *buf,
				     size_t size)
{
	char path[1024];
	size_t n = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	in = fopen(path, "r");
	if (in) {
		n = fread(buf, 1, size - 1, in);
		fclose(in);
	}
	buf[n] = '\0';
	return buf;
}

#endif
