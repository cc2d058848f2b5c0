// SPDX-License-Identifier: GPL-2.0
/*
 * vm.lru_gen_memcg_{tail_cache,skip_young,resched}: values, odd writes, who may
 * write, and what the command line of the kernel set.
 *
 * The expected answers are the ones of the kernel's own parser of sysctls, as
 * seen: a change of them would be seen by users.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "util.h"

#define NOBODY 65534

enum { KEEP = -1 };

/**
 * struct row - one odd write
 * @what: for the output
 * @data: bytes to write
 * @len: how many
 * @at: file offset
 * @ret: expected return value of the write, or a negative errno
 * @value: what the switch reads afterwards, KEEP: the same as before
 */
struct row {
	const char *what;
	const char *data;
	size_t len;
	off_t at;
	ssize_t ret;
	int value;
};

#define TEXT(text) text, sizeof(text) - 1

/* Refused with EINVAL. */
static const struct row refused[] = {
	{ "negative", TEXT("-1\n"), 0, -EINVAL, KEEP },
	{ "two", TEXT("2\n"), 0, -EINVAL, KEEP },
	{ "fraction", TEXT("1.5\n"), 0, -EINVAL, KEEP },
	{ "zero as a fraction", TEXT("0.0\n"), 0, -EINVAL, KEEP },
	{ "exponent", TEXT("1e0\n"), 0, -EINVAL, KEEP },
	{ "plus sign", TEXT("+1\n"), 0, -EINVAL, KEEP },
	{ "two minus signs", TEXT("--1\n"), 0, -EINVAL, KEEP },
	{ "minus sign alone", TEXT("-\n"), 0, -EINVAL, KEEP },
	{ "hex two", TEXT("0x2\n"), 0, -EINVAL, KEEP },
	{ "hex without digits", TEXT("0x\n"), 0, -EINVAL, KEEP },
	{ "octal eight", TEXT("010\n"), 0, -EINVAL, KEEP },
	{ "no octal digit", TEXT("08\n"), 0, -EINVAL, KEEP },
	{ "binary", TEXT("0b1\n"), 0, -EINVAL, KEEP },
	{ "2^31", TEXT("2147483648\n"), 0, -EINVAL, KEEP },
	{ "2^32", TEXT("4294967296\n"), 0, -EINVAL, KEEP },
	{ "2^32 + 1", TEXT("4294967297\n"), 0, -EINVAL, KEEP },
	{ "2^64", TEXT("18446744073709551616\n"), 0, -EINVAL, KEEP },
	{ "2^64 + 1", TEXT("18446744073709551617\n"), 0, -EINVAL, KEEP },
	{ "huge", TEXT("99999999999999999999\n"), 0, -EINVAL, KEEP },
	{ "one with 20 zeros before it", TEXT("000000000000000000001\n"), 0, -EINVAL, KEEP },
	{ "text", TEXT("on\n"), 0, -EINVAL, KEEP },
	{ "boolean", TEXT("true\n"), 0, -EINVAL, KEEP },
	{ "letter", TEXT("y\n"), 0, -EINVAL, KEEP },
	{ "trailing junk", TEXT("1x\n"), 0, -EINVAL, KEEP },
	{ "trailing comma", TEXT("1,\n"), 0, -EINVAL, KEEP },
	{ "two numbers with a comma", TEXT("1,0\n"), 0, -EINVAL, KEEP },
	{ "two numbers, the first bad", TEXT("2 1\n"), 0, -EINVAL, KEEP },
	{ "line end of DOS", TEXT("1\r\n"), 0, -EINVAL, KEEP },
	{ "vertical tab behind", TEXT("1\v"), 0, -EINVAL, KEEP },
	{ "quoted", TEXT("\"1\"\n"), 0, -EINVAL, KEEP },
	{ "full-width digit", TEXT("\xef\xbc\x91\n"), 0, -EINVAL, KEEP },
	{ "NUL", TEXT("\0"), 0, -EINVAL, KEEP },
	{ "NUL behind", TEXT("1\0"), 0, -EINVAL, KEEP },
	{ "NUL in front", TEXT("\0" "1\n"), 0, -EINVAL, KEEP },
	{ "NUL between", TEXT("0\0" "1\n"), 0, -EINVAL, KEEP },
	{ "newline only", TEXT("\n"), 0, -EINVAL, KEEP },
	{ "space only", TEXT(" "), 0, -EINVAL, KEEP },
	{ "white space only", TEXT(" \t\n"), 0, -EINVAL, KEEP },
};

