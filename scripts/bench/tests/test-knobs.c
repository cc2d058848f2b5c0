// SPDX-License-Identifier: GPL-2.0
#include <errno.h>

#include "arms.h"
#include "knobs.h"
#include "tap.h"
#include "tmpdir.h"

static void parsing(struct tap *t)
{
	static const char *const bad[] = {
		"", "=", "=1", "vm.swappiness", "vm.swappiness=", "vm..x=1",
		".vm.x=1", "vm.x.=1", "vm x=1", "../etc/passwd=1", "/=1", "vm.x=1\n",
	};
	struct knob_setting s;
	char text[400];

	ok(t, !knob_parse("vm.swappiness=60", &s) &&
	      !strcmp(s.name, "vm.swappiness") && !strcmp(s.value, "60"),
	   "a sysctl");
	ok(t, !knob_parse("/sys/kernel/mm/lru_gen/enabled=0x0007", &s) &&
	      !strcmp(s.name, "/sys/kernel/mm/lru_gen/enabled") &&
	      !strcmp(s.value, "0x0007"), "an absolute path");
	ok(t, !knob_parse("/sys/x=a=b", &s) && !strcmp(s.value, "a=b"),
	   "a value with = in it");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(t, knob_parse(bad[i], &s) == -EINVAL, "refused: bad form %zu", i);
	memset(text, 'a', sizeof(text));
	memcpy(text, "vm.x=", 5);
	text[sizeof(text) - 1] = '\0';
	ok(t, knob_parse(text, &s) == -EINVAL, "refused: a value that is too long");
}

static void restoring(struct tap *t, const char *dir)
{
	struct knob_set set = { .sysroot = dir };
	struct bench_error err = { 0 };
	char buf[64], path[1024];

	tmpdir_put(dir, "proc/sys/vm/a", "1\n");
	tmpdir_put(dir, "proc/sys/vm/b", "2\n");
	tmpdir_put(dir, "proc/sys/net/ipv4/conf/eth0.1/c", "3\n");
	tmpdir_put(dir, "sys/d", "0x0007\n");

	ok(t, knob_add(&set, "vm.none", &err) && err.code == EXIT_MISSING,
	   "a knob that the kernel lacks is missing");
	ok_text(t, err.text, "this kernel has no vm.none", "and is named");
	ok(t, knob_add(&set, "not a knob", &err) && err.code == EXIT_USAGE,
	   "a name of a wrong form is a usage error");
	ok(t, !knob_add(&set, "vm.a", &err) && !knob_add(&set, "vm.b", &err) &&
	      !knob_add(&set, "net.ipv4.conf.eth0/1.c", &err) &&
	      !knob_add(&set, "/sys/d", &err) && set.count == 4, "four are added");
	ok(t, !knob_write(&set, "vm.a", "0", &err) &&
	      !strcmp(tmpdir_get(dir, "proc/sys/vm/a", buf, sizeof(buf)), "0\n"),
	   "a sysctl is written");
	ok(t, !knob_write(&set, "/sys/d", "0x0000", &err) &&
	      !strcmp(tmpdir_get(dir, "sys/d", buf, sizeof(buf)), "0x0000\n"),
	   "a path is written");
	ok(t, !knob_write(&set, "net.ipv4.conf.eth0/1.c", "9", &err) &&
	      !strcmp(tmpdir_get(dir, "proc/sys/net/ipv4/conf/eth0.1/c", buf,
				 sizeof(buf)), "9\n"),
	   "a slash in a sysctl's name stands for a dot");
	ok(t, !knob_add(&set, "vm.a", &err) && set.count == 4,
	   "adding one again does not save the changed value");
	ok(t, knob_write(&set, "vm.c", "1", &err), "one that was not added cannot be written");

	/* touched by someone else, not by us: must stay */
	tmpdir_put(dir, "proc/sys/vm/b", "5\n");
	ok(t, !knob_restore(&set, &err), "restore");
	ok(t, !strcmp(tmpdir_get(dir, "proc/sys/vm/a", buf, sizeof(buf)), "1\n"),
	   "the sysctl is back");
	ok(t, !strcmp(tmpdir_get(dir, "sys/d", buf, sizeof(buf)), "0x0007\n"),
	   "the path is back");
	ok(t, !strcmp(tmpdir_get(dir, "proc/sys/vm/b", buf, sizeof(buf)), "5\n"),
	   "what was not written is left alone");

	ok(t, !knob_write(&set, "vm.a", "0", &err) && !knob_write(&set, "vm.b", "0", &err),
	   "write two again");
	snprintf(path, sizeof(path), "%s/proc/sys/vm/b", dir);
	unlink(path);
	ok(t, knob_restore(&set, &err) && err.code == EXIT_FAIL,
	   "a knob that is gone: restore fails");
	ok_text(t, err.text, path, "and names it");
	ok(t, !strcmp(tmpdir_get(dir, "proc/sys/vm/a", buf, sizeof(buf)), "1\n"),
	   "the others are put back all the same");
	ok(t, knob_write(&set, "vm.b", "1", &err), "a write that fails is told");
}

static const char *values(const struct arm *arm, char *buf)
{
	for (size_t i = 0; i < arm->count; i++)
		buf[i] = arm->settings[i].value[0];
	buf[arm->count] = '\0';
	return buf;
}

