// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"
#include "workers.h"

/* how long a worker may take to leave the kernel before SIGKILL */
#define GRACE_NS	(10 * 1000000000ull)

/*
 * One worker's account, in memory shared with the parent, so that what a
 * worker did before it was cut off is not lost.
 */
struct account {
	pid_t pid;		/* parent's; 0 once reaped */
	atomic_bool ready;
	atomic_bool finished;	/* everything below is complete */
	int fatal;		/* errno that made the worker give up */
	const char *fatal_what;
	unsigned long begun, done, ok, eagain, cut_off;
	bool time_limited;
	uint64_t end_ns;
	double cpu_system, cpu_user;
	struct {
		int error;
		unsigned long count;
	} errnos[WORKER_ERRNOS];
	uint64_t *latency_ns;
};

struct crew {
	const struct worker_load *load;
	size_t size;		/* bytes of the shared memory */
	void *shared;
	atomic_bool *stop;
	_Atomic uint64_t *start_ns;
	struct account *accounts;
	unsigned long started;
	int go[2];		/* workers wait until its write end is closed */
};

static double seconds(const struct timeval *tv)
{
	return (double)tv->tv_sec + (double)tv->tv_usec / 1e6;
}

static void count_error(struct account *a, int error)
{
	size_t i = 0;

	while (i < WORKER_ERRNOS - 1 && a->errnos[i].count &&
	       a->errnos[i].error != error)
		i++;
	a->errnos[i].error = error;
	a->errnos[i].count++;
}

static void worker_fail(struct account *a, const char *what, int error)
{
	a->fatal_what = what;
	a->fatal = error;
	_exit(EXIT_FAIL);
}

static void worker_requests(const struct crew *crew, struct account *a, int fd)
{
	const struct worker_load *load = crew->load;
	size_t len = strlen(load->request);
	uint64_t limit = atomic_load(crew->start_ns) +
			 (uint64_t)(load->time_limit * 1e9);

	while (a->begun < load->requests) {
		uint64_t start = now_ns(), end;
		ssize_t n;
		int error;

		if (atomic_load(crew->stop))
			return;
		if (start >= limit) {
			a->time_limited = true;
			return;
		}
		a->begun++;
		n = write(fd, load->request, len);
		error = n < 0 ? errno : 0;
		end = now_ns();
		if (error == EINTR) {
			a->cut_off++;
			return;
		}
		a->latency_ns[a->done++] = end - start;
		if (!error)
			a->ok++;
		else if (error == EAGAIN)
			a->eagain++;
		else
			count_error(a, error);
		/* the kernel does not understand the text: no use going on */
		if (error == EINVAL)
			return;
	}
}

/*
 * The requests take the page cache, our own text with it.  Each page that then comes
 * back counts as progress at the next pass, and keeps a request from ending: by pinning
 * what we use, all that a request finds is the empty cgroups.  Without the right to it
 * the figures are only noisier.
 */
static void pin_memory(void)
{
	/* as it is touched: all of an address space can be more than there is memory */
	mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
}