/* Accepted, and nothing changes. */
static const struct row ignored[] = {
	{ "empty", TEXT(""), 0, 0, KEEP },
	{ "0 at offset 1", TEXT("0"), 1, 1, KEEP },
	{ "1 at offset 1", TEXT("1"), 1, 1, KEEP },
	{ "0 and newline at offset 2", TEXT("0\n"), 2, 2, KEEP },
	{ "1 and newline at offset 2", TEXT("1\n"), 2, 2, KEEP },
	{ "0 far off", TEXT("0\n"), 1 << 20, 2, KEEP },
	{ "1 far off", TEXT("1\n"), 1 << 20, 2, KEEP },
	{ "two at offset 1", TEXT("2\n"), 1, 2, KEEP },
	{ "text at offset 1", TEXT("on\n"), 1, 3, KEEP },
	{ "NUL at offset 1", TEXT("\0"), 1, 1, KEEP },
	{ "empty at offset 1", TEXT(""), 1, 0, KEEP },
};

/* Accepted and read as 0 or 1.  A short count: the rest of the write is left. */
static const struct row parsed[] = {
	{ "0", TEXT("0"), 0, 1, 0 },
	{ "1", TEXT("1"), 0, 1, 1 },
	{ "0 and newline", TEXT("0\n"), 0, 2, 0 },
	{ "1 and newline", TEXT("1\n"), 0, 2, 1 },
	{ "two newlines", TEXT("1\n\n"), 0, 3, 1 },
	{ "0 with a zero", TEXT("00\n"), 0, 3, 0 },
	{ "1 with a zero", TEXT("01\n"), 0, 3, 1 },
	{ "0 with 18 zeros", TEXT("0000000000000000000\n"), 0, 20, 0 },
	{ "1 with 18 zeros", TEXT("0000000000000000001\n"), 0, 20, 1 },
	{ "hex 0", TEXT("0x0\n"), 0, 4, 0 },
	{ "hex 1", TEXT("0x1\n"), 0, 4, 1 },
	{ "hex 1, large X", TEXT("0X1\n"), 0, 4, 1 },
	{ "hex 1 with zeros", TEXT("0x00000001\n"), 0, 11, 1 },
	{ "minus 0", TEXT("-0\n"), 0, 3, 0 },
	{ "0 behind a space", TEXT(" 0\n"), 0, 3, 0 },
	{ "1 behind a tab", TEXT("\t1\n"), 0, 3, 1 },
	{ "1 behind a newline", TEXT("\n1"), 0, 2, 1 },
	{ "1 behind a vertical tab", TEXT("\v1"), 0, 2, 1 },
	{ "0 before spaces", TEXT("0  \n"), 0, 4, 0 },
	{ "1 between white space", TEXT("  1\t\n"), 0, 5, 1 },
	{ "two numbers, 0 first", TEXT("0 1\n"), 0, 2, 0 },
	{ "two numbers, 1 first", TEXT("1 0\n"), 0, 2, 1 },
	{ "two lines, 0 first", TEXT("0\n1\n"), 0, 2, 0 },
	{ "junk behind a space", TEXT("1 x\n"), 0, 2, 1 },
	{ "a bad number behind a space", TEXT("0 2\n"), 0, 2, 0 },
};

/**
 * Each test runs for each switch, with it at 0 and at 1 before.
 */
FIXTURE(knob) {
	const char *path;
};

FIXTURE_VARIANT(knob) {
	enum knob knob;
	int value;
};