static void arms(struct tap *t)
{
	static const char *const bad[] = {
		"", ",", "control,", ",control", "control,,all", "Control",
		"control, all", "contro", "controls", "control,control",
	};
	struct bench_error err = { 0 };
	struct arm_list list;
	char buf[8];

	ok(t, !arm_parse_list("control,tail_cache,skip_young,resched,all", &list, &err) &&
	      list.count == 5, "five arms");
	ok(t, !strcmp(values(&list.arms[0], buf), "000") &&
	      !strcmp(list.arms[0].name, "control"), "control is 000");
	ok(t, !strcmp(values(&list.arms[1], buf), "100"), "tail_cache is 100");
	ok(t, !strcmp(values(&list.arms[2], buf), "110"), "skip_young is 110");
	ok(t, !strcmp(values(&list.arms[3], buf), "111"), "resched is 111");
	ok(t, !strcmp(values(&list.arms[4], buf), "111") &&
	      !strcmp(list.arms[4].name, "all"), "all is 111");
	ok(t, !strcmp(list.arms[0].settings[0].name, "vm.lru_gen_memcg_tail_cache") &&
	      !strcmp(list.arms[0].settings[1].name, "vm.lru_gen_memcg_skip_young") &&
	      !strcmp(list.arms[0].settings[2].name, "vm.lru_gen_memcg_resched"),
	   "names of the sysctls");
	ok(t, !arm_parse_list("all", &list, &err) && list.count == 1, "one arm");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(t, arm_parse_list(bad[i], &list, &err) && err.code == EXIT_USAGE,
		   "refused: \"%s\"", bad[i]);
}

static void applying(struct tap *t, const char *dir)
{
	static const char *const names[] = {
		"proc/sys/vm/lru_gen_memcg_tail_cache",
		"proc/sys/vm/lru_gen_memcg_skip_young",
		"proc/sys/vm/lru_gen_memcg_resched",
	};
	struct knob_set set = { .sysroot = dir };
	struct bench_error err = { 0 };
	char got[4] = "", buf[16];
	struct arm_list list;

	arm_parse_list("skip_young", &list, &err);
	ok(t, arm_save_knobs(&list, &set, &err) && err.code == EXIT_MISSING,
	   "a kernel without the sysctls");
	for (int i = 0; i < 3; i++)
		tmpdir_put(dir, names[i], i == 1 ? "0\n" : "1\n");
	ok(t, !arm_save_knobs(&list, &set, &err) && set.count == 3, "a kernel with them");
	ok(t, !arm_apply(&list.arms[0], &set, &err), "apply");
	for (int i = 0; i < 3; i++)
		got[i] = tmpdir_get(dir, names[i], buf, sizeof(buf))[0];
	ok(t, !strcmp(got, "110"), "the files hold the arm's values");
	ok(t, !knob_restore(&set, &err), "restore");
	for (int i = 0; i < 3; i++)
		got[i] = tmpdir_get(dir, names[i], buf, sizeof(buf))[0];
	ok(t, !strcmp(got, "101"), "the files hold what they held");
}

static void shuffling(struct tap *t)
{
	unsigned int first[4] = { 0 }, seen = 0, repeats = 0;
	size_t a[4], b[4], before = 4;
	bool differs = false, valid = true;

	shuffle_order(a, 4, 7, 1);
	shuffle_order(b, 4, 7, 1);
	ok(t, !memcmp(a, b, sizeof(a)), "the same seed and round: the same order");
	for (unsigned long round = 1; round <= 400; round++) {
		unsigned int mask = 0;

		shuffle_order(b, 4, 7, round);
		for (int i = 0; i < 4; i++)
			mask |= 1u << b[i];
		valid &= mask == 15;
		differs |= memcmp(a, b, sizeof(a)) != 0;
		first[b[0]]++;
		repeats += b[0] == before;
		before = b[0];
		seen |= 1u << (b[0] * 4 + b[1]);
	}
	ok(t, valid, "each order has every number once");
	ok(t, differs, "rounds differ");
	/* 100 expected, standard deviation 8.7: five of them */
	for (int i = 0; i < 4; i++)
		ok(t, first[i] > 56 && first[i] < 144, "number %d comes first in %u of 400",
		   i, first[i]);
	ok(t, repeats > 56 && repeats < 144, "the first of a round is the next one's in %u of 399",
	   repeats);
	shuffle_order(b, 4, 8, 1);
	for (unsigned long round = 1; round < 9 && !memcmp(a, b, sizeof(a)); round++) {
		shuffle_order(a, 4, 7, round);
		shuffle_order(b, 4, 8, round);
	}
	ok(t, memcmp(a, b, sizeof(a)), "seeds differ");
	ok(t, seen == 0x7bde, "each pair comes first at some time");
	shuffle_order(a, 1, 7, 1);
	ok(t, !a[0], "one number");
}

int main(void)
{
	struct tap t = { 0 };
	char dir[512];

	parsing(&t);
	tmpdir_make(dir, sizeof(dir));
	restoring(&t, dir);
	arms(&t);
	applying(&t, dir);
	tmpdir_remove(dir);
	shuffling(&t);
	return tap_end(&t);
}
