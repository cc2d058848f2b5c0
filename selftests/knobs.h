/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LRU_GEN_MEMCG_KNOBS_H
#define LRU_GEN_MEMCG_KNOBS_H

/* The switches, vm.lru_gen_memcg_*: the one place that lists them. */
#define FOR_EACH_KNOB(X)	\
	X(tail_cache)		\
	X(skip_young)		\
	X(resched)

#define KNOB_ENUM(name) KNOB_##name,
enum knob {
	FOR_EACH_KNOB(KNOB_ENUM)
	NR_KNOBS
};
#undef KNOB_ENUM

/* What a kernel with the option on boots with. */
#define KNOB_DEFAULT 1

#define KNOB_DIR "/proc/sys/vm/"
#define KNOB_PREFIX "lru_gen_memcg_"

#endif
