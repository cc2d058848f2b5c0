// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmstat.h"

int vmstat_parse(const char *text, const char *prefix, struct vmstat *out)
{
	size_t prefix_len = strlen(prefix);

	out->count = 0;
	while (*text) {
		const char *eol = strchrnul(text, '\n');
		const char *sep = memchr(text, ' ', (size_t)(eol - text));
		struct vmstat_item *item = &out->items[out->count];
		size_t name_len;
		char *end;

		if (!sep || sep == text)
			return -EINVAL;
		name_len = (size_t)(sep - text);
		if (sep[1] < '0' || sep[1] > '9')
			return -EINVAL;
		if (name_len >= prefix_len && !memcmp(text, prefix, prefix_len)) {
			if (out->count == sizeof(out->items) / sizeof(out->items[0]) ||
			    name_len >= sizeof(item->name))
				return -E2BIG;
			memcpy(item->name, text, name_len);
			item->name[name_len] = '\0';
			errno = 0;
			item->value = strtoull(sep + 1, &end, 10);
			if (end != eol || errno)
				return -EINVAL;
			out->count++;
		}
		text = *eol ? eol + 1 : eol;
	}
	return 0;
}

int vmstat_read(const char *sysroot, const char *prefix, struct vmstat *out,
		struct bench_error *err)
{
	char path[4096], *text;
	int ret;

	if (path_format(path, sizeof(path), "%s/proc/vmstat", sysroot))
		return bench_fail(err, EXIT_FAIL, "%s: path too long", sysroot);
	text = file_read_all(path, NULL);
	if (!text)
		return bench_fail(err, EXIT_MISSING, "cannot read %s: %s", path,
				  strerror(errno));
	ret = vmstat_parse(text, prefix, out);
	free(text);
	if (ret)
		return bench_fail(err, EXIT_FAIL,
				  "%s: %s", path, ret == -E2BIG ?
				  "more counters than this program can hold" :
				  "a line is not of the form \"name value\"");
	return 0;
}

void vmstat_delta(const struct vmstat *before, const struct vmstat *after,
		  struct vmstat *out)
{
	struct vmstat result = { .count = after->count };

	for (size_t i = 0; i < after->count; i++) {
		uint64_t old = 0;

		result.items[i] = after->items[i];
		vmstat_get(before, after->items[i].name, &old);
		result.items[i].value -= old;
	}
	*out = result;
}

bool vmstat_get(const struct vmstat *vs, const char *name, uint64_t *value)
{
	for (size_t i = 0; i < vs->count; i++) {
		if (!strcmp(vs->items[i].name, name)) {
			*value = vs->items[i].value;
			return true;
		}
	}
	return false;
}
