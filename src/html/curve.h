/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_CURVE_H
#define HTML_CURVE_H

#include "html/page.h"

/* A piece of a series: neighbouring scores as one point. Without finite scores all are NaN. */
typedef struct CurvePoint {
    double frame; /* in the middle of them */
    double min, mean, max;
} CurvePoint;

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

#endif
