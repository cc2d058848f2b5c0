// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arms.h"

static const char *const feature_knobs[] = {
	"vm.lru_gen_memcg_tail_cache",
	"vm.lru_gen_memcg_skip_young",
	"vm.lru_gen_memcg_resched",
};

static const struct {
	const char *name;
	size_t on;	/* how many of feature_knobs, from the first */
} feature_arms[] = {
	{ "control", 0 },
	{ "tail_cache", 1 },
	{ "skip_young", 2 },
	{ "resched", 3 },
	{ "all", 3 },
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void arm_fill(struct arm *arm, size_t which)
{
	memset(arm, 0, sizeof(*arm));
	strcpy(arm->name, feature_arms[which].name);
	arm->count = ARRAY_SIZE(feature_knobs);
	for (size_t i = 0; i < arm->count; i++) {
		strcpy(arm->settings[i].name, feature_knobs[i]);
		strcpy(arm->settings[i].value,
		       i < feature_arms[which].on ? "1" : "0");
	}
}

int arm_parse_list(const char *text, struct arm_list *out,
		   struct bench_error *err)
{
	out->count = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		size_t which;

		for (which = 0; which < ARRAY_SIZE(feature_arms); which++) {
			if (strlen(feature_arms[which].name) == len &&
			    !memcmp(text, feature_arms[which].name, len))
				break;
		}
		if (which == ARRAY_SIZE(feature_arms))
			return bench_fail(err, EXIT_USAGE,
					  "arm \"%.*s\" is not known: take control, tail_cache, skip_young, resched or all, with commas between them",
					  (int)len, text);
		for (size_t i = 0; i < out->count; i++) {
			if (!strcmp(out->arms[i].name, feature_arms[which].name))
				return bench_fail(err, EXIT_USAGE,
						  "arm \"%s\" is given twice",
						  feature_arms[which].name);
		}
		arm_fill(&out->arms[out->count++], which);
		if (!text[len])
			return 0;
		text += len + 1;
	}
}

int arm_save_knobs(const struct arm_list *list, struct knob_set *set,
		   struct bench_error *err)
{
	for (size_t i = 0; i < list->count; i++) {
		for (size_t j = 0; j < list->arms[i].count; j++) {
			if (knob_add(set, list->arms[i].settings[j].name, err))
				return -1;
		}
	}
	return 0;
}

int arm_apply(const struct arm *arm, struct knob_set *set,
	      struct bench_error *err)
{
	for (size_t i = 0; i < arm->count; i++) {
		if (knob_write(set, arm->settings[i].name,
			       arm->settings[i].value, err))
			return -1;
	}
	return 0;
}

void shuffle_order(size_t *order, size_t count, unsigned long seed,
		   unsigned long round)
{
	/* as srand48() does, but with a state of our own */
	unsigned short state[3] = {
		0x330e, (unsigned short)seed, (unsigned short)(seed >> 16),
	};

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	/* one stream for all rounds: streams of near seeds would be alike */
	for (unsigned long i = 0; i < round * count; i++)
		nrand48(state);
	for (size_t i = count; i > 1; i--) {
		/* from the upper bits: the lower ones are less random */
		size_t j = (size_t)((uint64_t)nrand48(state) * i >> 31);
		size_t swap = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swap;
	}
}
