// SPDX-License-Identifier: GPL-2.0
/*
 * What the tests of the memcg LRU share.  See util.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util.h"

#define LRU_GEN_ENABLED "/sys/kernel/mm/lru_gen/enabled"
#define FOLDER "lru_gen_memcg_selftest"

/* --- files --------------------------------------------------------------- */

ssize_t file_write(const char *path, const void *data, size_t len, off_t at)
{
	ssize_t ret;
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;

	/* some files take no pwrite() */
	if (at)
		ret = pwrite(fd, data, len, at);
	else
		ret = write(fd, data, len);
	if (ret < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int file_write_text(const char *path, const char *text)
{
	ssize_t len = strlen(text);
	ssize_t ret = file_write(path, text, len, 0);

	if (ret < 0)
		return ret;
	return ret == len ? 0 : -EIO;
}

ssize_t file_read(const char *path, char *text, size_t size)
{
	size_t done = 0;
	ssize_t ret = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;

	while (done < size - 1) {
		ret = read(fd, text + done, size - 1 - done);
		if (ret <= 0)
			break;
		done += ret;
	}
	if (ret < 0)
		ret = -errno;
	close(fd);
	text[done] = 0;
	return ret < 0 ? ret : (ssize_t)done;
}

long long file_read_number(const char *path)
{
	char text[64], *end;
	long long number;
	ssize_t ret = file_read(path, text, sizeof(text));

	if (ret < 0)
		return ret;

	errno = 0;
	number = strtoll(text, &end, 0);
	if (errno || end == text || (*end && *end != '\n'))
		return -EBADMSG;
	return number;
}

/* --- the switches -------------------------------------------------------- */

const char *knob_name(enum knob knob)
{
#define KNOB_NAME(name) #name,
	static const char * const names[NR_KNOBS] = { FOR_EACH_KNOB(KNOB_NAME) };

	return names[knob];
}

const char *knob_path(enum knob knob)
{
#define KNOB_PATH(name) KNOB_DIR KNOB_PREFIX #name,
	static const char * const paths[NR_KNOBS] = { FOR_EACH_KNOB(KNOB_PATH) };

	return paths[knob];
}

int knob_get(enum knob knob)
{
	return file_read_number(knob_path(knob));
}

int knob_set(enum knob knob, int value)
{
	int ret = file_write_text(knob_path(knob), value ? "1\n" : "0\n");

	if (ret)
		return ret;
	ret = knob_get(knob);
	if (ret < 0)
		return ret;
	return ret == value ? 0 : -EIO;
}

int knobs_set(const int values[NR_KNOBS])
{
	int knob, ret;

	for (knob = 0; knob < NR_KNOBS; knob++) {
		ret = knob_set(knob, values[knob]);
		if (ret)
			return ret;
	}
	return 0;
}

bool knobs_missing(char *reason)
{
	int knob;

	for (knob = 0; knob < NR_KNOBS; knob++) {
		if (access(knob_path(knob), F_OK)) {
			snprintf(reason, TEXT_MAX,
				 "no %s: this kernel is without CONFIG_LRU_GEN_MEMCG_TAIL_CACHE",
				 knob_path(knob));
			return true;
		}
	}
	if (geteuid()) {
		snprintf(reason, TEXT_MAX, "needs root");
		return true;
	}
	return false;
}

/* --- counters ------------------------------------------------------------ */

static bool is_of(const char *name, const char *group)
{
	size_t len = strlen(group);

	/* allocstall_normal, pgscan_kswapd: older kernels have no line for the sum */
	return !strncmp(name, group, len) && (!name[len] || name[len] == '_');
}

int counters_read(struct counters *counters)
{
	char name[128];
	long long value;
	FILE *file = fopen("/proc/vmstat", "re");

	if (!file)
		return -errno;

#define COUNTER_INIT(name) .name = -1,
	*counters = (struct counters){ FOR_EACH_COUNTER(COUNTER_INIT) };

	while (fscanf(file, "%127s %lld", name, &value) == 2) {
		/* parts that say the same a second time */
		if (!strcmp(name, "pgscan_anon") || !strcmp(name, "pgscan_file") ||
		    !strcmp(name, "pgsteal_anon") || !strcmp(name, "pgsteal_file") ||
		    !strcmp(name, "pgscan_direct_throttle"))
			continue;
#define COUNTER_ADD(field)						\
		if (is_of(name, #field))				\
			counters->field = (counters->field < 0 ? 0 : counters->field) + value;
		FOR_EACH_COUNTER(COUNTER_ADD)
	}
	fclose(file);
	return 0;
}

void counters_since(struct counters *delta, const struct counters *before)
{
	if (counters_read(delta))
		*delta = (struct counters){ FOR_EACH_COUNTER(COUNTER_INIT) };
#define COUNTER_SUBTRACT(name)						\
	if (delta->name >= 0 && before->name >= 0)			\
		delta->name -= before->name;
	FOR_EACH_COUNTER(COUNTER_SUBTRACT)
}

/* --- memory cgroups ------------------------------------------------------ */

static int cgroup_mount(char *path, size_t size)
{
	char line[4 * TEXT_MAX], type[64];
	int ret = -ENOENT;
	FILE *file = fopen("/proc/self/mounts", "re");

	if (!file)
		return -errno;

	while (ret && fgets(line, sizeof(line), file)) {
		char where[ROOT_MAX];

		if (sscanf(line, "%*s %255s %63s", where, type) == 2 && !strcmp(type, "cgroup2")) {
			snprintf(path, size, "%s", where);
			ret = 0;
		}
	}
	fclose(file);
	return ret;
}

static int remove_folder(const char *path)
{
	char child[2 * TEXT_MAX];
	struct dirent *entry;
	int ret = 0, tries;
	DIR *dir = opendir(path);

	if (!dir)
		return errno == ENOENT ? 0 : -errno;

	/* what was killed may take a moment to be gone */
	for (tries = 0; tries < 1000; tries++) {
		ret = 0;
		rewinddir(dir);
		while ((entry = readdir(dir))) {
			if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
				continue;
			snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
			if (rmdir(child) && errno != ENOENT)
				ret = -errno;
		}
		if (!ret && !rmdir(path))
			break;
		if (!ret)
			ret = -errno;
		if (ret != -EBUSY)
			break;
		usleep(10000);
	}
	closedir(dir);
	return ret;
}

int cgroups_close(struct cgroups *cgroups)
{
	char path[2 * TEXT_MAX];

	snprintf(path, sizeof(path), "%s/cgroup.kill", cgroups->path);
	file_write_text(path, "1");
	cgroups->made = 0;
	return remove_folder(cgroups->path);
}

int cgroups_open(struct cgroups *cgroups, char *reason)
{
	char path[2 * TEXT_MAX], text[TEXT_MAX];
	int ret;

	cgroups->made = 0;
	if (geteuid()) {
		snprintf(reason, TEXT_MAX, "needs root");
		return 1;
	}
	if (cgroup_mount(cgroups->root, sizeof(cgroups->root))) {
		snprintf(reason, TEXT_MAX, "cgroup v2 is not mounted");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/cgroup.controllers", cgroups->root);
	ret = file_read(path, text, sizeof(text));
	if (ret < 0 || !strstr(text, "memory")) {
		snprintf(reason, TEXT_MAX,
			 "no memory controller in %s/cgroup.controllers (CONFIG_MEMCG, or cgroup v1 has it)",
			 cgroups->root);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/memory.reclaim", cgroups->root);
	if (access(path, W_OK)) {
		snprintf(reason, TEXT_MAX, "no %.400s", path);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cgroups->root);
	ret = file_write_text(path, "+memory");
	if (ret) {
		snprintf(reason, TEXT_MAX, "+memory to %.400s: %s", path, strerror(-ret));
		return ret;
	}
	snprintf(cgroups->path, sizeof(cgroups->path), "%s/" FOLDER, cgroups->root);
	ret = cgroups_close(cgroups);
	if (!ret && mkdir(cgroups->path, 0755))
		ret = -errno;
	if (ret) {
		snprintf(reason, TEXT_MAX, "cannot make %.400s: %s", cgroups->path, strerror(-ret));
		return ret;
	}
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", cgroups->path);
	ret = file_write_text(path, "+memory");
	if (ret)
		snprintf(reason, TEXT_MAX, "+memory to %.400s: %s", path, strerror(-ret));
	return ret;
}

int cgroups_make(struct cgroups *cgroups, unsigned int count, int64_t *ns)
{
	char name[16];
	int64_t start;
	int ret = 0;
	int dir = open(cgroups->path, O_DIRECTORY | O_PATH | O_CLOEXEC);

	if (dir < 0)
		return -errno;

	while (cgroups->made < count) {
		snprintf(name, sizeof(name), "%u", cgroups->made);
		start = now_ns();
		if (mkdirat(dir, name, 0755)) {
			ret = -errno;
			break;
		}
		if (ns)
			*ns++ = now_ns() - start;
		cgroups->made++;
	}
	close(dir);
	return ret;
}

int cgroups_remove(struct cgroups *cgroups, unsigned int i)
{
	char path[2 * TEXT_MAX];
	int tries;

	snprintf(path, sizeof(path), "%s/%u", cgroups->path, i);
	for (tries = 0; tries < 1000; tries++) {
		if (!rmdir(path))
			return 0;
		/* the last process is reaped before it has left its cgroup */
		if (errno != EBUSY)
			break;
		usleep(1000);
	}
	return -errno;
}

int cgroups_write(const struct cgroups *cgroups, unsigned int i, const char *file,
		  const char *text)
{
	char path[2 * TEXT_MAX];

	snprintf(path, sizeof(path), "%s/%u/%s", cgroups->path, i, file);
	return file_write_text(path, text);
}

/* a number of a file of the root's; @key has the newline before it and the blank after it */
static long long root_item(const struct cgroups *cgroups, const char *file, const char *key)
{
	char path[TEXT_MAX + 32], text[8192] = "\n";
	const char *line;
	ssize_t ret;

	snprintf(path, sizeof(path), "%s/%s", cgroups->root, file);
	ret = file_read(path, text + 1, sizeof(text) - 1);
	if (ret < 0)
		return ret;
	line = strstr(text, key);
	return line ? atoll(line + strlen(key)) : -ENOENT;
}

long long cgroups_dying(const struct cgroups *cgroups)
{
	return root_item(cgroups, "cgroup.stat", "\nnr_dying_descendants ");
}

long long cgroups_pgsteal(const struct cgroups *cgroups)
{
	return root_item(cgroups, "memory.stat", "\npgsteal ");
}

struct reclaim_result {
	unsigned int answered;
	int64_t max_ns;
	int error;
};

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

static void reclaim_worker(const char *path, const struct reclaim *reclaim,
			   struct reclaim_result *result)
{
	unsigned int i;
	int64_t start, ns;
	ssize_t ret;

	if (reclaim->cpu >= 0 && (result->error = pin(reclaim->cpu)))
		return;
	for (i = 0; i < reclaim->requests; i++) {
		start = now_ns();
		ret = file_write(path, reclaim->text, strlen(reclaim->text), 0);
		ns = now_ns() - start;
		/* EAGAIN: it tried, and found less than was asked for */
		if (ret < 0 && ret != -EAGAIN) {
			result->error = ret;
			return;
		}
		result->answered++;
		if (ns > result->max_ns)
			result->max_ns = ns;
	}
}

int reclaim_root(const struct cgroups *cgroups, struct reclaim *reclaim)
{
	struct reclaim_result *results;
	size_t size = reclaim->workers * sizeof(*results);
	char path[TEXT_MAX + 32];
	unsigned int i, started;
	int ret = 0, status;

	results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		return -errno;
	pid_t pids[reclaim->workers];

	snprintf(path, sizeof(path), "%s/memory.reclaim", cgroups->root);
	for (started = 0; started < reclaim->workers; started++) {
		pids[started] = fork();
		if (pids[started] < 0) {
			ret = -errno;
			break;
		}
		if (!pids[started]) {
			reclaim_worker(path, reclaim, &results[started]);
			_exit(0);
		}
	}
	reclaim->answered = 0;
	reclaim->max_ns = 0;
	for (i = 0; i < started; i++) {
		if (waitpid(pids[i], &status, 0) != pids[i] || status)
			ret = ret ? ret : -EIO;
		if (results[i].error)
			ret = results[i].error;
		reclaim->answered += results[i].answered;
		if (results[i].max_ns > reclaim->max_ns)
			reclaim->max_ns = results[i].max_ns;
	}
	munmap(results, size);
	return ret;
}

#define MAX_RUNS 4096
#define BYSTANDER_SLEEP_NS 5000000

/**
 * struct watch - shared with the bystander
 * @runs: how often it ran
 * @late_ns: how late, each time
 * @stop: to end
 */
struct watch {
	_Atomic unsigned int runs;
	int64_t late_ns[MAX_RUNS];
	_Atomic bool stop;
};

static void bystander(struct watch *watch, int cpu)
{
	/* before any other task, so that what keeps it waiting is the kernel */
	const struct sched_param param = { .sched_priority = 1 };
	const struct timespec nap = { .tv_nsec = BYSTANDER_SLEEP_NS };
	int64_t start;

	/*
	 * Its own page cache must not be what reclaim finds time and again: as
	 * long as there is progress a request does not end.
	 */
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || pin(cpu) ||
	    sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	while (!watch->stop) {
		start = now_ns();
		nanosleep(&nap, NULL);
		watch->late_ns[watch->runs % MAX_RUNS] = now_ns() - start - BYSTANDER_SLEEP_NS;
		watch->runs++;
	}
	_exit(0);
}

static int compare_ns(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int reclaim_watched(const struct cgroups *cgroups, struct reclaim *reclaim, struct late *late)
{
	struct watch *watch;
	int ret = 0, status;
	pid_t pid;

	watch = mmap(NULL, sizeof(*watch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (watch == MAP_FAILED)
		return -errno;
	pid = fork();
	if (pid < 0)
		ret = -errno;
	if (!pid)
		bystander(watch, reclaim->cpu);
	while (!ret && watch->runs < 3) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			munmap(watch, sizeof(*watch));
			return -ECHILD;
		}
		usleep(1000);
	}
	if (!ret) {
		unsigned int first = watch->runs, n;

		ret = reclaim_root(cgroups, reclaim);
		n = watch->runs;
		watch->stop = true;
		if (waitpid(pid, &status, 0) != pid || status)
			ret = ret ? ret : -ECHILD;
		if (n <= first || n > MAX_RUNS)
			ret = ret ? ret : -ERANGE;
		if (!ret) {
			int64_t *ns = watch->late_ns + first;

			n -= first;
			qsort(ns, n, sizeof(*ns), compare_ns);
			*late = (struct late) { .runs = n, .median_ns = ns[n / 2], .max_ns = ns[n - 1] };
		}
	}
	munmap(watch, sizeof(*watch));
	return ret;
}

bool resched_missing(char *reason)
{
	char text[TEXT_MAX];
	ssize_t ret;

	ret = file_read("/proc/version", text, sizeof(text));
	if (ret >= 0 && !strstr(text, "PREEMPT"))
		return false;
	if (ret >= 0 && strstr(text, "PREEMPT_DYNAMIC")) {
		ret = file_read("/sys/kernel/debug/sched/preempt", text, sizeof(text));
		if (ret < 0) {
			snprintf(reason, TEXT_MAX,
				 "PREEMPT_DYNAMIC, and no debugfs to say which: /sys/kernel/debug/sched/preempt");
			return true;
		}
		if (strstr(text, "(none)") || strstr(text, "(voluntary)"))
			return false;
	}
	snprintf(reason, TEXT_MAX, "this kernel preempts itself: cond_resched() is empty");
	return true;
}

int last_cpu(void)
{
	cpu_set_t set;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET(cpu, &set); cpu--)
		;
	return cpu;
}

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int live(const struct cgroups *cgroups, const struct tenant *tenant)
{
	unsigned int i;
	char *memory;
	int ret;

	ret = cgroups_write(cgroups, tenant->cgroup, "cgroup.procs", "0");
	if (ret)
		return ret;
	memory = mmap(NULL, tenant->anon + 1, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -errno;
	memset(memory, 1, tenant->anon);
	for (i = 0; i < tenant->threads && !ret; i++) {
		pthread_attr_t attr;
		pthread_t thread;

		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, 64 * 1024);
		ret = -pthread_create(&thread, &attr, sleeper, NULL);
		pthread_attr_destroy(&attr);
	}
	return ret;
}

int tenant_start(const struct cgroups *cgroups, struct tenant *tenant)
{
	int fds[2], ret;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	tenant->pid = fork();
	if (!tenant->pid) {
		close(fds[0]);
		ret = live(cgroups, tenant);
		if (write(fds[1], &ret, sizeof(ret)) != sizeof(ret))
			_exit(1);
		close(fds[1]);
		sleeper(NULL);
	}
	ret = tenant->pid < 0 ? -errno : 0;
	close(fds[1]);
	/* ended early: killed for want of memory */
	if (!ret && read(fds[0], &ret, sizeof(ret)) != sizeof(ret))
		ret = -ENOMEM;
	close(fds[0]);
	if (ret && tenant->pid > 0)
		tenant_end(tenant);
	return ret;
}

void tenant_end(struct tenant *tenant)
{
	if (tenant->pid <= 0)
		return;
	kill(tenant->pid, SIGKILL);
	waitpid(tenant->pid, NULL, 0);
	tenant->pid = 0;
}

#define ZRAM_CONTROL "/sys/class/zram-control/"

static void zram_remove(int id)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "/sys/block/zram%d/reset", id);
	file_write_text(path, "1");
	snprintf(text, sizeof(text), "%d", id);
	file_write_text(ZRAM_CONTROL "hot_remove", text);
}

int cache_read(const struct cache *cache, const struct cgroups *cgroups, unsigned int i,
	       off_t at, size_t size)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		static char buffer[1 << 20];
		size_t done = 0;
		ssize_t ret = 1;
		int fd = open(cache->path, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || cgroups_write(cgroups, i, "cgroup.procs", "0"))
			_exit(1);
		/* not beyond what is asked for: that would be another's */
		posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		while (done < size && ret > 0) {
			ret = pread(fd, buffer, size - done < sizeof(buffer) ? size - done :
				    sizeof(buffer), at + done);
			done += ret > 0 ? ret : 0;
		}
		_exit(done < size);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return status ? -EIO : 0;
}

/* --- the rest ------------------------------------------------------------ */

int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

bool long_run(void)
{
	const char *value = getenv("LRU_GEN_MEMCG_LONG");

	return value && *value && strcmp(value, "0");
}

int lru_gen_set(bool on)
{
	return file_write_text(LRU_GEN_ENABLED, on ? "7" : "0");
}

/**
 * struct saved - what is put back
 * @owner: the process whose end it is put back at
 * @done: it was
 * @knobs: values of the switches, negative: leave alone
 * @lru_gen: text of lru_gen/enabled, empty: leave alone
 * @root: where cgroup v2 is mounted, empty: it is not
 * @memory: the root's subtree_control had the memory controller
 * @zram: number of a device to remove, negative: none
 *
 * In memory that children share, so that it says what they made.
 */
struct saved {
	pid_t owner;
	volatile sig_atomic_t done;
	int knobs[NR_KNOBS];
	char lru_gen[32];
	char root[ROOT_MAX];
	bool memory;
	volatile int zram;
};

/* a signal handler gets no argument of ours */
static struct saved *saved;

static void put_back(void)
{
	struct cgroups cgroups;
	char path[TEXT_MAX + 64];
	int knob;

	if (saved->done)
		return;
	saved->done = 1;
	for (knob = 0; knob < NR_KNOBS; knob++)
		if (saved->knobs[knob] >= 0)
			file_write(knob_path(knob), saved->knobs[knob] ? "1\n" : "0\n", 2, 0);
	if (saved->zram >= 0)
		zram_remove(saved->zram);
	if (saved->lru_gen[0])
		file_write_text(LRU_GEN_ENABLED, saved->lru_gen);
	if (saved->root[0]) {
		snprintf(cgroups.path, sizeof(cgroups.path), "%s/" FOLDER, saved->root);
		cgroups_close(&cgroups);
		if (!saved->memory) {
			snprintf(path, sizeof(path), "%s/cgroup.subtree_control", saved->root);
			file_write_text(path, "-memory");
		}
	}
}

static void put_back_at_exit(void)
{
	/* not in a child that exits */
	if (getpid() == saved->owner)
		put_back();
}

static void put_back_at_signal(int sig)
{
	put_back_at_exit();
	/* the handler was for one time: this ends the process */
	raise(sig);
}

int cache_open(struct cache *cache, size_t size, char *reason)
{
	char path[64], text[32];
	int ret;

	/* reading it adds a device */
	cache->id = file_read_number(ZRAM_CONTROL "hot_add");
	if (cache->id < 0) {
		snprintf(reason, TEXT_MAX, "no zram to read page cache from (CONFIG_ZRAM; modprobe zram): %s: %s",
			 ZRAM_CONTROL "hot_add", strerror(-cache->id));
		return 1;
	}
	saved->zram = cache->id;
	snprintf(cache->path, sizeof(cache->path), "/dev/zram%d", cache->id);
	snprintf(path, sizeof(path), "/sys/block/zram%d/disksize", cache->id);
	snprintf(text, sizeof(text), "%zu", size);
	ret = file_write_text(path, text);
	if (ret) {
		snprintf(reason, TEXT_MAX, "%zu to %s: %s", size, path, strerror(-ret));
		return ret;
	}
	/* its page cache is dropped when nobody has it open */
	cache->fd = open(cache->path, O_RDONLY | O_CLOEXEC);
	if (cache->fd < 0) {
		ret = -errno;
		snprintf(reason, TEXT_MAX, "open %s: %s", cache->path, strerror(-ret));
	}
	return ret;
}

void cache_close(struct cache *cache)
{
	zram_remove(cache->id);
	saved->zram = -1;
}

int knobs_booted(enum knob knob)
{
	return saved->knobs[knob];
}

int state_guard(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = put_back_at_signal, .sa_flags = SA_RESETHAND };
	struct pollfd end = { .events = POLLIN };
	char path[TEXT_MAX + 64], text[TEXT_MAX];
	unsigned int i;
	pid_t guard;
	int knob;

	saved = mmap(NULL, sizeof(*saved), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		     -1, 0);
	if (saved == MAP_FAILED)
		return -errno;
	saved->zram = -1;
	for (knob = 0; knob < NR_KNOBS; knob++)
		saved->knobs[knob] = knob_get(knob);
	if (file_read(LRU_GEN_ENABLED, saved->lru_gen, sizeof(saved->lru_gen)) < 0)
		saved->lru_gen[0] = 0;
	if (cgroup_mount(saved->root, sizeof(saved->root)))
		saved->root[0] = 0;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", saved->root);
	saved->memory = file_read(path, text, sizeof(text)) >= 0 && strstr(text, "memory");
	saved->owner = getpid();
	/* nothing can be changed, so nothing is to be put back */
	if (geteuid())
		return 0;

	atexit(put_back_at_exit);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);

	/* before the fork, so that the number is ours for certain */
	end.fd = syscall(SYS_pidfd_open, saved->owner, 0);
	if (end.fd < 0)
		return -errno;
	guard = fork();
	if (guard < 0)
		return -errno;
	if (guard) {
		close(end.fd);
		return 0;
	}
	/* away from our terminal and pipes: who reads them shall not wait for it */
	setsid();
	for (i = 0; i < 3; i++)
		close(i);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_IGN);
	prctl(PR_SET_NAME, "selftest-guard");
	while (poll(&end, 1, -1) != 1)
		;
	put_back();
	_exit(0);
}
