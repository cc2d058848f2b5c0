// SPDX-License-Identifier: GPL-2.0
/*
 * Each switch does what it says, seen through the counters in /proc/vmstat.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define TIMEOUT 300

/* How many possible NUMA nodes there are: each has a memcg LRU. */
static int possible_nodes(void)
{
	char text[64], *end;

	/* 0, or 0-3 */
	if (file_read("/sys/devices/system/node/possible", text, sizeof(text)) < 0)
		return 1;
	end = strrchr(text, '-');
	return end ? atoi(end + 1) + 1 : 1;
}

static bool counters_missing(char *reason)
{
	struct counters counters;

	if (!counters_read(&counters) && counters.lru_gen_memcg_visit >= 0)
		return false;
	snprintf(reason, TEXT_MAX, "no lru_gen_memcg_* in /proc/vmstat (CONFIG_VM_EVENT_COUNTERS)");
	return true;
}

/**
 * Empty cgroups, which requests in vain go over:
 *
 *	/ - lru_gen_memcg_selftest - 0 .. memcgs-1
 *
 * once for each combination of the switches.
 */
FIXTURE(effect) {
	struct cgroups cgroups;
	unsigned int memcgs;
	struct reclaim reclaim;
};

FIXTURE_VARIANT(effect) {
	int knobs[NR_KNOBS];
};

FIXTURE_VARIANT_ADD(effect, none) { .knobs = { 0, 0, 0 } };
FIXTURE_VARIANT_ADD(effect, tail_cache) {
	.knobs = { [KNOB_tail_cache] = 1 }
};
FIXTURE_VARIANT_ADD(effect, skip_young) {
	.knobs = { [KNOB_skip_young] = 1 }
};
FIXTURE_VARIANT_ADD(effect, resched) {
	.knobs = { [KNOB_resched] = 1 }
};
FIXTURE_VARIANT_ADD(effect, tail_cache_skip_young) {
	.knobs = { [KNOB_tail_cache] = 1, [KNOB_skip_young] = 1 }
};
FIXTURE_VARIANT_ADD(effect, tail_cache_resched) {
	.knobs = { [KNOB_tail_cache] = 1, [KNOB_resched] = 1 }
};
FIXTURE_VARIANT_ADD(effect, skip_young_resched) {
	.knobs = { [KNOB_skip_young] = 1, [KNOB_resched] = 1 }
};
FIXTURE_VARIANT_ADD(effect, all) {
	.knobs = { [KNOB_tail_cache] = 1, [KNOB_skip_young] = 1, [KNOB_resched] = 1 }
};

FIXTURE_SETUP(effect)
{
	char reason[TEXT_MAX];
	int ret;

	self->memcgs = long_run() ? 2000 : 200;
	self->reclaim = (struct reclaim) {
		.workers = 4, .requests = 2, .text = RECLAIM_IN_VAIN, .cpu = -1
	};
	if (knobs_missing(reason) || counters_missing(reason))
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, lru_gen_set(true));
	ASSERT_EQ(0, knobs_set(variant->knobs));
	ret = cgroups_open(&self->cgroups, reason);
	if (ret == 1)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, ret) TH_LOG("%s", reason);
}

FIXTURE_TEARDOWN_PARENT(effect)
{
	int knob;

	EXPECT_EQ(0, cgroups_close(&self->cgroups));
	for (knob = 0; knob < NR_KNOBS; knob++)
		EXPECT_EQ(0, knob_set(knob, knobs_booted(knob)));
}

