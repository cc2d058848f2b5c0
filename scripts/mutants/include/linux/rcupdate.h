/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Just what rculist_nulls.h needs, with every marked store told to
 * publish-order.c.
 */
#ifndef PUBLISH_ORDER_RCUPDATE_H
#define PUBLISH_ORDER_RCUPDATE_H

#include <stddef.h>

#define __rcu
#define __force
#define likely(x) (x)
#define unlikely(x) (x)
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))

enum store_kind { STORE_PLAIN, STORE_ONCE, STORE_RELEASE };

/* Called before the store of @value to @slot. */
void note_store(void *slot, const void *value, enum store_kind kind);

#define note_and_store(x, v, kind)			\
	do {						\
		__typeof__(x) value_ = (v);		\
							\
		note_store(&(x), value_, (kind));	\
		(x) = value_;				\
	} while (0)

#define READ_ONCE(x)			(x)
#define WRITE_ONCE(x, v)		note_and_store(x, v, STORE_ONCE)
#define smp_store_release(p, v)		note_and_store(*(p), v, STORE_RELEASE)
#define rcu_assign_pointer(p, v)	note_and_store(p, v, STORE_RELEASE)
#define RCU_INIT_POINTER(p, v)		note_and_store(p, v, STORE_ONCE)
#define rcu_dereference_raw(p)		(p)
#define barrier()			__asm__ __volatile__("" : : : "memory")

#endif
