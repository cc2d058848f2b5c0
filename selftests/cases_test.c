// SPDX-License-Identifier: GPL-2.0
/*
 * Public reports of what went wrong in and around the memcg LRU, in small.
 *
 * Counts and ratios within one run are compared, no absolute times.  Those that
 * say so pass on a kernel without the feature as well: they guard what it does
 * right already.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define TIMEOUT 500
#define MIB (1 << 20)

/* Most passes over all memcgs in a request in vain: retries, and a pass at each priority. */
#define MAX_PASSES (17 * 13)

static int compare_ns(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t median(int64_t *ns, size_t n)
{
	qsort(ns, n, sizeof(*ns), compare_ns);
	return ns[n / 2];
}

static int knobs_all(int value)
{
	int values[NR_KNOBS], knob;

	for (knob = 0; knob < NR_KNOBS; knob++)
		values[knob] = value;
	return knobs_set(values);
}

static void put_knobs_back(void)
{
	int knob;

	for (knob = 0; knob < NR_KNOBS; knob++)
		if (knobs_booted(knob) >= 0)
			knob_set(knob, knobs_booted(knob));
}

/**
 * Children of one folder:  / - lru_gen_memcg_selftest - 0, 1, 2 ...
 */
FIXTURE(cases) {
	struct cgroups cgroups;
	struct cache cache;
	bool cached;
};

FIXTURE_SETUP(cases)
{
	char reason[TEXT_MAX];
	int ret;

	/* a kernel without MGLRU has nothing to switch */
	ret = lru_gen_set(true);
	ASSERT_TRUE(!ret || ret == -ENOENT || ret == -EACCES);
	ret = cgroups_open(&self->cgroups, reason);
	if (ret == 1)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, ret) TH_LOG("%s", reason);
}

FIXTURE_TEARDOWN_PARENT(cases)
{
	EXPECT_EQ(0, cgroups_close(&self->cgroups));
	if (self->cached)
		cache_close(&self->cache);
	lru_gen_set(true);
	put_knobs_back();
}

/*
 * Creating memcgs is quadratic, with MGLRU off at run time too (2025)
 * https://lore.kernel.org/all/20251119083722.1365680-1-chenridong@huaweicloud.com
 *
 * mkdir of n cgroups: with tail_cache=1 the last quarter takes as long for each
 * as the first.  At full size it takes less than with 0.
 */
static void creation(struct __test_metadata *_metadata, struct cgroups *cgroups, bool lru_gen)
{
	const unsigned int n = long_run() ? 20000 : 2000, quarter = n / 4;
	int64_t *ns = calloc(n, sizeof(*ns)), first[2], last[2];
	struct counters before, delta;
	char reason[TEXT_MAX];
	int value;

	if (knobs_missing(reason))
		SKIP(goto out, "%s", reason);
	ASSERT_NE(NULL, ns);
	ASSERT_EQ(0, lru_gen_set(lru_gen));
	for (value = 0; value < 2; value++) {
		ASSERT_EQ(0, knob_set(KNOB_tail_cache, value));
		ASSERT_EQ(0, counters_read(&before));
		ASSERT_EQ(0, cgroups_make(cgroups, n, ns));
		counters_since(&delta, &before);
		first[value] = median(ns, quarter);
		last[value] = median(ns + n - quarter, quarter);
		TH_LOG("tail_cache=%d: mkdir of %u, each %lld ns in the first quarter, %lld ns in the last (medians)",
		       value, n, (long long)first[value], (long long)last[value]);
		if (value)
			CHECK(delta.lru_gen_memcg_walk, ==, 0, "walks with tail_cache=1");
		else
			CHECK(delta.lru_gen_memcg_walk, >=, n, "walks with tail_cache=0");
		ASSERT_EQ(0, cgroups_close(cgroups));
		ASSERT_EQ(0, cgroups_open(cgroups, reason)) TH_LOG("%s", reason);
	}
	CHECK(last[1], <=, 2 * first[1], "ns for each in the last quarter, at most twice the first");
	if (long_run())
		CHECK(last[1], <, last[0], "ns for each in the last quarter, less than with tail_cache=0");
out:
	free(ns);
}

TEST_F_TIMEOUT(cases, creation_lru_gen_off, TIMEOUT)
{
	creation(_metadata, &self->cgroups, false);
}

TEST_F_TIMEOUT(cases, creation_lru_gen_on, TIMEOUT)
{
	creation(_metadata, &self->cgroups, true);
}

