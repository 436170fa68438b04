/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef COMMON_HTML_HTML_INTERNAL_H
#define COMMON_HTML_HTML_INTERNAL_H

/* For the sources of this folder: what is computed from scores, and the parts of a page. */

#include "common/html/page.h"
#include "common/html/parts.h"

/* ---- What is computed from scores (view.c) ---- */

/* What is said of the scores of a video. */
typedef struct Statistics {
    size_t n;        /* scores */
    size_t n_finite; /* those that the rest is about */
    double min, max, mean, harmonic_mean;
    double deviation;     /* of the population */
    size_t worst;         /* position of the worst score, the first of equals */
    const double *sorted; /* n_finite scores, ascending; to be freed */
} Statistics;

/*
 * Mean and harmonic mean are summed up in the order of frames, as in all reports. With scores that
 * are not finite these two are not either. 0; -ENOMEM.
 */
int statistics_of(Statistics *statistics, const HtmlSeries *series);
void statistics_free(Statistics *statistics);

/*
 * The score that `percent` of the scores do not exceed: linear interpolation between order
 * statistics (type 7 of Hyndman and Fan, 1996). NaN if a score is not finite, or there is none.
 */
double statistics_percentile(const Statistics *statistics, unsigned percent);

/* The score that the best `100 - percent` of the scores exceed, be they high or low. */
double statistics_worst_percentile(const Statistics *statistics, HtmlSense sense, unsigned percent);

/* Frame of score number `i`. */
uint32_t series_frame(const HtmlSeries *series, size_t i);

/* A piece of a series: neighbouring scores as one point. Without finite scores all are NaN. */
typedef struct CurvePoint {
    double frame; /* in the middle of them */
    double min, mean, max;
} CurvePoint;

typedef double PointValue(const CurvePoint *point);
PointValue point_min, point_mean, point_max;

/* A series in no more than a given number of points. */
typedef struct Curve {
    size_t n;
    bool is_exact; /* each point is one score */
    CurvePoint *points;
} Curve;

/* The curve of the scores of the series; or of others that belong to the same frames, unless
 * `scores` is NULL. 0; -ENOMEM. Free with curve_free. */
int curve_of(Curve *curve, const HtmlSeries *series, const double *scores, size_t max_points);
void curve_free(Curve *curve);

/* Frames, first and last, in which scores are low (or high, where that is bad). */
typedef struct Scene {
    uint32_t first, last;
} Scene;

typedef struct Scenes {
    size_t n;
    Scene *scenes;
    double limit; /* scores beyond it are low */
} Scenes;

/*
 * Where the mean of `window` frames is worse than the median by `distance`. Scenes that are nearer
 * to each other than a window are one; at most `max_scenes` remain, the longest. 0; -ENOMEM.
 */
int scenes_of(Scenes *scenes, const HtmlSeries *series, double median, double distance,
              unsigned window, size_t max_scenes);
void scenes_free(Scenes *scenes);

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

/* What the parts of a page are made from: the page, and what was computed from its scores. */
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

/* ---- Parts of the page; those that return an int: 0, or -ENOMEM ---- */

/* Scores over time of a group. `is_large`: across the whole page. */
int put_time_plot(FILE *out, const View *view, const Group *group, bool is_large);
/* The sign of a video in plots: a piece of its line. */
void put_sign(FILE *out, size_t video);
/* How often which scores of a group are. */
int put_histogram(FILE *out, const View *view, const Group *group);

/* All that the script needs, as JSON. */
int put_script_data(FILE *out, const View *view);

/* The image as a PNG file (ISO/IEC 15948), to be freed. NULL if memory runs out. */
unsigned char *png_encode(const HtmlImage *image, size_t *size);

/* Prints bytes in Base64 (RFC 4648). */
void base64_print(FILE *out, const unsigned char *bytes, size_t size);

#endif
