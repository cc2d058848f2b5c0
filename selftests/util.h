/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LRU_GEN_MEMCG_UTIL_H
#define LRU_GEN_MEMCG_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "knobs.h"

/* Room for a path, or for a reason to skip. */
#define TEXT_MAX 512
#define ROOT_MAX 256

#define NSEC_PER_SEC 1000000000LL

/* --- files --------------------------------------------------------------- */

/**
 * file_write - write once, at an offset
 * @path: the file
 * @data: what to write
 * @len: its bytes
 * @at: the offset
 *
 * Return: what the write returned (it may be short), or a negative errno, of
 * the open or of the write.
 */
ssize_t file_write(const char *path, const void *data, size_t len, off_t at);

/* The same with a string, at offset 0; a short write is -EIO.  Return: 0 or a negative errno. */
int file_write_text(const char *path, const char *text);

/**
 * file_read - read a small file
 * @path: the file
 * @text: gets its text, cut off at @size - 1, and a NUL
 * @size: bytes of @text
 *
 * Return: bytes read or a negative errno.
 */
ssize_t file_read(const char *path, char *text, size_t size);

/* A file that holds one whole number.  Return: it, or a negative errno. */
long long file_read_number(const char *path);

/* --- the switches -------------------------------------------------------- */

/* Its name without the common prefix, and its file below /proc/sys. */
const char *knob_name(enum knob knob);
const char *knob_path(enum knob knob);

/* Return: 0 or 1, or a negative errno. */
int knob_get(enum knob knob);

/* Return: 0, or a negative errno: also when it reads differently afterwards. */
int knob_set(enum knob knob, int value);

/* Set each switch to its entry of @values. Return: 0 or a negative errno. */
int knobs_set(const int values[NR_KNOBS]);

/**
 * knobs_missing - why tests of the switches cannot run
 * @reason: gets it, of at least TEXT_MAX bytes
 *
 * Return: whether something is missing.
 */
bool knobs_missing(char *reason);

/**
 * knobs_booted - the value that a switch had when this program began
 * @knob: which
 *
 * Return: 0 or 1, or a negative errno.
 */
int knobs_booted(enum knob knob);

/* --- counters ------------------------------------------------------------ */

/* The feature's lines of /proc/vmstat, then others that every kernel has. */
#define FOR_EACH_COUNTER(X)	\
	X(lru_gen_memcg_rotate)	\
	X(lru_gen_memcg_skip_young) \
	X(lru_gen_memcg_walk)	\
	X(lru_gen_memcg_visit)	\
	X(lru_gen_memcg_restart)	\
	X(allocstall)		\
	X(pageoutrun)		\
	X(kswapd_high_wmark_hit_quickly) \
	X(pgscan)		\
	X(pgsteal)		\
	X(oom_kill)

#define COUNTER_FIELD(name) long long name;
/**
 * struct counters - sums over CPUs (and zones, and who reclaimed) since boot
 *
 * One that the kernel does not have is -1.
 */
struct counters {
	FOR_EACH_COUNTER(COUNTER_FIELD)
};
#undef COUNTER_FIELD

/* Return: 0 or a negative errno. */
int counters_read(struct counters *counters);

/* What was added since @before; -1 stays -1. */
void counters_since(struct counters *delta, const struct counters *before);

/* --- memory cgroups ------------------------------------------------------ */

/**
 * struct cgroups - the folder of cgroups that a test works in
 * @root: where cgroup v2 is mounted
 * @path: the folder, below @root
 * @made: children named 0 .. @made - 1
 */
struct cgroups {
	char root[ROOT_MAX];
	char path[TEXT_MAX + 64];
	unsigned int made;
};

/**
 * cgroups_open - make an empty folder of cgroups, with the memory controller
 * @cgroups: filled in
 * @reason: gets what is missing, or why it failed, of at least TEXT_MAX bytes
 *
 * What an earlier, killed, test left there is removed first.
 *
 * Return: 0, 1 when the machine lacks something, or a negative errno.
 */
int cgroups_open(struct cgroups *cgroups, char *reason);

/**
 * cgroups_make - make children until there are @count
 * @cgroups: the folder
 * @count: how many there shall be
 * @ns: NULL, or gets the nanoseconds that each mkdir took, from the first new one on
 *
 * Return: 0 or a negative errno.
 */
int cgroups_make(struct cgroups *cgroups, unsigned int count, int64_t *ns);

/* Remove child @i, which has no process. Return: 0 or a negative errno. */
int cgroups_remove(struct cgroups *cgroups, unsigned int i);

/* Write to a file of child @i.  Return: 0 or a negative errno. */
int cgroups_write(const struct cgroups *cgroups, unsigned int i, const char *file,
		  const char *text);

/* Kill what runs in the folder and remove it all.  Return: 0 or a negative errno. */
int cgroups_close(struct cgroups *cgroups);

/* Cgroups of the whole machine that were removed and are not freed yet, or a negative errno. */
long long cgroups_dying(const struct cgroups *cgroups);

/**
 * struct reclaim - requests written to the root's memory.reclaim
 * @workers: processes at the same time
 * @requests: each of them makes
 * @text: what they write
 * @cpu: to run on, or -1
 * @answered: requests that reclaim answered (met or not met), by all workers
 * @max_ns: longest request, in nanoseconds
 */
struct reclaim {
	unsigned int workers;
	unsigned int requests;
	const char *text;
	int cpu;
	unsigned int answered;
	int64_t max_ns;
};

/* A request that empty cgroups cannot meet: it goes over all of them again and again. */
#define RECLAIM_IN_VAIN "1024M swappiness=0"