#define KNOB_VARIANTS(name)						\
FIXTURE_VARIANT_ADD(knob, name##_0) { .knob = KNOB_##name, .value = 0 };	\
FIXTURE_VARIANT_ADD(knob, name##_1) { .knob = KNOB_##name, .value = 1 };
FOR_EACH_KNOB(KNOB_VARIANTS)

FIXTURE_SETUP(knob)
{
	char reason[TEXT_MAX];

	if (knobs_missing(reason))
		SKIP(return, "%s", reason);
	self->path = knob_path(variant->knob);
	ASSERT_EQ(0, knob_set(variant->knob, variant->value));
}

FIXTURE_TEARDOWN_PARENT(knob)
{
	if (knobs_booted(variant->knob) >= 0)
		EXPECT_EQ(0, knob_set(variant->knob, knobs_booted(variant->knob)));
}

static void check_rows(struct __test_metadata *_metadata, enum knob knob, int before,
		       const struct row *rows, size_t nr_rows)
{
	const struct row *row;

	for (row = rows; row < rows + nr_rows; row++) {
		ASSERT_EQ(0, knob_set(knob, before));
		CHECK(file_write(knob_path(knob), row->data, row->len, row->at), ==, row->ret,
		      "%s at %d: %s: write", knob_name(knob), before, row->what);
		CHECK(knob_get(knob), ==, row->value == KEEP ? before : row->value,
		      "%s at %d: %s: value", knob_name(knob), before, row->what);
	}
}

static bool offsets_count(void)
{
	/* 1: a write at an offset is ignored; 0 and -1: it is not */
	return file_read_number("/proc/sys/kernel/sysctl_writes_strict") == 1;
}

TEST_F(knob, reads_as_written)
{
	char text[8];

	CHECK(file_read(self->path, text, sizeof(text)), ==, 2, "bytes read");
	ASSERT_STREQ(variant->value ? "1\n" : "0\n", text);
}

TEST_F(knob, mode)
{
	struct stat st;

	ASSERT_EQ(0, stat(self->path, &st));
	CHECK(st.st_mode, ==, S_IFREG | 0644, "mode (0100644 is 33188)");
	CHECK(st.st_uid, ==, 0, "owner");
	CHECK(st.st_gid, ==, 0, "group");
}

TEST_F(knob, changes)
{
	int other = !variant->value;

	CHECK(file_write(self->path, other ? "1\n" : "0\n", 2, 0), ==, 2, "write of %d", other);
	CHECK(knob_get(variant->knob), ==, other, "value");
	CHECK(file_write(self->path, other ? "1\n" : "0\n", 2, 0), ==, 2, "the same again");
	CHECK(knob_get(variant->knob), ==, other, "value");
	CHECK(knob_set(variant->knob, variant->value), ==, 0, "and back");
}

TEST_F(knob, leaves_the_others)
{
	int before[NR_KNOBS], knob;

	for (knob = 0; knob < NR_KNOBS; knob++)
		before[knob] = knob_get(knob);
	ASSERT_EQ(0, knob_set(variant->knob, !variant->value));
	for (knob = 0; knob < NR_KNOBS; knob++)
		if (knob != (int)variant->knob)
			CHECK(knob_get(knob), ==, before[knob], "%s", knob_name(knob));
}

TEST_F(knob, refused)
{
	check_rows(_metadata, variant->knob, variant->value, refused, ARRAY_SIZE(refused));
}

TEST_F(knob, ignored)
{
	if (!offsets_count())
		SKIP(return, "kernel.sysctl_writes_strict is not 1");
	check_rows(_metadata, variant->knob, variant->value, ignored, ARRAY_SIZE(ignored));
}

TEST_F(knob, parsed)
{
	check_rows(_metadata, variant->knob, variant->value, parsed, ARRAY_SIZE(parsed));
}

/* Only the first page of a write is looked at. */
TEST_F(knob, longer_than_a_page)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int other = !variant->value;
	char text[2 * page];

	memset(text, ' ', sizeof(text));
	text[page] = '0' + other;
	CHECK(file_write(self->path, text, sizeof(text), 0), ==, -EINVAL,
	      "a page of spaces, then %d", other);
	CHECK(knob_get(variant->knob), ==, variant->value, "value");
	text[0] = '0' + other;
	text[page] = ' ';
	CHECK(file_write(self->path, text, page / 2, 0), ==, page / 2,
	      "%d and half a page of spaces", other);
	CHECK(knob_get(variant->knob), ==, other, "value");
}

TEST_F(knob, several_writes_of_one_open)
{
	int other = !variant->value, fd;

	if (!offsets_count())
		SKIP(return, "kernel.sysctl_writes_strict is not 1");
	fd = open(self->path, O_RDWR);
	ASSERT_LE(0, fd);
	CHECK(write(fd, other ? "1" : "0", 1), ==, 1, "first write, of %d", other);
	CHECK(knob_get(variant->knob), ==, other, "value");
	CHECK(write(fd, variant->value ? "1" : "0", 1), ==, 1,
	      "second write, at offset 1, of %d", variant->value);
	CHECK(knob_get(variant->knob), ==, other, "value");
	ASSERT_EQ(0, lseek(fd, 0, SEEK_SET));
	CHECK(write(fd, variant->value ? "1" : "0", 1), ==, 1, "write back at the start");
	CHECK(knob_get(variant->knob), ==, variant->value, "value");
	close(fd);
}

TEST_F(knob, ways_to_open)
{
	static const struct {
		const char *what;
		int flags;
	} ways[] = {
		{ "O_APPEND", O_WRONLY | O_APPEND },
		{ "O_TRUNC", O_WRONLY | O_TRUNC },
		{ "O_CREAT", O_WRONLY | O_CREAT },
		{ "O_RDWR", O_RDWR },
		{ "O_NONBLOCK", O_WRONLY | O_NONBLOCK },
	};
	int other = !variant->value, fd;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		ASSERT_EQ(0, knob_set(variant->knob, variant->value));
		fd = open(self->path, ways[i].flags, 0600);
		ASSERT_LE(0, fd);
		CHECK(knob_get(variant->knob), ==, variant->value, "%s: opened only", ways[i].what);
		CHECK(write(fd, other ? "1\n" : "0\n", 2), ==, 2, "%s: write", ways[i].what);
		CHECK(knob_get(variant->knob), ==, other, "%s: value", ways[i].what);
		close(fd);
	}
}

