/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_SIGNALS_H
#define BENCH_SIGNALS_H

/**
 * signals_block - hold back SIGINT, SIGTERM, SIGHUP and SIGCHLD
 *
 * No handler runs: the program asks with signals_poll() at points where it
 * can stop, so that cleanup is ordinary code.  A SIGHUP that is ignored, as
 * under nohup(1), stays so.  SIGPIPE is ignored, a closed
 * standard output is then a write error like any other.
 */
void signals_block(void);

/**
 * signals_poll - has the user asked to stop?
 * @wait_ms: how long to wait for a signal, 0 to only look; a child's end
 *           cuts the wait short
 *
 * Return: the signal's number (SIGINT, SIGTERM or SIGHUP), or 0.
 */
int signals_poll(unsigned int wait_ms);

/**
 * signals_worker - set up a child that can be called off
 *
 * SIGTERM then makes a system call end with EINTR and does nothing else.
 * The other signals stay blocked: the parent alone decides on them.
 */
void signals_worker(void);

#endif