TEST_F_TIMEOUT(effect, reclaim, TIMEOUT)
{
	struct counters before, delta;

	ASSERT_EQ(0, cgroups_make(&self->cgroups, self->memcgs, NULL));
	ASSERT_EQ(0, counters_read(&before));
	ASSERT_EQ(0, reclaim_root(&self->cgroups, &self->reclaim));
	counters_since(&delta, &before);

	CHECK(self->reclaim.answered, ==, self->reclaim.workers * self->reclaim.requests, "requests");
	/* each request goes over all of them, most of them more than once */
	CHECK(delta.lru_gen_memcg_visit, >=, (long long)self->reclaim.answered * self->memcgs,
	      "visits");
	CHECK(delta.lru_gen_memcg_rotate, >=, self->memcgs, "rotations");
	/* a visit rotates at most once, and nothing else does here */
	CHECK(delta.lru_gen_memcg_rotate, <=, delta.lru_gen_memcg_visit + self->memcgs,
	      "rotations, next to %lld visits", delta.lru_gen_memcg_visit);
	if (variant->knobs[KNOB_tail_cache])
		CHECK(delta.lru_gen_memcg_walk, ==, 0, "walks");
	else
		/* one for each rotation that was not skipped: all of them are to tails */
		CHECK(delta.lru_gen_memcg_walk, >=, self->memcgs, "walks");
	CHECK(delta.lru_gen_memcg_walk + delta.lru_gen_memcg_skip_young, <=,
	      delta.lru_gen_memcg_rotate, "walks and skips together, at most rotations");
	if (!variant->knobs[KNOB_skip_young])
		CHECK(delta.lru_gen_memcg_skip_young, ==, 0, "skipped rotations");
	else
		CHECK(delta.lru_gen_memcg_skip_young, >, 0, "skipped rotations");
	TH_LOG("restarts: %lld", delta.lru_gen_memcg_restart);
}

TEST_F_TIMEOUT(effect, create_and_remove, TIMEOUT)
{
	long long inserted = (long long)self->memcgs * possible_nodes();
	struct counters before, delta;
	unsigned int i;

	ASSERT_EQ(0, counters_read(&before));
	ASSERT_EQ(0, cgroups_make(&self->cgroups, self->memcgs, NULL));
	counters_since(&delta, &before);
	if (variant->knobs[KNOB_tail_cache])
		CHECK(delta.lru_gen_memcg_walk, ==, 0, "walks of mkdir");
	else
		CHECK(delta.lru_gen_memcg_walk, >=, inserted, "walks of mkdir, nodes counted");

	ASSERT_EQ(0, counters_read(&before));
	for (i = 0; i < self->memcgs; i++)
		ASSERT_EQ(0, cgroups_remove(&self->cgroups, i));
	/* going offline is a rotation to the old generation, to the head of a list */
	for (i = 0; i < 200; i++) {
		counters_since(&delta, &before);
		if (delta.lru_gen_memcg_rotate >= inserted)
			break;
		usleep(50000);
	}
	CHECK(delta.lru_gen_memcg_rotate, >=, inserted, "rotations of rmdir, nodes counted");
	CHECK(delta.lru_gen_memcg_walk, ==, 0, "walks of rmdir");
}

/* With the multi-gen LRU off reclaim visits nothing, and mkdir still inserts. */
TEST_F_TIMEOUT(effect, lru_gen_off, TIMEOUT)
{
	struct counters before, delta;

	ASSERT_EQ(0, lru_gen_set(false));
	ASSERT_EQ(0, counters_read(&before));
	ASSERT_EQ(0, cgroups_make(&self->cgroups, self->memcgs, NULL));
	ASSERT_EQ(0, reclaim_root(&self->cgroups, &self->reclaim));
	counters_since(&delta, &before);
	ASSERT_EQ(0, lru_gen_set(true));
	CHECK(delta.lru_gen_memcg_visit, ==, 0, "visits");
	if (variant->knobs[KNOB_tail_cache])
		CHECK(delta.lru_gen_memcg_walk, ==, 0, "walks");
	else
		CHECK(delta.lru_gen_memcg_walk, >=, self->memcgs, "walks");
}

/**
 * All switches flipped while memcgs are visited, come and go.  The kernel's own
 * checks tell whether that did harm, above all those of the walks at the end:
 * each compares the cached tail with the one it found.  (run.sh reads the log.)
 */
FIXTURE(flips) {
	struct cgroups cgroups;
	pid_t flipper;
};

FIXTURE_SETUP(flips)
{
	char reason[TEXT_MAX];
	int ret;

	if (knobs_missing(reason) || counters_missing(reason))
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, lru_gen_set(true));
	ret = cgroups_open(&self->cgroups, reason);
	if (ret == 1)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, ret) TH_LOG("%s", reason);
}

FIXTURE_TEARDOWN_PARENT(flips)
{
	int knob;

	if (self->flipper > 0)
		kill(self->flipper, SIGKILL);
	EXPECT_EQ(0, cgroups_close(&self->cgroups));
	for (knob = 0; knob < NR_KNOBS; knob++)
		EXPECT_EQ(0, knob_set(knob, knobs_booted(knob)));
}