/*
 * Reclaim spins on a memcg that is being released (2023)
 * https://lore.kernel.org/r/20230814151636.1639123-1-tjmercier@google.com
 *
 * Cgroups with memory are killed and removed while requests go over them: the
 * requests end, after a bounded number of visits, and the cgroups are freed.
 * Passes on a kernel without the feature.
 */
TEST_F_TIMEOUT(cases, release, TIMEOUT)
{
	const unsigned int n = long_run() ? 64 : 16;
	struct reclaim reclaim = {
		.workers = 2, .requests = long_run() ? 40 : 8, .text = RECLAIM_IN_VAIN, .cpu = -1
	};
	struct counters before, control, delta;
	struct tenant tenants[64];
	long long dying, memcgs;
	unsigned int i;
	char path[TEXT_MAX + 32], text[TEXT_MAX];
	const char *line;
	int status;
	pid_t pid;

	dying = cgroups_dying(&self->cgroups);
	ASSERT_LE(0, dying);
	ASSERT_EQ(0, cgroups_make(&self->cgroups, n, NULL));
	for (i = 0; i < n; i++) {
		tenants[i] = (struct tenant) { .cgroup = i, .anon = 8 * MIB };
		ASSERT_EQ(0, tenant_start(&self->cgroups, &tenants[i]));
	}
	snprintf(path, sizeof(path), "%s/cgroup.stat", self->cgroups.root);
	ASSERT_LT(0, file_read(path, text, sizeof(text)));
	line = strstr(text, "nr_descendants ");
	ASSERT_NE(NULL, line);
	memcgs = 1 + atoll(line + strlen("nr_descendants ")) + dying;

	/* the control: nothing is removed meanwhile */
	ASSERT_EQ(0, counters_read(&before));
	ASSERT_EQ(0, reclaim_root(&self->cgroups, &reclaim));
	counters_since(&control, &before);

	ASSERT_EQ(0, counters_read(&before));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid)
		_exit(reclaim_root(&self->cgroups, &reclaim) ? 1 : 0);
	for (i = 0; i < n; i++) {
		tenant_end(&tenants[i]);
		ASSERT_EQ(0, cgroups_remove(&self->cgroups, i));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	CHECK(status, ==, 0, "requests while memcgs were released: exit code");
	counters_since(&delta, &before);
	if (delta.lru_gen_memcg_visit >= 0)
		/* twice: lists that are gone over again */
		CHECK(delta.lru_gen_memcg_visit, <=,
		      2 * memcgs * MAX_PASSES * reclaim.workers * reclaim.requests,
		      "visits of %lld memcgs (control: %lld)", memcgs, control.lru_gen_memcg_visit);
	CHECK(delta.allocstall, <=, control.allocstall + 8, "allocstall, control + 8");
	CHECK(delta.pageoutrun, <=, control.pageoutrun + 8, "pageoutrun, control + 8");
	CHECK(delta.kswapd_high_wmark_hit_quickly, <=, control.kswapd_high_wmark_hit_quickly + 8,
	      "kswapd_high_wmark_hit_quickly, control + 8");
	for (i = 0; i < 100 && cgroups_dying(&self->cgroups) > dying; i++)
		usleep(100000);
	CHECK(cgroups_dying(&self->cgroups), <=, dying + 1, "dying cgroups, as before and one");
}

/*
 * Zombie memcgs pile up (commit 4376807bf2d5, 2023)
 *
 * Cycles of start, fill (anonymous memory and page cache), kill, rmdir, with a
 * request after each: no more are left with the switches on than with them off.
 */
