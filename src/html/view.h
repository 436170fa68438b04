/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_VIEW_H
#define HTML_VIEW_H

#include "html/axis.h"
#include "html/curve.h"
#include "html/page.h"
#include "html/statistics.h"

/* What the parts of a page are made from: the page, and what was computed from its scores. */

/* Series of the same name, of each video. */
typedef struct Group {
    const char *name;
    bool is_model;
    HtmlSense sense;
    size_t *series; /* of each video; NO_SERIES: it has none */
} Group;

#define NO_SERIES ((size_t)-1)

typedef struct VideoView {
    Statistics *statistics; /* of each series */
    Scenes scenes;          /* of the lead series */
} VideoView;

typedef struct View {
    const HtmlPage *page;
    VideoView *videos;
    size_t n_groups;
    Group *groups;
    size_t lead;       /* group; meaningless without groups */
    size_t n_curves;   /* series of all videos */
    size_t max_points; /* of a curve in the markup */
    uint32_t n_frames; /* one more than the last frame that has a score */
    bool has_time;     /* times of frames are known */
    Axis time;         /* of time, or of frames */
} View;

/* 0; -ENOMEM. */
int view_create(View *view, const HtmlPage *page);
void view_free(View *view);

/* Where a frame is on the axis of time: seconds if these are known, else its number. */
double view_time(const View *view, double frame);

/* The time of a frame for people, "0:12.34"; "" if it is not known. */
const char *view_time_text(const View *view, double frame, char text[HTML_NUMBER_SIZE]);

/* The series of a group; NULL: the video has none. */
const HtmlSeries *view_series(const View *view, const Group *group, size_t video);
const Statistics *view_statistics(const View *view, const Group *group, size_t video);

/* Smallest and largest score of a group, NaN if there is none. */
void view_range(const View *view, const Group *group, double *low, double *high);

/* Decimals with which a score of the group is shown where room is scarce. */
int view_decimals(const Group *group, double score);

#endif
