/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/choice.h"

#include <errno.h>
#include <limits.h>
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

/* What the next point of a shot's hull brings, for each bit. */
typedef struct Step {
    double slope;
    size_t shot;
    size_t to; /* point of its hull */
} Step;

/* A binary heap, the steepest step first; of equally steep ones the earlier shot. */
typedef struct Heap {
    Step *steps;
    size_t n;
} Heap;

static bool is_before(const Step *a, const Step *b)
{
    return a->slope != b->slope ? a->slope > b->slope : a->shot < b->shot;
}

static void exchange(Step *a, Step *b)
{
    const Step kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_put(Heap *heap, Step step)
{
    size_t i = heap->n++;
    heap->steps[i] = step;
    for (; i && is_before(&heap->steps[i], &heap->steps[(i - 1) / 2]); i = (i - 1) / 2)
        exchange(&heap->steps[i], &heap->steps[(i - 1) / 2]);
}

static Step heap_take(Heap *heap)
{
    const Step first = heap->steps[0];
    heap->steps[0] = heap->steps[--heap->n];
    for (size_t i = 0;;) {
        size_t best = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < heap->n; child++)
            if (is_before(&heap->steps[child], &heap->steps[best]))
                best = child;
        if (best == i)
            return first;
        exchange(&heap->steps[i], &heap->steps[best]);
        i = best;
    }
}

/* Both score and bits of a shot grow with its frames, so the slope does not depend on them. */
static void put_step(Heap *heap, const ShotChoices *shots, size_t shot, size_t to)
{
    if (to >= shots[shot].n)
        return;
    const EncodePoint *a = &shots[shot].points[to - 1], *b = &shots[shot].points[to];
    heap_put(heap,
             (Step){.slope = (b->score - a->score) / (b->kbps - a->kbps), .shot = shot, .to = to});
}

/* Sum over shots of frames * score; and of frames * kbps. */
static void sum_up(const ShotChoices *shots, size_t n, double *score, double *kbps, double *frames)
{
    *score = *kbps = *frames = 0;
    for (size_t i = 0; i < n; i++) {
        *score += shots[i].chosen.score * (double)shots[i].frames;
        *kbps += shots[i].chosen.kbps * (double)shots[i].frames;
        *frames += (double)shots[i].frames;
    }
}

/* The steepest steps, until they bring `missing` in sum. */
static void take_steps(Heap *heap, ShotChoices *shots, double missing)
{
    while (missing > 0 && heap->n) {
        const Step step = heap_take(heap);
        ShotChoices *shot = &shots[step.shot];
        const EncodePoint *next = &shot->points[step.to];
        missing -= (next->score - shot->chosen.score) * (double)shot->frames;
        shot->chosen = *next;
        put_step(heap, shots, step.shot, step.to + 1);
    }
}

int allocate_bits(ShotChoices *shots, size_t n, double target, Allocation *allocation)
{
    if (!n)
        return -EINVAL;
    Heap heap = {.steps = calloc(n, sizeof(*heap.steps))};
    if (!heap.steps)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        shots[i].n = convex_hull(shots[i].points, shots[i].n, HULL_LINEAR);
        if (!shots[i].n || !shots[i].frames) {
            free(heap.steps);
            return -EINVAL;
        }
        shots[i].chosen = shots[i].points[0];
        put_step(&heap, shots, i, 1);
    }
    double score, kbps, frames;
    sum_up(shots, n, &score, &kbps, &frames);
    while (score < target * frames && heap.n) {
        take_steps(&heap, shots, target * frames - score);
        /* Not what was added up step by step: that has gathered rounding errors. */
        sum_up(shots, n, &score, &kbps, &frames);
    }
    *allocation = (Allocation){
        .score = score / frames, .kbps = kbps / frames, .reached = score >= target * frames};
    free(heap.steps);
    return 0;
}

/* -- which encode to recommend -- */