TEST_F_TIMEOUT(cases, zombies, TIMEOUT)
{
	const unsigned int cycles = long_run() ? 50 : 10;
	struct reclaim reclaim = { .workers = 1, .requests = 1, .text = "16M", .cpu = -1 };
	long long left[2], before;
	char reason[TEXT_MAX];
	unsigned int i;
	int value, ret;

	if (knobs_missing(reason))
		SKIP(return, "%s", reason);
	ret = cache_open(&self->cache, 256 * MIB, reason);
	if (ret == 1)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, ret) TH_LOG("%s", reason);
	self->cached = true;
	for (value = 0; value < 2; value++) {
		ASSERT_EQ(0, knobs_all(value));
		before = cgroups_dying(&self->cgroups);
		for (i = 0; i < cycles; i++) {
			struct tenant tenant = { .cgroup = 0, .anon = 4 * MIB };

			ASSERT_EQ(0, cgroups_make(&self->cgroups, 1, NULL));
			ASSERT_EQ(0, tenant_start(&self->cgroups, &tenant));
			ASSERT_EQ(0, cache_read(&self->cache, &self->cgroups, 0,
						(off_t)(value * cycles + i) * 2 * MIB, 2 * MIB));
			tenant_end(&tenant);
			ASSERT_EQ(0, cgroups_remove(&self->cgroups, 0));
			self->cgroups.made = 0;
			ASSERT_EQ(0, reclaim_root(&self->cgroups, &reclaim));
		}
		for (i = 0; i < 20 && cgroups_dying(&self->cgroups) > before; i++)
			usleep(100000);
		left[value] = cgroups_dying(&self->cgroups) - before;
	}
	CHECK(left[1], <=, left[0] + 2, "dying cgroups after %u cycles, as with all off and 2", cycles);
}

/*
 * Root memory.reclaim is ten times slower after a change of batch size (2024)
 * https://lore.kernel.org/r/20240206175251.3364296-1-tjmercier@google.com
 *
 * Page cache of 100 memcgs, one write of most of it to the root's
 * memory.reclaim.  It is met, and the pages/s are not below the control, all
 * switches off; of the best of some rounds, more when the machine is noisy: one
 * request takes a fraction of a second.  A kernel without the feature has only
 * the one kind of rounds, and passes.
 */
TEST_F_TIMEOUT(cases, big_request, TIMEOUT)
{
	const unsigned int n = 100;
	const size_t each = (long_run() ? 8 : 1) * MIB;
	struct reclaim reclaim = { .workers = 1, .requests = 1, .cpu = -1 };
	long long rate, best[2] = { 0, 0 };
	struct counters before, delta;
	char reason[TEXT_MAX], text[32];
	long long pages;
	int ret, value, round, turn;
	unsigned int i;

	ret = cache_open(&self->cache, n * each, reason);
	if (ret == 1)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, ret) TH_LOG("%s", reason);
	self->cached = true;
	ASSERT_EQ(0, cgroups_make(&self->cgroups, n, NULL));
	snprintf(text, sizeof(text), "%zu swappiness=0", n * each / 10 * 8);
	reclaim.text = text;
	for (round = 0; round < 3 || (round < 12 && 2 * best[1] < best[0]); round++) {
		for (turn = 0; turn < 2; turn++) {
			/* each of them goes first in half of the rounds */
			value = (round + turn) % 2;
			if (!knobs_missing(reason))
				ASSERT_EQ(0, knobs_all(value));
			for (i = 0; i < n; i++)
				ASSERT_EQ(0, cache_read(&self->cache, &self->cgroups, i,
							(off_t)i * each, each));
			pages = cgroups_pgsteal(&self->cgroups);
			ASSERT_LE(0, pages);
			ASSERT_EQ(0, counters_read(&before));
			ASSERT_EQ(0, reclaim_root(&self->cgroups, &reclaim));
			counters_since(&delta, &before);
			pages = cgroups_pgsteal(&self->cgroups) - pages;
			rate = pages * NSEC_PER_SEC / (reclaim.max_ns + 1);
			CHECK(pages, >=, (long long)(n * each / 10 * 8 / getpagesize()) * 9 / 10,
			      "round %d, switches %d: pages, 90 %% of the request (%lld pages/s, %lld visits)",
			      round, value, rate, delta.lru_gen_memcg_visit);
			if (rate > best[value])
				best[value] = rate;
		}
	}
	CHECK(2 * best[1], >=, best[0], "twice the best pages/s with all on, at least the one with all off");
}

/*
 * The cost of lruvec_lru_size grows with CPUs and cgroups (commit b11edebbc967, 2019)
 * https://lore.kernel.org/r/20190905071034.16822-1-honglei.wang@oracle.com
 *
 * Classic LRU: the time of a request is linear in the number of memcgs, and
 * does not depend on the possible CPUs: LRU_GEN_MEMCG_CLASSIC_NS may give what
 * another boot, of other possible CPUs, said for each memcg.  Passes on a kernel
 * without the feature.
 */