TEST_F_TIMEOUT(flips, while_in_use, TIMEOUT)
{
	struct reclaim reclaim = {
		.workers = 4, .requests = long_run() ? 20 : 2, .text = RECLAIM_IN_VAIN, .cpu = -1
	};
	const unsigned int memcgs = long_run() ? 1000 : 200, rounds = 3;
	static const int off[NR_KNOBS];
	struct counters before, delta;
	unsigned int round, i;
	pid_t pid;

	/* not at once into *self: the child shares that */
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		unsigned int n;

		for (n = 0;; n++) {
			knob_set(n % NR_KNOBS, (n / NR_KNOBS) % 2);
			usleep(3000);
		}
	}
	self->flipper = pid;
	ASSERT_EQ(0, counters_read(&before));
	for (round = 0; round < rounds; round++) {
		ASSERT_EQ(0, cgroups_make(&self->cgroups, memcgs, NULL));
		ASSERT_EQ(0, reclaim_root(&self->cgroups, &reclaim));
		/* only half of what comes is met by reclaim as well */
		for (i = memcgs; i-- > memcgs / 2;) {
			ASSERT_EQ(0, cgroups_remove(&self->cgroups, i));
			self->cgroups.made--;
		}
	}
	kill(self->flipper, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	self->flipper = 0;
	counters_since(&delta, &before);
	CHECK(delta.lru_gen_memcg_visit, >=, (long long)memcgs * rounds, "visits");
	CHECK(delta.lru_gen_memcg_walk, >, 0, "walks: it was off at times");
	CHECK(delta.lru_gen_memcg_rotate - delta.lru_gen_memcg_skip_young, >,
	      delta.lru_gen_memcg_walk, "moves, more than walks: it was on at times");

	ASSERT_EQ(0, knobs_set(off));
	ASSERT_EQ(0, counters_read(&before));
	ASSERT_EQ(0, reclaim_root(&self->cgroups, &reclaim));
	counters_since(&delta, &before);
	CHECK(delta.lru_gen_memcg_walk, >=, memcgs / 2, "walks that checked a tail at the end");
}

/**
 * resched=1 lets a bystander run while empty memcgs are gone over, with
 * resched=0 as the control.  Both on one CPU, so it takes no guest with one.
 * Of several rounds the least late one counts: what else the machine does only
 * makes it later.
 */
FIXTURE(resched) {
	struct cgroups cgroups;
};

FIXTURE_SETUP(resched)
{
	char reason[TEXT_MAX];
	int ret;

	if (knobs_missing(reason) || resched_missing(reason))
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, lru_gen_set(true));
	ret = cgroups_open(&self->cgroups, reason);
	if (ret == 1)
		SKIP(return, "%s", reason);
	ASSERT_EQ(0, ret) TH_LOG("%s", reason);
}

FIXTURE_TEARDOWN_PARENT(resched)
{
	int knob;

	EXPECT_EQ(0, cgroups_close(&self->cgroups));
	for (knob = 0; knob < NR_KNOBS; knob++)
		EXPECT_EQ(0, knob_set(knob, knobs_booted(knob)));
}

TEST_F_TIMEOUT(resched, bystander_runs, TIMEOUT)
{
	struct reclaim reclaim = {
		.workers = 1, .requests = 1, .text = RECLAIM_IN_VAIN, .cpu = last_cpu()
	};
	int64_t median[2] = { INT64_MAX, INT64_MAX };
	struct late late;
	int round, value;

	ASSERT_LE(0, reclaim.cpu);
	ASSERT_EQ(0, cgroups_make(&self->cgroups, long_run() ? 8000 : 2000, NULL));
	for (round = 0; round < 3; round++) {
		for (value = 0; value < 2; value++) {
			ASSERT_EQ(0, knob_set(KNOB_resched, value));
			ASSERT_EQ(0, reclaim_watched(&self->cgroups, &reclaim, &late));
			TH_LOG("round %d, resched=%d: ran %u times, late by %lld us (median), %lld us (at most), request of %lld us",
			       round, value, late.runs, (long long)late.median_ns / 1000,
			       (long long)late.max_ns / 1000, (long long)reclaim.max_ns / 1000);
			if (late.median_ns < median[value])
				median[value] = late.median_ns;
		}
	}
	CHECK(4 * median[1] / 1000, <=, median[0] / 1000,
	      "4 x the lateness with resched=1, at most the one with 0, us");
}

TEST_MAIN
