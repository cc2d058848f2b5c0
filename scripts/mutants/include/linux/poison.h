/* SPDX-License-Identifier: GPL-2.0 */
#define LIST_POISON2 ((void *)0x122)