TEST_F_TIMEOUT(cases, classic_lru, TIMEOUT)
{
	const unsigned int n[2] = { 250, 500 }, rounds = 5;
	struct reclaim reclaim = { .workers = 1, .requests = 1, .text = RECLAIM_IN_VAIN, .cpu = -1 };
	int64_t best[2] = { INT64_MAX, INT64_MAX };
	const char *other = getenv("LRU_GEN_MEMCG_CLASSIC_NS");
	unsigned int i, round;
	int ret;

	ret = lru_gen_set(false);
	ASSERT_TRUE(!ret || ret == -ENOENT || ret == -EACCES);
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cgroups_make(&self->cgroups, n[i], NULL));
		for (round = 0; round < rounds; round++) {
			ASSERT_EQ(0, reclaim_root(&self->cgroups, &reclaim));
			if (reclaim.max_ns < best[i])
				best[i] = reclaim.max_ns;
		}
	}
	TH_LOG("classic LRU, %ld possible CPUs: %lld ns a request and memcg",
	       sysconf(_SC_NPROCESSORS_CONF), (long long)best[1] / n[1]);
	CHECK(best[1], <=, 4 * best[0], "ns of a request, 500 memcgs, at most 4 x 250 memcgs'");
	if (other)
		CHECK(best[1] / n[1], <=, 2 * atoll(other), "ns a request and memcg, twice the other boot's");
}

/*
 * The LTP case madvise09 that the same fix cites
 *
 * 32 MADV_FREE pages in a memcg, then pressure in it: they are reclaimed.
 * Passes on a kernel without the feature.
 */
TEST_F_TIMEOUT(cases, madv_free, TIMEOUT)
{
	const size_t page = getpagesize(), pages = 32;
	int status, tries;
	pid_t pid;

	ASSERT_EQ(0, cgroups_make(&self->cgroups, 1, NULL));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		unsigned char *memory;
		size_t left = pages, i;

		if (cgroups_write(&self->cgroups, 0, "cgroup.procs", "0"))
			_exit(101);
		memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			_exit(102);
		madvise(memory, pages * page, MADV_NOHUGEPAGE);
		memset(memory, 'x', pages * page);
		if (madvise(memory, pages * page, MADV_FREE))
			_exit(103);
		for (tries = 0; tries < 100 && left; tries++) {
			unsigned char here[32];

			cgroups_write(&self->cgroups, 0, "memory.reclaim", "256K");
			/* reading a page would tell, and bring back a page of zeros */
			if (mincore(memory, pages * page, here))
				_exit(104);
			for (left = i = 0; i < pages; i++)
				left += here[i] & 1;
		}
		for (i = 0; i < pages && !left; i++)
			if (memory[i * page])
				_exit(105);
		_exit(left);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFEXITED(status));
	CHECK(WEXITSTATUS(status), ==, 0, "MADV_FREE pages left of %zu (more than 100: a step failed)", pages);
}

/*
 * Yielding at every 1024th item was too coarse (2024)
 * https://lore.kernel.org/r/20241224025238.3768787-1-chenridong@huaweicloud.com
 *
 * Many empty memcgs, and one that holds many tasks: with resched=1 a task that
 * wants to run waits for no more than a few memcgs.
 */
TEST_F_TIMEOUT(cases, many_tasks, TIMEOUT)
{
	const unsigned int n = long_run() ? 8000 : 2000;
	struct tenant tenant = { .threads = long_run() ? 4000 : 500 };
	struct reclaim reclaim = {
		.workers = 1, .requests = 1, .text = RECLAIM_IN_VAIN, .cpu = last_cpu()
	};
	int64_t least[2] = { INT64_MAX, INT64_MAX };
	char reason[TEXT_MAX];
	struct late late;
	int round, value;

	if (knobs_missing(reason) || resched_missing(reason))
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, cgroups_make(&self->cgroups, n, NULL));
	ASSERT_EQ(0, tenant_start(&self->cgroups, &tenant));
	for (round = 0; round < 3; round++) {
		for (value = 0; value < 2; value++) {
			ASSERT_EQ(0, knob_set(KNOB_resched, value));
			ASSERT_EQ(0, reclaim_watched(&self->cgroups, &reclaim, &late));
			TH_LOG("round %d, resched=%d: ran %u times, late by %lld us (median), %lld us (at most)",
			       round, value, late.runs, (long long)late.median_ns / 1000,
			       (long long)late.max_ns / 1000);
			if (late.median_ns < least[value])
				least[value] = late.median_ns;
		}
	}
	tenant_end(&tenant);
	CHECK(4 * least[1] / 1000, <=, least[0] / 1000,
	      "4 x the lateness with resched=1, at most the one with 0, us");
}

TEST_MAIN
