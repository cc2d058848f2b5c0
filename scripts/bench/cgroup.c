// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cgroup.h"
#include "signals.h"

static int unescape(const char *text, size_t len, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		/* the kernel writes blank, tab, newline and \ as \ooo */
		if (c == '\\' && i + 3 < len) {
			c = (char)((text[i + 1] - '0') * 64 +
				   (text[i + 2] - '0') * 8 + text[i + 3] - '0');
			i += 3;
		}
		if (n + 1 >= size)
			return -ENAMETOOLONG;
		out[n++] = c;
	}
	out[n] = '\0';
	return 0;
}

int cgroup_mounts_find(const char *mounts, char *path, size_t size)
{
	for (const char *line = mounts; *line;) {
		const char *eol = strchrnul(line, '\n');
		const char *dir = memchr(line, ' ', (size_t)(eol - line));
		const char *type = NULL;

		if (dir) {
			dir++;
			type = memchr(dir, ' ', (size_t)(eol - dir));
		}
		if (type && !strncmp(type, " cgroup2 ", 9))
			return unescape(dir, (size_t)(type - dir), path, size);
		line = *eol ? eol + 1 : eol;
	}
	return -ENOENT;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; *list; list += strcspn(list, " "), list += strspn(list, " ")) {
		if (strcspn(list, " ") == len && !memcmp(list, word, len))
			return true;
	}
	return false;
}

static int read_in(const char *dir, const char *name, char *buf, size_t size)
{
	char path[2048];

	if (path_format(path, sizeof(path), "%s/%s", dir, name))
		return -ENAMETOOLONG;
	return file_read(path, buf, size);
}

static int write_in(const char *dir, const char *name, const char *text)
{
	char path[2048];

	if (path_format(path, sizeof(path), "%s/%s", dir, name))
		return -ENAMETOOLONG;
	return file_write(path, text);
}

static bool exists_in(const char *dir, const char *name)
{
	char path[2048];

	return !path_format(path, sizeof(path), "%s/%s", dir, name) &&
	       !access(path, F_OK);
}

int cgroup_root_find(struct cgroup_root *root, const char *sysroot,
		     const char *given, struct bench_error *err)
{
	char path[4096], controllers[512], *mounts;
	struct statfs fs;
	int ret;

	memset(root, 0, sizeof(*root));
	if (given) {
		if (path_format(root->path, sizeof(root->path), "%s", given))
			return bench_fail(err, EXIT_USAGE, "%s: path too long", given);
	} else {
		if (path_format(path, sizeof(path), "%s/proc/self/mounts", sysroot))
			return bench_fail(err, EXIT_USAGE, "%s: path too long", sysroot);
		mounts = file_read_all(path, NULL);
		if (!mounts)
			return bench_fail(err, EXIT_MISSING, "cannot read %s: %s",
					  path, strerror(errno));
		ret = cgroup_mounts_find(mounts, root->path, sizeof(root->path));
		free(mounts);
		if (ret == -ENOENT)
			return bench_fail(err, EXIT_MISSING,
					  "cgroup v2 is not mounted: mount -t cgroup2 none /sys/fs/cgroup");
		if (ret)
			return bench_fail(err, EXIT_FAIL,
					  "the mount point of cgroup v2 is too long");
	}
	if (statfs(root->path, &fs))
		return bench_fail(err, EXIT_MISSING, "cgroup root %s: %s",
				  root->path, strerror(errno));
	root->real = fs.f_type == CGROUP2_SUPER_MAGIC;
	if (root->real && geteuid())
		return bench_fail(err, EXIT_MISSING,
				  "making cgroups in %s needs root", root->path);
	/* only cgroups other than the root have a type */
	if (exists_in(root->path, "cgroup.type"))
		return bench_fail(err, EXIT_MISSING,
				  "%s is not the root cgroup but one below it (a container?): run in the initial cgroup namespace",
				  root->path);
	ret = read_in(root->path, "cgroup.controllers", controllers,
		      sizeof(controllers));
	if (ret < 0)
		return bench_fail(err, EXIT_MISSING,
				  "%s is no cgroup v2 root: cannot read cgroup.controllers: %s",
				  root->path, strerror(-ret));
	if (!has_word(controllers, "memory"))
		return bench_fail(err, EXIT_MISSING,
				  "no memory controller in %s/cgroup.controllers (it has \"%s\"): in use by cgroup v1, cgroup_disable=memory, or CONFIG_MEMCG=n",
				  root->path, controllers);
	return 0;
}

int cgroup_root_enable_memory(struct cgroup_root *root, struct bench_error *err)
{
	char control[512];
	int ret;

	ret = read_in(root->path, "cgroup.subtree_control", control, sizeof(control));
	if (ret < 0)
		return bench_fail(err, EXIT_FAIL,
				  "cannot read %s/cgroup.subtree_control: %s",
				  root->path, strerror(-ret));
	if (has_word(control, "memory"))
		return 0;
	ret = write_in(root->path, "cgroup.subtree_control", "+memory");
	if (ret)
		return bench_fail(err, EXIT_MISSING,
				  "cannot write +memory to %s/cgroup.subtree_control: %s",
				  root->path, strerror(-ret));
	root->memory_added = true;
	return 0;
}

int cgroup_root_restore(struct cgroup_root *root, struct bench_error *err)
{
	int ret;

	if (!root->memory_added)
		return 0;
	ret = write_in(root->path, "cgroup.subtree_control", "-memory");
	if (ret)
		return bench_fail(err, EXIT_FAIL,
				  "cannot write -memory to %s/cgroup.subtree_control: %s",
				  root->path, strerror(-ret));
	root->memory_added = false;
	return 0;
}