TEST_F(knob, reads_in_pieces)
{
	char c = 0;
	int fd = open(self->path, O_RDONLY);

	ASSERT_LE(0, fd);
	CHECK(read(fd, &c, 1), ==, 1, "first byte: read");
	CHECK(c, ==, '0' + variant->value, "first byte");
	CHECK(read(fd, &c, 1), ==, 0, "at an offset: the end");
	CHECK(write(fd, "0", 1), ==, -1, "write to a file opened for reading");
	CHECK(errno, ==, EBADF, "its errno");
	close(fd);
}

/* --- who may write --- */

static void become_nobody(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, setgroups(0, NULL));
	ASSERT_EQ(0, setresgid(NOBODY, NOBODY, NOBODY));
	ASSERT_EQ(0, setresuid(NOBODY, NOBODY, NOBODY));
}

static void drop_capabilities(struct __test_metadata *_metadata)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	ASSERT_EQ(0, syscall(SYS_capset, &header, none));
}

TEST_F(knob, not_root)
{
	const char *other = variant->value ? "0\n" : "1\n";

	become_nobody(_metadata);
	CHECK(file_write(self->path, other, 2, 0), ==, -EACCES, "open for writing as nobody");
	CHECK(knob_get(variant->knob), ==, variant->value, "nobody may read; value");
}

TEST_F(knob, not_root_with_an_open_file)
{
	const char *other = variant->value ? "0\n" : "1\n";
	int fd = open(self->path, O_WRONLY);

	ASSERT_LE(0, fd);
	become_nobody(_metadata);
	CHECK(write(fd, other, 2), ==, -1, "write as nobody to a file that root opened");
	CHECK(errno, ==, EPERM, "its errno");
	CHECK(knob_get(variant->knob), ==, variant->value, "value");
	close(fd);
}

