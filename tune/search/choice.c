/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/search/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* -- fronts and hulls -- */

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

/* -- bits of shots -- */

/* Both score and bits of a shot grow with its frames, so the slope does not depend on them. */
static double slope(const EncodePoint *from)
{
    return (from[1].score - from->score) / (from[1].kbps - from->kbps);
}

static Allocation sum_up(const ShotChoices *shots, size_t n, double target)
{
    double score = 0, kbps = 0, frames = 0;
    for (size_t i = 0; i < n; i++) {
        score += shots[i].chosen.score * (double)shots[i].frames;
        kbps += shots[i].chosen.kbps * (double)shots[i].frames;
        frames += (double)shots[i].frames;
    }
    return (Allocation){
        .score = score / frames, .kbps = kbps / frames, .reached = score >= target * frames};
}

/* Takes the steepest step along a hull; of equally steep ones, that of the earlier shot. False:
 * there is none. `at`: where each shot is. */
static bool take_step(ShotChoices *shots, size_t n, size_t *at)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (at[i] + 1 < shots[i].n &&
            (best == n || slope(&shots[i].points[at[i]]) > slope(&shots[best].points[at[best]])))
            best = i;
    if (best < n)
        shots[best].chosen = shots[best].points[++at[best]];
    return best < n;
}

int allocate_bits(ShotChoices *shots, size_t n, double target, Allocation *allocation)
{
    size_t *at = calloc(n + 1, sizeof(*at));
    int err = !at ? -ENOMEM : n ? 0 : -EINVAL;
    for (size_t i = 0; i < n && !err; i++) {
        shots[i].n = convex_hull(shots[i].points, shots[i].n, HULL_LINEAR);
        if (shots[i].n && shots[i].frames)
            shots[i].chosen = shots[i].points[0];
        else
            err = -EINVAL;
    }
    if (!err)
        do
            *allocation = sum_up(shots, n, target);
        while (!allocation->reached && take_step(shots, n, at));
    free(at);
    return err;
}

/* -- which encode to recommend -- */

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

/* -1, 0, 1: a is better, equal, worse. */
static int compare(const QualityRange *qualities, const EncodePoint *a, const EncodePoint *b,
                   bool by_cost)
{
    const int cost = by_cost ? by_number(a->kbps, b->kbps) : 0;
    const int score = by_number(b->score, a->score);
    const int k = by_number(quality_index(qualities, b->q), quality_index(qualities, a->q));
    return cost ? cost : score ? score : k;
}

/* The best of those that score at least `target`; n if there is none. */
static size_t best_of(const QualityRange *qualities, const EncodePoint *points, size_t n,
                      double target, bool by_cost)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (isfinite(points[i].score) && points[i].score >= target &&
            (best == n || compare(qualities, &points[i], &points[best], by_cost) < 0))
            best = i;
    return best;
}

Choice choose_cheapest(const QualityRange *qualities, const EncodePoint *points, size_t n,
                       double target)
{
    const size_t best = best_of(qualities, points, n, target, true);
    if (best < n)
        return (Choice){.status = CHOICE_MET, .index = best};
    const size_t highest = best_of(qualities, points, n, -INFINITY, false);
    return (Choice){.status = highest < n ? CHOICE_UNMET : CHOICE_NONE, .index = highest};
}