static void worker(const struct crew *crew, struct account *a, bool first)
{
	const struct worker_load *load = crew->load;
	struct rusage before, after;
	char dummy;
	int fd;

	signals_worker();
	/* not inherited */
	pin_memory();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(crew->go[1]);
	fd = open(load->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		worker_fail(a, "open", errno);
	for (unsigned long i = 0; first && i < load->warmup; i++) {
		if (atomic_load(crew->stop))
			break;
		if (write(fd, load->request, strlen(load->request)) < 0 &&
		    errno == EINVAL)
			worker_fail(a, "request", EINVAL);
	}
	atomic_store(&a->ready, true);
	while (read(crew->go[0], &dummy, 1) < 0 && errno == EINTR) {
		if (atomic_load(crew->stop))
			break;
	}
	getrusage(RUSAGE_SELF, &before);
	worker_requests(crew, a, fd);
	a->end_ns = now_ns();
	getrusage(RUSAGE_SELF, &after);
	a->cpu_system = seconds(&after.ru_stime) - seconds(&before.ru_stime);
	a->cpu_user = seconds(&after.ru_utime) - seconds(&before.ru_utime);
	atomic_store(&a->finished, true);
	_exit(0);
}

static int crew_alloc(struct crew *crew, struct bench_error *err)
{
	const struct worker_load *load = crew->load;
	size_t head = 64 + load->workers * sizeof(struct account);
	uint64_t *latency;

	head = (head + 63) / 64 * 64;
	crew->size = head + load->workers * load->requests * sizeof(uint64_t);
	crew->shared = mmap(NULL, crew->size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (crew->shared == MAP_FAILED) {
		crew->shared = NULL;
		return bench_fail(err, EXIT_FAIL,
				  "no memory for %lu latencies: %s",
				  load->workers * load->requests, strerror(errno));
	}
	crew->stop = crew->shared;
	crew->start_ns = (_Atomic uint64_t *)((char *)crew->shared + 8);
	crew->accounts = (struct account *)((char *)crew->shared + 64);
	latency = (uint64_t *)((char *)crew->shared + head);
	for (unsigned long i = 0; i < load->workers; i++)
		crew->accounts[i].latency_ns = latency + i * load->requests;
	return 0;
}

/* reap who has ended; returns how many still run */
static unsigned long crew_reap(struct crew *crew)
{
	unsigned long left = 0;

	for (unsigned long i = 0; i < crew->started; i++) {
		struct account *a = &crew->accounts[i];

		if (!a->pid)
			continue;
		if (waitpid(a->pid, NULL, WNOHANG))
			a->pid = 0;
		else
			left++;
	}
	return left;
}

static void crew_kill(struct crew *crew, int sig)
{
	for (unsigned long i = 0; i < crew->started; i++) {
		if (crew->accounts[i].pid)
			kill(crew->accounts[i].pid, sig);
	}
}

/*
 * End all workers.  The signal is sent again and again: one that arrives
 * just before a worker's write does not end that write.
 */
static void crew_stop(struct crew *crew)
{
	uint64_t start = now_ns();

	atomic_store(crew->stop, true);
	if (crew->go[1] >= 0)
		close(crew->go[1]);
	crew->go[1] = -1;
	while (crew_reap(crew)) {
		crew_kill(crew, now_ns() - start < GRACE_NS ? SIGTERM : SIGKILL);
		usleep(20000);
	}
}

static int crew_failed(struct crew *crew, struct bench_error *err)
{
	for (unsigned long i = 0; i < crew->started; i++) {
		struct account *a = &crew->accounts[i];
		bool refused = a->fatal == EINVAL;

		for (size_t j = 0; j < WORKER_ERRNOS; j++)
			refused |= a->errnos[j].count && a->errnos[j].error == EINVAL;
		if (refused)
			return bench_fail(err, EXIT_FAIL,
					  "%s refuses \"%s\" (EINVAL): the form is \"1024M swappiness=0\", and kernels before 6.10 take no swappiness",
					  crew->load->path, crew->load->request);
		if (a->fatal)
			return bench_fail(err, a->fatal == ENOENT || a->fatal == EACCES ?
					  EXIT_MISSING : EXIT_FAIL,
					  "cannot open %s: %s%s", crew->load->path,
					  strerror(a->fatal), a->fatal == ENOENT ?
					  " (memory.reclaim came with 5.19)" : "");
	}
	return 0;
}

static int crew_start(struct crew *crew, struct bench_error *err)
{
	if (pipe2(crew->go, O_CLOEXEC))
		return bench_fail(err, EXIT_FAIL, "pipe: %s", strerror(errno));
	fflush(NULL);
	for (unsigned long i = 0; i < crew->load->workers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return bench_fail(err, EXIT_FAIL,
					  "cannot start worker %lu of %lu: %s",
					  i + 1, crew->load->workers, strerror(errno));
		if (!pid)
			worker(crew, &crew->accounts[i], !i);
		crew->accounts[i].pid = pid;
		crew->started++;
	}
	close(crew->go[0]);
	crew->go[0] = -1;
	for (;;) {
		unsigned long ready = 0;
		int sig = signals_poll(2);

		if (sig)
			return bench_fail(err, 128 + sig, "stopped by SIG%s",
					  sigabbrev_np(sig));
		for (unsigned long i = 0; i < crew->started; i++)
			ready += atomic_load(&crew->accounts[i].ready);
		if (ready == crew->started)
			return 0;
		if (crew_reap(crew) == crew->started)
			continue;
		if (crew_failed(crew, err))
			return -1;
		return bench_fail(err, EXIT_FAIL, "a worker died before the start");
	}
}

static int crew_wait(struct crew *crew, struct worker_result *out,
		     struct bench_error *err)
{
	uint64_t cap = *crew->start_ns + (uint64_t)(crew->load->hard_cap * 1e9);

	while (crew_reap(crew)) {
		int sig = signals_poll(100);

		if (sig)
			return bench_fail(err, 128 + sig, "stopped by SIG%s",
					  sigabbrev_np(sig));
		if (now_ns() >= cap && crew_reap(crew)) {
			out->hard_capped = true;
			crew_stop(crew);
			break;
		}
	}
	return crew_failed(crew, err);
}

static void add_errors(struct worker_result *out, const struct account *a)
{
	for (size_t i = 0; i < WORKER_ERRNOS && a->errnos[i].count; i++) {
		size_t j = 0;

		while (j < out->errno_count &&
		       out->errnos[j].error != a->errnos[i].error)
			j++;
		if (j == WORKER_ERRNOS)
			j--;
		if (j == out->errno_count)
			out->errno_count++;
		out->errnos[j].error = a->errnos[i].error;
		out->errnos[j].count += a->errnos[i].count;
	}
}

static int crew_sum(struct crew *crew, struct worker_result *out,
		    struct bench_error *err)
{
	uint64_t start = *crew->start_ns, end = start;
	size_t n = 0;

	out->latencies = malloc((crew->load->workers * crew->load->requests) *
				sizeof(*out->latencies));
	if (!out->latencies)
		return bench_fail(err, EXIT_FAIL, "out of memory");
	out->cpu_known = true;
	for (unsigned long i = 0; i < crew->started; i++) {
		struct account *a = &crew->accounts[i];
		bool finished = atomic_load(&a->finished);

		/* killed by something else: its last request is lost */
		if (!finished && !out->hard_capped) {
			free(out->latencies);
			out->latencies = NULL;
			return bench_fail(err, EXIT_FAIL,
					  "worker %lu was killed (out of memory?)",
					  i + 1);
		}
		if (!finished) {
			out->cpu_known = false;
			out->cut_off += a->begun - a->done;
			end = now_ns();
		} else {
			out->cut_off += a->cut_off;
			if (a->end_ns > end)
				end = a->end_ns;
		}
		out->begun += a->begun;
		out->done += a->done;
		out->ok += a->ok;
		out->eagain += a->eagain;
		out->time_limited |= a->time_limited;
		out->cpu_system += a->cpu_system;
		out->cpu_user += a->cpu_user;
		add_errors(out, a);
		for (unsigned long j = 0; j < a->done; j++)
			out->latencies[n++] = (double)a->latency_ns[j] / 1e6;
	}
	out->wall = (double)(end - start) / 1e9;
	return 0;
}

int workers_run(const struct worker_load *load, struct worker_result *out,
		struct bench_error *err)
{
	struct crew crew = { .load = load, .go = { -1, -1 } };
	struct vmstat before, after;
	int ret;

	memset(out, 0, sizeof(*out));
	pin_memory();
	if (crew_alloc(&crew, err))
		return -1;
	ret = crew_start(&crew, err);
	if (!ret)
		ret = vmstat_read(load->sysroot, VMSTAT_PREFIX, &before, err);
	if (!ret) {
		atomic_store(crew.start_ns, now_ns());
		close(crew.go[1]);
		crew.go[1] = -1;
		ret = crew_wait(&crew, out, err);
	}
	crew_stop(&crew);
	if (crew.go[0] >= 0)
		close(crew.go[0]);
	if (!ret)
		ret = vmstat_read(load->sysroot, VMSTAT_PREFIX, &after, err);
	if (!ret) {
		vmstat_delta(&before, &after, &out->counters);
		ret = crew_sum(&crew, out, err);
	}
	munmap(crew.shared, crew.size);
	return ret;
}
