// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "tap.h"
#include "tmpdir.h"
#include "vmstat.h"

static const char text[] =
"nr_free_pages 478\n"
"lru_gen_memcg_rotate 10\n"
"lru_gen_memcg_skip_young 0\n"
"lru_gen_memcg_visit 18446744073709551615\n"
"lru_gen_memcg 5\n"
"swap_ra 0\n";

int main(void)
{
	static const char *const bad[] = {
		"novalue\n", " 5\n", "name x\n", "name -1\n", "\n",
		"lru_gen_memcg_visit 5 6\n", "lru_gen_memcg_visit 5x\n",
		"lru_gen_memcg_visit 18446744073709551616\n",
	};
	struct vmstat a, b, d;
	struct bench_error err;
	char many[8192] = "", dir[512];
	struct tap t = { 0 };
	uint64_t value = 0;

	ok(&t, !vmstat_parse(text, "lru_gen_memcg_", &a) && a.count == 3,
	   "three counters have the prefix");
	ok(&t, !strcmp(a.items[0].name, "lru_gen_memcg_rotate") && a.items[0].value == 10,
	   "in the kernel's order");
	ok(&t, vmstat_get(&a, VMSTAT_VISIT, &value) && value == UINT64_MAX,
	   "the largest value");
	ok(&t, !vmstat_get(&a, "lru_gen_memcg_none", &value), "one that is not there");
	ok(&t, !vmstat_parse("", "x", &b) && !b.count, "no line");
	ok(&t, !vmstat_parse("nr_free_pages 1\nlru_gen_memcg_x 3", "lru_gen_memcg_", &b) &&
	       b.count == 1 && b.items[0].value == 3, "no newline at the end");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(&t, vmstat_parse(bad[i], "lru_gen_memcg_", &b) == -EINVAL,
		   "refused: line %zu", i);
	for (int i = 0; i < 65; i++)
		sprintf(many + strlen(many), "lru_gen_memcg_%d 1\n", i);
	ok(&t, vmstat_parse(many, "lru_gen_memcg_", &b) == -E2BIG, "more than fit");

	vmstat_parse("p_a 5\np_b 7\n", "p_", &a);
	vmstat_parse("p_b 9\np_a 15\np_c 4\n", "p_", &b);
	vmstat_delta(&a, &b, &d);
	ok(&t, d.count == 3 && vmstat_get(&d, "p_a", &value) && value == 10,
	   "difference, by name and not by place");
	ok(&t, vmstat_get(&d, "p_c", &value) && value == 4, "a counter that is new");
	vmstat_delta(&a, &b, &b);
	ok(&t, vmstat_get(&b, "p_b", &value) && value == 2, "result in place");

	tmpdir_make(dir, sizeof(dir));
	ok(&t, vmstat_read(dir, "x", &a, &err) && err.code == EXIT_MISSING, "no /proc/vmstat");
	tmpdir_put(dir, "proc/vmstat", text);
	ok(&t, !vmstat_read(dir, VMSTAT_PREFIX, &a, &err) && a.count == 3, "from a file");
	tmpdir_put(dir, "proc/vmstat", "broken\n");
	ok(&t, vmstat_read(dir, "x", &a, &err) && strstr(err.text, "proc/vmstat"),
	   "a broken file is named");
	tmpdir_remove(dir);
	return tap_end(&t);
}