int grid_values(const IndexGrid *grid, int *k)
{
    if (grid->step < 1)
        return -EINVAL;
    int n = 0;
    for (int at = grid->first; at <= grid->last; at += grid->step)
        k[n++] = at;
    return n;
}

/* -1, 0, 1: a is better, equal, worse. */
typedef int Order(const QualityRange *qualities, const EncodePoint *a, const EncodePoint *b);

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_compression(const QualityRange *qualities, const EncodePoint *a, const EncodePoint *b)
{
    const int k = quality_index(qualities, b->q) - quality_index(qualities, a->q);
    return k ? (k > 0) - (k < 0) : by_number(b->score, a->score);
}

static int by_cost(const QualityRange *qualities, const EncodePoint *a, const EncodePoint *b)
{
    const int cost = by_number(a->kbps, b->kbps);
    if (cost)
        return cost;
    const int score = by_number(b->score, a->score);
    return score ? score : by_compression(qualities, a, b);
}

static int by_score(const QualityRange *qualities, const EncodePoint *a, const EncodePoint *b)
{
    const int score = by_number(b->score, a->score);
    return score ? score : by_compression(qualities, a, b);
}

/* The best in that order of those that score at least `target`; n if there is none. */
static size_t best_of(const QualityRange *qualities, const EncodePoint *points, size_t n,
                      double target, Order *order)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (isfinite(points[i].score) && points[i].score >= target &&
            (best == n || order(qualities, &points[i], &points[best]) < 0))
            best = i;
    return best;
}

static Choice choose(const QualityRange *qualities, const EncodePoint *points, size_t n,
                     double target, Order *order)
{
    const size_t best = best_of(qualities, points, n, target, order);
    if (best < n)
        return (Choice){.status = CHOICE_MET, .index = best};
    const size_t highest = best_of(qualities, points, n, -INFINITY, by_score);
    return (Choice){.status = highest < n ? CHOICE_UNMET : CHOICE_NONE, .index = highest};
}

Choice choose_most_compressed(const QualityRange *qualities, const EncodePoint *points, size_t n,
                              double target)
{
    return choose(qualities, points, n, target, by_compression);
}

Choice choose_cheapest(const QualityRange *qualities, const EncodePoint *points, size_t n,
                       double target)
{
    return choose(qualities, points, n, target, by_cost);
}

Choice choose_bitrate(const QualityRange *qualities, const EncodePoint *points, size_t n,
                      double kbps)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(points[i].score) || !isfinite(points[i].kbps))
            continue;
        const int order =
            best == n ? -1 : by_number(fabs(points[i].kbps - kbps), fabs(points[best].kbps - kbps));
        if (order < 0 || (!order && quality_index(qualities, points[i].q) <
                                        quality_index(qualities, points[best].q)))
            best = i;
    }
    return (Choice){.status = best < n ? CHOICE_MET : CHOICE_NONE, .index = best};
}

int fine_values(const QualityRange *qualities, const IndexGrid *coarse, const FineGrid *fine,
                const EncodePoint *points, size_t n, double target, int *k)
{
    if (fine->step < 1 || fine->radius < 0 || coarse->step < 1)
        return -EINVAL;
    const Choice choice =
        choose_most_compressed(qualities, points, n, isnan(target) ? INFINITY : target);
    if (choice.status == CHOICE_NONE)
        return 0;
    const int best = quality_index(qualities, points[choice.index].q);
    const int span = (coarse->last - coarse->first) / coarse->step;
    const int last_coarse = coarse->first + span * coarse->step;
    if (choice.status == CHOICE_MET && best >= last_coarse)
        return 0;
    int count = 0;
    for (int at = best - fine->radius; at <= best + fine->radius; at += fine->step) {
        const bool inside = at >= coarse->first && at <= coarse->last && at >= 0 &&
                            at <= quality_last_index(qualities);
        if (inside && (at - coarse->first) % coarse->step)
            k[count++] = at;
    }
    return count;
}
