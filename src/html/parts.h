/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_PARTS_H
#define HTML_PARTS_H

#include "html/view.h"

/* Parts of the page. Those that return an int: 0, or -ENOMEM. */

/* plots.c: scores over time of a group. `is_large`: across the whole page. */
int put_time_plot(FILE *out, const View *view, const Group *group, bool is_large);
/* The sign of a video in plots: a piece of its line. */
void put_sign(FILE *out, size_t video);
/* A plot: its begin, the drawing from <svg> on with the grid first, and the end, which closes the
 * drawing and has the numbers beside it. */
void put_plot_begin(FILE *out, const Axis *y, bool is_large);
void put_grid(FILE *out, const Axis *y);
void put_plot_end(FILE *out, const Axis *x, const Axis *y, const char *unit, bool x_is_time);
enum { PLOT_WIDTH = 4000, PLOT_HEIGHT = 1000 }; /* of drawings, whatever their size on a screen */

/* histogram.c: how often which scores of a group are. */
int put_histogram(FILE *out, const View *view, const Group *group);

/* sections.c */
void put_notes(FILE *out, const View *view);
void put_headline(FILE *out, const View *view);
void put_legend(FILE *out, const View *view);
void put_pooled_scores(FILE *out, const View *view);
void put_facts(FILE *out, const View *view);

/* frame_table.c */
int put_worst_frames(FILE *out, const View *view);

/* script_data.c: all that the script needs, as JSON. */
int put_script_data(FILE *out, const View *view);

#endif
