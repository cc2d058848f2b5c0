// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/types.h>

#include "cgroup.h"
#include "signals.h"
#include "tap.h"
#include "tmpdir.h"

int __real_mkdirat(int fd, const char *path, mode_t mode);
int __wrap_mkdirat(int fd, const char *path, mode_t mode);

/* the linker gives mkdirat() no argument of ours */
static struct {
	unsigned long left;	/* successful calls before the failure */
	int error;		/* 0: never fail */
	int raise;		/* or this signal comes instead */
} mkdir_plan;

int __wrap_mkdirat(int fd, const char *path, mode_t mode)
{
	if (mkdir_plan.error || mkdir_plan.raise) {
		if (!mkdir_plan.left) {
			if (mkdir_plan.raise) {
				kill(getpid(), mkdir_plan.raise);
				mkdir_plan.raise = 0;
				return __real_mkdirat(fd, path, mode);
			}
			errno = mkdir_plan.error;
			return -1;
		}
		mkdir_plan.left--;
	}
	return __real_mkdirat(fd, path, mode);
}

static unsigned int entries(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int n = 0;

	if (!dir)
		return 0;
	for (struct dirent *de; (de = readdir(dir));)
		n += de->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void mounts(struct tap *t)
{
	char path[64];

	ok(t, !cgroup_mounts_find("proc /proc proc rw 0 0\n"
				  "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
				  "none /sys/fs/cgroup/unified cgroup2 rw 0 0\n",
				  path, sizeof(path)) &&
	      !strcmp(path, "/sys/fs/cgroup/unified"), "cgroup v2 beside v1");
	ok(t, !cgroup_mounts_find("cg /a\\040b\\134c cgroup2 rw 0 0\n", path, sizeof(path)) &&
	      !strcmp(path, "/a b\\c"), "blank and backslash in the path");
	ok(t, cgroup_mounts_find("cgroup2 /x tmpfs rw 0 0\n", path, sizeof(path)) == -ENOENT,
	   "a source called cgroup2 does not count");
	ok(t, cgroup_mounts_find("", path, sizeof(path)) == -ENOENT, "no mount");
	ok(t, cgroup_mounts_find("short\n", path, sizeof(path)) == -ENOENT, "a short line");
	ok(t, cgroup_mounts_find("cg /long/path cgroup2 rw 0 0\n", path, 5) == -ENAMETOOLONG,
	   "a path that does not fit");
}

static void roots(struct tap *t, const char *dir)
{
	char sysroot[600], text[1024], buf[256];
	struct cgroup_root root;
	struct bench_error err;
	unsigned long dying;

	snprintf(sysroot, sizeof(sysroot), "%s/none", dir);
	ok(t, cgroup_root_find(&root, sysroot, NULL, &err) && err.code == EXIT_MISSING,
	   "no mounts file");
	tmpdir_put(dir, "proc/self/mounts", "proc /proc proc rw 0 0\n");
	ok(t, cgroup_root_find(&root, dir, NULL, &err) && err.code == EXIT_MISSING,
	   "cgroup v2 is not mounted");
	ok_text(t, err.text, "not mounted", "and the message says so");
	snprintf(text, sizeof(text), "none %s/cg cgroup2 rw 0 0\n", dir);
	tmpdir_put(dir, "proc/self/mounts", text);
	ok(t, cgroup_root_find(&root, dir, NULL, &err) && err.code == EXIT_MISSING,
	   "the mount point does not exist");
	tmpdir_put(dir, "cg/cgroup.subtree_control", "");
	ok(t, cgroup_root_find(&root, dir, NULL, &err), "no cgroup.controllers");
	ok_text(t, err.text, "cgroup.controllers", "and the message says so");
	tmpdir_put(dir, "cg/cgroup.controllers", "cpu xmemory memory2 hugetlb\n");
	ok(t, cgroup_root_find(&root, dir, NULL, &err) && err.code == EXIT_MISSING,
	   "no memory controller");
	ok_text(t, err.text, "cpu xmemory memory2 hugetlb", "and the message says what there is");
	tmpdir_put(dir, "cg/cgroup.controllers", "cpu memory hugetlb\n");
	ok(t, !cgroup_root_find(&root, dir, NULL, &err) && !root.real, "a usable root");
	tmpdir_put(dir, "cg/cgroup.type", "domain\n");
	ok(t, cgroup_root_find(&root, dir, NULL, &err) && err.code == EXIT_MISSING,
	   "not the root but a cgroup below it");
	snprintf(text, sizeof(text), "%s/cg/cgroup.type", dir);
	unlink(text);
	snprintf(text, sizeof(text), "%s/cg", dir);
	ok(t, !cgroup_root_find(&root, sysroot, text, &err), "a root that the user names");

	ok(t, !cgroup_root_enable_memory(&root, &err) && root.memory_added &&
	      !strcmp(tmpdir_get(text, "cgroup.subtree_control", buf, sizeof(buf)), "+memory"),
	   "+memory is written where it is missing");
	ok(t, !cgroup_root_restore(&root, &err) && !root.memory_added &&
	      !strcmp(tmpdir_get(text, "cgroup.subtree_control", buf, sizeof(buf)), "-memory"),
	   "and taken back");
	tmpdir_put(text, "cgroup.subtree_control", "cpu memory\n");
	ok(t, !cgroup_root_enable_memory(&root, &err) && !root.memory_added &&
	      !cgroup_root_restore(&root, &err) &&
	      !strcmp(tmpdir_get(text, "cgroup.subtree_control", buf, sizeof(buf)),
		      "cpu memory\n"), "where it is there nothing is written");

	ok(t, cgroup_dying(&root, &dying) == -ENOENT, "no cgroup.stat");
	tmpdir_put(text, "cgroup.stat", "nr_descendants 7\nnr_dying_descendants 42\n");
	ok(t, !cgroup_dying(&root, &dying) && dying == 42, "dying cgroups");
}

static void trees(struct tap *t, const char *dir)
{
	static const struct {
		int error;
		const char *want;
	} failures[] = {
		{ EAGAIN, "cgroup.max.descendants" },
		{ ENOSPC, "65535" },
		{ EBUSY, "65535" },
		{ ENOMEM, "not enough memory" },
		{ EPERM, "EPERM" },
	};
	struct cgroup_root root = { .real = false };
	struct cgroup_tree tree, used;
	struct bench_error err;
	uint64_t ns[10] = { 0 };
	char sub[1300];

	snprintf(root.path, sizeof(root.path), "%s/cg", dir);
	unsigned int before = entries(root.path);

	ok(t, !cgroup_tree_make(&tree, &root, "b.1", &err) &&
	      !cgroup_tree_fill(&tree, 10, ns, &err) && tree.made == 10 &&
	      entries(tree.path) == 10, "ten cgroups are made");
	ok(t, ns[0] && ns[9], "and the time of each is taken");
	ok(t, !cgroup_tree_use(&used, tree.path, &err) && used.made == 10 && !used.owned,
	   "they can be used by another");
	ok(t, !cgroup_tree_remove(&used, &err) && entries(tree.path) == 10,
	   "which does not remove them");
	ok(t, !cgroup_tree_empty(&tree, ns, true, &err) && !tree.made &&
	      !entries(tree.path), "all are removed, the folder stays");
	ok(t, !cgroup_tree_fill(&tree, 3, NULL, &err) && entries(tree.path) == 3,
	   "it can be filled again");
	snprintf(sub, sizeof(sub), "%s/1", tree.path);
	rmdir(sub);
	ok(t, !cgroup_tree_remove(&tree, &err) && entries(root.path) == before,
	   "all is removed, one that is gone already does not matter");
	ok(t, !cgroup_tree_remove(&tree, &err), "removing twice does no harm");
	ok(t, cgroup_tree_use(&used, "/nonexistent", &err) && err.code == EXIT_FAIL,
	   "a folder that is not there cannot be used");

	for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
		bool failed;

		mkdir_plan.left = 4;
		mkdir_plan.error = failures[i].error;
		failed = !cgroup_tree_make(&tree, &root, "b.2", &err) &&
			 cgroup_tree_fill(&tree, 10, NULL, &err);
		mkdir_plan.error = 0;
		ok(t, failed && tree.made == 4, "the fifth mkdir fails with error %d",
		   failures[i].error);
		ok_text(t, err.text, "memory cgroup 5 of 10", "the message says which");
		ok_text(t, err.text, failures[i].want, "and why");
		ok(t, !cgroup_tree_remove(&tree, &err) && entries(root.path) == before,
		   "nothing is left");
	}

	mkdir_plan.left = 2;
	mkdir_plan.raise = SIGTERM;
	ok(t, !cgroup_tree_make(&tree, &root, "b.3", &err) &&
	      cgroup_tree_fill(&tree, 10, NULL, &err) && err.code == 128 + SIGTERM &&
	      tree.made == 3, "SIGTERM stops the making");
	ok(t, !cgroup_tree_remove(&tree, &err) && entries(root.path) == before,
	   "nothing is left then either");

	ok(t, !cgroup_tree_make(&tree, &root, "b.4", &err) &&
	      cgroup_tree_make(&used, &root, "b.4", &err), "a folder that exists is not taken");
	ok(t, !cgroup_tree_remove(&used, &err) && entries(root.path) == before + 1,
	   "nor removed by who did not make it");
	cgroup_tree_fill(&tree, 2, NULL, &err);
	snprintf(sub, sizeof(sub), "%s/0/busy", tree.path);
	mkdir(sub, 0755);
	ok(t, cgroup_tree_remove(&tree, &err), "a cgroup in use cannot be removed");
	ok_text(t, err.text, "b.4/0", "the message says which");
	snprintf(sub, sizeof(sub), "%s/1", tree.path);
	ok(t, access(sub, F_OK), "the others are removed");
}

int main(void)
{
	struct tap t = { 0 };
	char dir[512];

	signals_block();
	mounts(&t);
	tmpdir_make(dir, sizeof(dir));
	roots(&t, dir);
	trees(&t, dir);
	tmpdir_remove(dir);
	return tap_end(&t);
}