TEST_F(knob, root_without_capability)
{
	const char *other = variant->value ? "0\n" : "1\n";

	drop_capabilities(_metadata);
	CHECK(file_write(self->path, other, 2, 0), ==, -EPERM, "write without CAP_SYS_ADMIN");
	CHECK(file_write(self->path, "2\n", 2, 0), ==, -EPERM, "a bad value without CAP_SYS_ADMIN");
	CHECK(knob_get(variant->knob), ==, variant->value, "value");
}

TEST_F(knob, root_of_a_user_namespace)
{
	const char *other = variant->value ? "0\n" : "1\n";

	if (unshare(CLONE_NEWUSER))
		SKIP(return, "no user namespaces: %s", strerror(errno));
	ASSERT_EQ(0, file_write_text("/proc/self/setgroups", "deny"));
	ASSERT_EQ(0, file_write_text("/proc/self/uid_map", "0 0 1"));
	ASSERT_EQ(0, file_write_text("/proc/self/gid_map", "0 0 1"));
	ASSERT_EQ(0, geteuid());
	CHECK(file_write(self->path, other, 2, 0), ==, -EPERM,
	      "write with CAP_SYS_ADMIN in another user namespace only");
	CHECK(knob_get(variant->knob), ==, variant->value, "value");
}

TEST_F(knob, nobody_as_root_of_a_user_namespace)
{
	const char *other = variant->value ? "0\n" : "1\n";

	become_nobody(_metadata);
	/* its files in /proc are root's after the change of identity */
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER))
		SKIP(return, "no user namespaces for nobody: %s", strerror(errno));
	ASSERT_EQ(0, file_write_text("/proc/self/setgroups", "deny"));
	ASSERT_EQ(0, file_write_text("/proc/self/uid_map", "0 65534 1"));
	ASSERT_EQ(0, geteuid());
	CHECK(file_write(self->path, other, 2, 0), ==, -EACCES,
	      "open for writing as nobody who is root of a user namespace");
	CHECK(knob_get(variant->knob), ==, variant->value, "value");
}

/**
 * What the kernel booted with.  LRU_GEN_MEMCG_EXPECT names the values, for
 * example "tail_cache=0 resched=0"; a switch that it does not name is expected
 * at its default.  Without it nobody knows who set them since boot.
 */
FIXTURE(boot) {
};

FIXTURE_VARIANT(boot) {
	enum knob knob;
};

#define BOOT_VARIANT(name) FIXTURE_VARIANT_ADD(boot, name) { .knob = KNOB_##name };
FOR_EACH_KNOB(BOOT_VARIANT)

FIXTURE_SETUP(boot)
{
	char reason[TEXT_MAX];

	if (knobs_missing(reason))
		SKIP(return, "%s", reason);
	if (!getenv("LRU_GEN_MEMCG_EXPECT"))
		SKIP(return, "LRU_GEN_MEMCG_EXPECT does not say what this kernel was booted with");
}

FIXTURE_TEARDOWN(boot)
{
}

TEST_F(boot, value)
{
	char text[TEXT_MAX], *word, *rest, *value;
	int expected = KNOB_DEFAULT;

	snprintf(text, sizeof(text), "%s", getenv("LRU_GEN_MEMCG_EXPECT"));
	for (word = strtok_r(text, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
		int knob;

		value = strchr(word, '=');
		ASSERT_NE(NULL, value)
			TH_LOG("LRU_GEN_MEMCG_EXPECT: '%s' is not NAME=0 or NAME=1", word);
		*value++ = 0;
		for (knob = 0; knob < NR_KNOBS && strcmp(word, knob_name(knob)); knob++)
			;
		ASSERT_NE(NR_KNOBS, knob)
			TH_LOG("LRU_GEN_MEMCG_EXPECT: no switch '%s'", word);
		ASSERT_TRUE(!strcmp(value, "0") || !strcmp(value, "1"))
			TH_LOG("LRU_GEN_MEMCG_EXPECT: %s=%s is neither 0 nor 1", word, value);
		if (knob == (int)variant->knob)
			expected = value[0] - '0';
	}
	CHECK(knobs_booted(variant->knob), ==, expected, "%s when this program began",
	      knob_name(variant->knob));
}

TEST_MAIN
