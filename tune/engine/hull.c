/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/hull.h"

#include <math.h>
#include <stdlib.h>

/* Cheaper first; of equally cheap ones, the better first. */
static int compare_points(const void *a, const void *b)
{
    const EncodePoint *x = a, *y = b;
    if (x->kbps != y->kbps)
        return x->kbps > y->kbps ? 1 : -1;
    return (x->score < y->score) - (x->score > y->score);
}

static size_t keep_measured(EncodePoint *points, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(points[i].kbps) && points[i].kbps > 0 && isfinite(points[i].score))
            points[kept++] = points[i];
    return kept;
}

size_t pareto_front(EncodePoint *points, size_t n)
{
    n = keep_measured(points, n);
    qsort(points, n, sizeof(*points), compare_points);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || points[i].score > points[kept - 1].score)
            points[kept++] = points[i];
    return kept;
}

static double abscissa(const EncodePoint *point, HullAxis axis)
{
    return axis == HULL_LOG ? log(point->kbps) : point->kbps;
}

/* Above 0 if b is to the left of the way from o to a. */
static double cross(const EncodePoint *o, const EncodePoint *a, const EncodePoint *b, HullAxis axis)
{
    const double x = abscissa(o, axis);
    return (abscissa(a, axis) - x) * (b->score - o->score) -
           (a->score - o->score) * (abscissa(b, axis) - x);
}

size_t convex_hull(EncodePoint *points, size_t n, HullAxis axis)
{
    n = pareto_front(points, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        while (kept >= 2 && cross(&points[kept - 2], &points[kept - 1], &points[i], axis) >= 0)
            kept--;
        points[kept++] = points[i];
    }
    return kept;
}

size_t keep_monotone_resolution(EncodePoint *hull, size_t n)
{
    size_t kept = 0;
    long long most = 0;
    for (size_t i = 0; i < n; i++) {
        const long long pixels = (long long)hull[i].width * hull[i].height;
        if (pixels < most)
            continue;
        most = pixels;
        hull[kept++] = hull[i];
    }
    return kept;
}

static int compare_rates(const void *a, const void *b)
{
    const RatePoint *x = a, *y = b;
    if (x->rate != y->rate)
        return x->rate > y->rate ? 1 : -1;
    return (x->quality < y->quality) - (x->quality > y->quality);
}

static double cross_rates(const RatePoint *o, const RatePoint *a, const RatePoint *b)
{
    return (a->rate - o->rate) * (b->quality - o->quality) -
           (a->quality - o->quality) * (b->rate - o->rate);
}

size_t hull_of_rates(RatePoint *points, size_t n)
{
    qsort(points, n, sizeof(*points), compare_rates);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept && points[i].quality <= points[kept - 1].quality)
            continue;
        while (kept >= 2 && cross_rates(&points[kept - 2], &points[kept - 1], &points[i]) >= 0)
            kept--;
        points[kept++] = points[i];
    }
    return kept;
}
