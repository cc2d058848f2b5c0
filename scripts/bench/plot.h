/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include <jansson.h>
#include <stdbool.h>

#include "util.h"

/**
 * plot_write - write demo.gp and its data, demo-arms.dat and demo-mkdir.dat
 * @demo: what report_evaluate() returned
 * @dir: folder that exists
 * @err: filled in on failure
 *
 * Return: 1 when written, 0 when there is nothing to plot, or -1.
 */
int plot_write(const json_t *demo, const char *dir, struct bench_error *err);

/**
 * plot_render - let gnuplot draw demo.svg
 * @dir: folder with demo.gp
 * @rendered: whether it was drawn; false without an error when gnuplot is
 *            not installed
 * @err: filled in on failure
 *
 * Return: 0 or -1.
 */
int plot_render(const char *dir, bool *rendered, struct bench_error *err);

#endif
