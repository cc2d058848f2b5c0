// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "signals.h"

static void stop_signals(sigset_t *set)
{
	struct sigaction hup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	/* a blocked signal is delivered even where nohup(1) ignores it */
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(set, SIGHUP);
}

void signals_block(void)
{
	sigset_t set;

	stop_signals(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int signals_poll(unsigned int wait_ms)
{
	struct timespec ts = {
		.tv_sec = wait_ms / 1000,
		.tv_nsec = (long)(wait_ms % 1000) * 1000000,
	};
	sigset_t stop, any;
	int sig;

	/* one that is pending comes before a child's end */
	stop_signals(&stop);
	sig = sigtimedwait(&stop, NULL, &(struct timespec){ 0 });
	if (sig > 0)
		return sig;
	if (!wait_ms)
		return 0;
	any = stop;
	sigaddset(&any, SIGCHLD);
	sig = sigtimedwait(&any, NULL, &ts);
	return sig > 0 && sig != SIGCHLD ? sig : 0;
}

static void nothing(int sig)
{
	(void)sig;
}

void signals_worker(void)
{
	struct sigaction sa = { .sa_handler = nothing };
	sigset_t set;

	/* no SA_RESTART: the write must come back */
	sigemptyset(&sa.sa_mask);
	sigaction(SIGTERM, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
