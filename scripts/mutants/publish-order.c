// SPDX-License-Identifier: GPL-2.0
/*
 * Do the insertions of include/linux/rculist_nulls.h publish an entry the right
 * way?  The store that makes it reachable must be a release (rcu_assign_pointer),
 * and must come after the entry's own next pointer is set.  x86 orders stores,
 * so no test that runs there sees it when they do not; this one runs the kernel's
 * code with its stores noted, see include/linux/rcupdate.h.
 *
 * Plain stores cannot be noted: they are found as differences between what was
 * noted and what is there (build with -O0, which keeps their order).
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/rcupdate.h>
#include <linux/list_nulls.h>
#include <linux/rculist_nulls.h>

#define NR_NODES	4
#define MARKER		((struct hlist_nulls_node *)NULLS_MARKER(7))

/* All that an insertion may write to, as one array of pointers. */
struct arena {
	struct hlist_nulls_head head;
	struct hlist_nulls_node nodes[NR_NODES];
};

#define NR_SLOTS	(sizeof(struct arena) / sizeof(void *))

static struct {
	struct arena now;
	/* what the stores noted so far make of it */
	void *noted[NR_SLOTS];
	/* the entry that is inserted, and its slots */
	struct hlist_nulls_node *entry;
	bool next_set;
	int nr_publications;
	const char *wrong;
} check;

static void slot_stored(size_t slot, void *value, enum store_kind kind)
{
	void **slots = (void **)&check.now;
	void *at = &slots[slot];
	bool is_pprev = false;
	int i;

	check.noted[slot] = value;

	for (i = 0; i < NR_NODES; i++)
		is_pprev |= at == (void *)&check.now.nodes[i].pprev;
	/* readers do not use it */
	if (is_pprev)
		return;

	if (at == (void *)&check.entry->next) {
		if (check.nr_publications)
			check.wrong = "its next pointer is set after it is published";
		check.next_set = true;
	} else if (value == check.entry) {
		check.nr_publications++;
		if (kind != STORE_RELEASE)
			check.wrong = "it is published without a barrier (rcu_assign_pointer)";
		if (!check.next_set)
			check.wrong = "it is published before its next pointer is set";
	} else {
		check.wrong = "another next pointer is written";
	}
}

/* Stores that nobody told of. */
static void find_plain_stores(void)
{
	void **slots = (void **)&check.now;
	size_t i;

	for (i = 0; i < NR_SLOTS; i++) {
		if (slots[i] != check.noted[i])
			slot_stored(i, slots[i], STORE_PLAIN);
	}
}

void note_store(void *slot, const void *value, enum store_kind kind)
{
	find_plain_stores();
	slot_stored((size_t)((void **)slot - (void **)&check.now), (void *)value, kind);
}

enum op { ADD_HEAD, ADD_TAIL, ADD_BEHIND };

static const char *const op_names[] = {
	"hlist_nulls_add_head_rcu", "hlist_nulls_add_tail_rcu", "hlist_nulls_add_behind_rcu",
};

/* Inserts into a list of @len, with ADD_BEHIND behind its entry @pos. */
static bool run(enum op op, int len, int pos)
{
	struct hlist_nulls_node **pprev = &check.now.head.first;
	int i;

	memset(&check, 0, sizeof(check));
	for (i = 0; i < len; i++) {
		*pprev = &check.now.nodes[i];
		check.now.nodes[i].pprev = pprev;
		pprev = &check.now.nodes[i].next;
	}
	*pprev = MARKER;
	check.entry = &check.now.nodes[NR_NODES - 1];
	memcpy(check.noted, &check.now, sizeof(check.now));

	if (op == ADD_HEAD)
		hlist_nulls_add_head_rcu(check.entry, &check.now.head);
	else if (op == ADD_TAIL)
		hlist_nulls_add_tail_rcu(check.entry, &check.now.head);
	else
		hlist_nulls_add_behind_rcu(check.entry, &check.now.nodes[pos]);
	find_plain_stores();

	if (!check.wrong && check.nr_publications != 1)
		check.wrong = "it is not published just once";
	if (check.wrong)
		printf("%s, list of %d: %s\n", op_names[op], len, check.wrong);

	return !check.wrong;
}

int main(void)
{
	int len, pos, nr = 0;
	bool right = true;

	for (len = 0; len < NR_NODES; len++) {
		right &= run(ADD_HEAD, len, 0);
		right &= run(ADD_TAIL, len, 0);
		nr += 2;
		for (pos = 0; pos < len; pos++, nr++)
			right &= run(ADD_BEHIND, len, pos);
	}
	if (right)
		printf("%d insertions publish in order\n", nr);

	return !right;
}