int cgroup_dying(const struct cgroup_root *root, unsigned long *count)
{
	char text[1024], *at;
	int ret;

	ret = read_in(root->path, "cgroup.stat", text, sizeof(text));
	if (ret < 0)
		return ret;
	at = strstr(text, "nr_dying_descendants ");
	if (!at)
		return -ENOENT;
	*count = strtoul(at + strlen("nr_dying_descendants "), NULL, 10);
	return 0;
}

/* why a mkdir failed, as far as the kernel lets us know */
static int mkdir_fail(const struct cgroup_tree *tree, unsigned long which,
		      unsigned long count, int error, struct bench_error *err)
{
	const char *why = "";

	switch (error) {
	case EAGAIN:
		why = ": cgroup.max.descendants or cgroup.max.depth of a cgroup above is reached";
		break;
	case ENOSPC:
	case EBUSY:
		why = ": the ids of memory cgroups are used up (65535, dying ones included)";
		break;
	case ENOMEM:
		why = ": not enough memory";
		break;
	}
	return bench_fail(err, EXIT_FAIL,
			  "cannot make memory cgroup %lu of %lu in %s: %s (%s)%s",
			  which + 1, count, tree->path, strerror(error),
			  errno_name(error), why);
}

int cgroup_tree_make(struct cgroup_tree *tree, const struct cgroup_root *root,
		     const char *name, struct bench_error *err)
{
	int ret;

	memset(tree, 0, sizeof(*tree));
	tree->dirfd = -1;
	if (path_format(tree->path, sizeof(tree->path), "%s/%s", root->path, name))
		return bench_fail(err, EXIT_FAIL, "%s/%s: path too long",
				  root->path, name);
	if (mkdir(tree->path, 0755))
		return bench_fail(err, EXIT_FAIL, "cannot make cgroup %s: %s (%s)",
				  tree->path, strerror(errno), errno_name(errno));
	tree->owned = true;
	tree->dirfd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tree->dirfd < 0)
		return bench_fail(err, EXIT_FAIL, "cannot open %s: %s",
				  tree->path, strerror(errno));
	if (!root->real)
		return 0;
	ret = write_in(tree->path, "cgroup.subtree_control", "+memory");
	if (ret)
		return bench_fail(err, EXIT_FAIL,
				  "cannot write +memory to %s/cgroup.subtree_control: %s",
				  tree->path, strerror(-ret));
	return 0;
}

int cgroup_tree_use(struct cgroup_tree *tree, const char *path,
		    struct bench_error *err)
{
	struct dirent *de;
	DIR *dir;

	memset(tree, 0, sizeof(*tree));
	tree->dirfd = -1;
	if (path_format(tree->path, sizeof(tree->path), "%s", path))
		return bench_fail(err, EXIT_USAGE, "%s: path too long", path);
	dir = opendir(path);
	if (!dir)
		return bench_fail(err, EXIT_FAIL, "cannot use %s: %s", path,
				  strerror(errno));
	while ((de = readdir(dir))) {
		if (de->d_type == DT_DIR && de->d_name[0] != '.')
			tree->made++;
	}
	closedir(dir);
	return 0;
}

int cgroup_tree_fill(struct cgroup_tree *tree, unsigned long count,
		     uint64_t *ns, struct bench_error *err)
{
	while (tree->made < count) {
		char name[24];
		uint64_t start;
		int sig = signals_poll(0);

		if (sig)
			return bench_fail(err, 128 + sig, "stopped by SIG%s",
					  sigabbrev_np(sig));
		snprintf(name, sizeof(name), "%lu", tree->made);
		start = now_ns();
		if (mkdirat(tree->dirfd, name, 0755))
			return mkdir_fail(tree, tree->made, count, errno, err);
		if (ns)
			ns[tree->made] = now_ns() - start;
		tree->made++;
	}
	return 0;
}

int cgroup_tree_empty(struct cgroup_tree *tree, uint64_t *ns, bool stoppable,
		      struct bench_error *err)
{
	unsigned long failed = 0;

	for (unsigned long i = 0; i < tree->made; i++) {
		char name[24];
		uint64_t start;
		int sig = stoppable ? signals_poll(0) : 0;

		/* the caller then calls cgroup_tree_remove(), which skips the gone */
		if (sig)
			return bench_fail(err, 128 + sig, "stopped by SIG%s",
					  sigabbrev_np(sig));
		snprintf(name, sizeof(name), "%lu", i);
		start = now_ns();
		if (unlinkat(tree->dirfd, name, AT_REMOVEDIR) && errno != ENOENT) {
			if (!failed++)
				bench_fail(err, EXIT_FAIL,
					   "cannot remove cgroup %s/%s: %s",
					   tree->path, name, strerror(errno));
		}
		if (ns)
			ns[i] = now_ns() - start;
	}
	if (failed)
		return -1;
	tree->made = 0;
	return 0;
}

int cgroup_tree_remove(struct cgroup_tree *tree, struct bench_error *err)
{
	int ret = 0;

	if (tree->owned && tree->dirfd >= 0)
		ret = cgroup_tree_empty(tree, NULL, false, err);
	if (tree->dirfd >= 0)
		close(tree->dirfd);
	tree->dirfd = -1;
	if (!ret && tree->owned) {
		if (rmdir(tree->path) && errno != ENOENT)
			return bench_fail(err, EXIT_FAIL,
					  "cannot remove cgroup %s: %s",
					  tree->path, strerror(errno));
		tree->owned = false;
	}
	return ret;
}
