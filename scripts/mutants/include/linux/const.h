/* SPDX-License-Identifier: GPL-2.0 */
#define UL(x) (x##UL)
#define _AC(x, y) x##y
