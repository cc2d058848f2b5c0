// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "knobs.h"

static bool name_valid(const char *name)
{
	if (*name == '/')
		return name[1] != '\0';
	/* a dotted name may not climb out of /proc/sys */
	if (!*name || *name == '.' || strstr(name, "..") ||
	    name[strlen(name) - 1] == '.')
		return false;
	for (; *name; name++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./", *name))
			return false;
	}
	return true;
}

int knob_parse(const char *text, struct knob_setting *out)
{
	const char *eq = strchr(text, '=');
	size_t len;

	if (!eq || !eq[1] || strchr(eq, '\n'))
		return -EINVAL;
	len = (size_t)(eq - text);
	if (len >= sizeof(out->name) || strlen(eq + 1) >= sizeof(out->value))
		return -EINVAL;
	memcpy(out->name, text, len);
	out->name[len] = '\0';
	strcpy(out->value, eq + 1);
	return name_valid(out->name) ? 0 : -EINVAL;
}

/* as sysctl(8): dots and slashes change places */
static int knob_path(const char *sysroot, const char *name, char *buf, size_t size)
{
	size_t start;

	if (*name == '/')
		return path_format(buf, size, "%s%s", sysroot, name);
	start = strlen(sysroot) + strlen("/proc/sys/");
	if (path_format(buf, size, "%s/proc/sys/%s", sysroot, name))
		return -ENAMETOOLONG;
	for (char *p = buf + start; *p; p++) {
		if (*p == '.')
			*p = '/';
		else if (*p == '/')
			*p = '.';
	}
	return 0;
}

static struct knob *knob_find(struct knob_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++) {
		if (!strcmp(set->knobs[i].name, name))
			return &set->knobs[i];
	}
	return NULL;
}

int knob_add(struct knob_set *set, const char *name, struct bench_error *err)
{
	struct knob *knob = &set->knobs[set->count];
	int ret;

	if (knob_find(set, name))
		return 0;
	if (set->count == KNOB_MAX)
		return bench_fail(err, EXIT_FAIL, "more than %d knobs", KNOB_MAX);
	if (!name_valid(name) || strlen(name) >= sizeof(knob->name))
		return bench_fail(err, EXIT_USAGE,
				  "%s is no knob: give a sysctl such as vm.swappiness or an absolute path",
				  name);
	memset(knob, 0, sizeof(*knob));
	strcpy(knob->name, name);
	if (knob_path(set->sysroot, name, knob->path, sizeof(knob->path)))
		return bench_fail(err, EXIT_USAGE, "%s: path too long", name);
	ret = file_read(knob->path, knob->saved, sizeof(knob->saved));
	if (ret == -ENOENT)
		return bench_fail(err, EXIT_MISSING,
				  "this kernel has no %s (%s does not exist)",
				  name, knob->path);
	if (ret < 0)
		return bench_fail(err, EXIT_FAIL, "cannot read %s: %s",
				  knob->path, strerror(-ret));
	set->count++;
	return 0;
}

int knob_write(struct knob_set *set, const char *name, const char *value,
	       struct bench_error *err)
{
	struct knob *knob = knob_find(set, name);
	int ret;

	if (!knob)
		return bench_fail(err, EXIT_FAIL, "knob %s was not added", name);
	/* before the write: one that fails half-way is put back as well */
	knob->touched = true;
	ret = file_write(knob->path, value);
	if (ret)
		return bench_fail(err,
				  ret == -EACCES || ret == -EPERM || ret == -EROFS ?
				  EXIT_MISSING : EXIT_FAIL,
				  "cannot write %s to %s: %s", value,
				  knob->path, strerror(-ret));
	return 0;
}

int knob_restore(struct knob_set *set, struct bench_error *err)
{
	int result = 0;

	for (size_t i = set->count; i-- > 0;) {
		struct knob *knob = &set->knobs[i];
		int ret;

		if (!knob->touched)
			continue;
		ret = file_write(knob->path, knob->saved);
		if (!ret)
			knob->touched = false;
		else if (!result)
			result = bench_fail(err, EXIT_FAIL,
					    "cannot put %s back to %s: %s",
					    knob->path, knob->saved, strerror(-ret));
	}
	return result;
}