/**
 * cgroups_pgsteal - pages that reclaim has taken, from the root's memory.stat
 * @cgroups: says where the root is
 *
 * Up to 6.12 /proc/vmstat leaves out what memory.reclaim of the root took.
 *
 * Return: the number, or a negative errno.
 */
long long cgroups_pgsteal(const struct cgroups *cgroups);

/**
 * reclaim_root - make the requests and wait for them
 * @cgroups: says where the root is
 * @reclaim: what to do; gets what came of it
 *
 * Return: 0, or a negative errno when a request was refused.
 */
int reclaim_root(const struct cgroups *cgroups, struct reclaim *reclaim);

/**
 * struct late - how late a bystander ran that sleeps 5 ms at a time
 * @runs: how often it ran
 * @median_ns: in the middle, nanoseconds
 * @max_ns: at most
 */
struct late {
	unsigned int runs;
	int64_t median_ns;
	int64_t max_ns;
};

/**
 * reclaim_watched - the same, beside a bystander of real-time priority on the same CPU
 * @cgroups: says where the root is
 * @reclaim: what to do, with a @cpu; gets what came of it
 * @late: filled in
 *
 * Return: 0 or a negative errno.
 */
int reclaim_watched(const struct cgroups *cgroups, struct reclaim *reclaim, struct late *late);

/**
 * resched_missing - why a bystander tells nothing about cond_resched() here
 * @reason: gets it, of at least TEXT_MAX bytes
 *
 * Return: whether that is so: the kernel preempts itself, or it is not known.
 */
bool resched_missing(char *reason);

/* The last CPU that we may run on, or a negative errno. */
int last_cpu(void);

/**
 * struct tenant - a process in a cgroup
 * @cgroup: its number
 * @anon: bytes of anonymous memory that it has written to
 * @threads: it has, beside the first
 * @pid: the process
 */
struct tenant {
	unsigned int cgroup;
	size_t anon;
	unsigned int threads;
	pid_t pid;
};

/* Start it and wait until it has all that.  Return: 0 or a negative errno. */
int tenant_start(const struct cgroups *cgroups, struct tenant *tenant);

/* Kill it and wait for its end. */
void tenant_end(struct tenant *tenant);

/**
 * struct cache - a block device to read page cache from, of zeros (zram)
 * @id: its number
 * @fd: open on it, in the process that called cache_open()
 * @path: its file
 */
struct cache {
	int id;
	int fd;
	char path[32];
};

/**
 * cache_open - get a device
 * @cache: filled in
 * @size: its bytes
 * @reason: gets what is missing, of at least TEXT_MAX bytes
 *
 * Return: 0, 1 when the machine lacks something, or a negative errno.
 */
int cache_open(struct cache *cache, size_t size, char *reason);

/**
 * cache_read - have pages of it charged to a cgroup
 * @cache: the device
 * @cgroups: the folder
 * @i: the child
 * @at: offset in bytes
 * @size: bytes
 *
 * Return: 0 or a negative errno.
 */
int cache_read(const struct cache *cache, const struct cgroups *cgroups, unsigned int i,
	       off_t at, size_t size);

/* Drop the device; the process that called cache_open() has ended, or closed @fd. */
void cache_close(struct cache *cache);

/* --- the rest ------------------------------------------------------------ */

/* A monotonic clock, nanoseconds. */
int64_t now_ns(void);

/* Whether the tests shall run at full size (LRU_GEN_MEMCG_LONG is set and not 0). */
bool long_run(void);

/* Multi-gen LRU on or off at run time, as /sys/kernel/mm/lru_gen/enabled says.  Return: 0 or a negative errno. */
int lru_gen_set(bool on);

/**
 * state_guard - put back what tests change, however this process ends
 *
 * The switches, lru_gen/enabled, the root's subtree_control and the folder of
 * cgroups: at exit, on SIGINT, SIGTERM, SIGHUP and SIGQUIT, and on SIGKILL by a
 * process that waits for it.  Call once, before anything is changed.
 *
 * Return: 0 or a negative errno.
 */
int state_guard(void);

/*
 * Compare, and say what was expected and what was got, whichever way it ends.
 * In the tests of kselftest_harness.h only; takes whole numbers.
 */
#define CHECK(got, op, expected, ...) do {				\
	long long got_ = (got), expected_ = (expected);			\
	char what_[TEXT_MAX];						\
									\
	snprintf(what_, sizeof(what_), __VA_ARGS__);			\
	TH_LOG("%s: expected " #op " %lld, got %lld%s", what_, expected_, got_,	\
	       got_ op expected_ ? "" : "  <-- wrong");			\
	if (!(got_ op expected_))					\
		_metadata->exit_code = KSFT_FAIL;			\
} while (0)

/* main() of each test program: --names prints what the option -r takes, one a line. */
#define TEST_MAIN							\
int main(int argc, char **argv)						\
{									\
	struct __fixture_variant_metadata none = { .name = "" };	\
	struct __fixture_variant_metadata *v;				\
	struct __fixture_metadata *f;					\
	struct __test_metadata *t;					\
	int error;							\
									\
	if (argc == 2 && !strcmp(argv[1], "--names")) {			\
		for (f = __fixture_list; f; f = f->next)		\
			for (v = f->variant ? f->variant : &none; v; v = v->next) \
				for (t = f->tests; t; t = t->next)	\
					printf("%s%s%s.%s\n", f->name,	\
					       v->name[0] ? "." : "", v->name, t->name); \
		return 0;						\
	}								\
	error = state_guard();						\
	if (error) {							\
		fprintf(stderr, "cannot guard the switches: %s\n", strerror(-error)); \
		return KSFT_FAIL;					\
	}								\
	return test_harness_run(argc, argv);				\
}

#endif
