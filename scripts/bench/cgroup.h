/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_CGROUP_H
#define BENCH_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util.h"

/**
 * struct cgroup_root - where cgroup v2 is mounted
 * @path: the mount point
 * @real: false when @path is an ordinary folder, as tests use it
 * @memory_added: +memory was written to its subtree_control by us
 */
struct cgroup_root {
	char path[1024];
	bool real;
	bool memory_added;
};

/**
 * struct cgroup_tree - a folder of empty memory cgroups, one level deep
 * @path: the folder, below the root
 * @dirfd: open on it, -1 when there is none
 * @made: how many children, named 0 .. @made - 1, exist
 * @owned: whether cgroup_tree_remove() removes them
 */
struct cgroup_tree {
	char path[1200];
	int dirfd;
	unsigned long made;
	bool owned;
};

/**
 * cgroup_mounts_find - find the cgroup v2 mount in the text of /proc/self/mounts
 * @mounts: the text
 * @path: gets the mount point, octal escapes undone
 * @size: size of @path in bytes
 *
 * Return: 0, -ENOENT when cgroup v2 is not mounted, -ENAMETOOLONG.
 */
int cgroup_mounts_find(const char *mounts, char *path, size_t size);

/**
 * cgroup_root_find - find the root cgroup and see that it is usable
 * @root: filled in
 * @sysroot: "" or the folder below which to find /proc
 * @given: the root that the user named, or NULL to look in the mounts
 * @err: filled in on failure, with EXIT_MISSING for what the machine lacks
 *
 * Return: 0 or -1.
 */
int cgroup_root_find(struct cgroup_root *root, const char *sysroot,
		     const char *given, struct bench_error *err);

/**
 * cgroup_root_enable_memory - let children of the root be memory cgroups
 * @root: the root; notes whether something was changed
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int cgroup_root_enable_memory(struct cgroup_root *root, struct bench_error *err);

/**
 * cgroup_root_restore - undo cgroup_root_enable_memory()
 * @root: the root
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int cgroup_root_restore(struct cgroup_root *root, struct bench_error *err);

/**
 * cgroup_dying - nr_dying_descendants of the root
 * @root: the root
 * @count: gets the number of cgroups removed but not yet freed
 *
 * Return: 0 or a negative errno (-ENOENT when the kernel does not tell).
 */
int cgroup_dying(const struct cgroup_root *root, unsigned long *count);

/**
 * cgroup_tree_make - make the folder, without children
 * @tree: filled in
 * @root: the root
 * @name: name of the folder
 * @err: filled in on failure
 *
 * Return: 0 or -1; in both cases cgroup_tree_remove() may be called.
 */
int cgroup_tree_make(struct cgroup_tree *tree, const struct cgroup_root *root,
		     const char *name, struct bench_error *err);

/**
 * cgroup_tree_use - take a folder that exists; it is never removed
 * @tree: filled in, @made is the number of cgroups in the folder
 * @path: the folder
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int cgroup_tree_use(struct cgroup_tree *tree, const char *path,
		    struct bench_error *err);

/**
 * cgroup_tree_fill - make children
 * @tree: the folder
 * @count: how many there shall be
 * @ns: NULL, or gets the time of each mkdir in nanoseconds
 * @err: filled in on failure: which one and why; with code 128 + signal
 *       when a signal stopped it
 *
 * Return: 0 or -1; what was made until then is in @tree->made.
 */
int cgroup_tree_fill(struct cgroup_tree *tree, unsigned long count,
		     uint64_t *ns, struct bench_error *err);

/**
 * cgroup_tree_empty - remove the children, in the order they were made
 * @tree: the folder
 * @ns: NULL, or gets the time of each rmdir in nanoseconds
 * @stoppable: whether a signal may stop it
 * @err: filled in on failure
 *
 * Return: 0 or -1; the first failure is reported, the others still removed.
 */
int cgroup_tree_empty(struct cgroup_tree *tree, uint64_t *ns, bool stoppable,
		      struct bench_error *err);

/**
 * cgroup_tree_remove - remove children and folder; no signal stops it
 * @tree: the folder
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int cgroup_tree_remove(struct cgroup_tree *tree, struct bench_error *err);

#endif
