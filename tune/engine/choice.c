/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

int grid_values(const IndexGrid *grid, int *k)
{
    if (grid->step < 1)
        return -EINVAL;
    int n = 0;
    for (int at = grid->first; at <= grid->last; at += grid->step)
        k[n++] = at;
    return n;
}

static bool is_usable(const EncodePoint *point)
{
    return isfinite(point->score);
}

/* -1, 0, 1: a is better, equal, worse. */
typedef int Order(const Knob *knob, const EncodePoint *a, const EncodePoint *b);

static int by_number(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_compression(const Knob *knob, const EncodePoint *a, const EncodePoint *b)
{
    const int k = knob_index(knob, b->q) - knob_index(knob, a->q);
    return k ? (k > 0) - (k < 0) : by_number(b->score, a->score);
}

static int by_cost(const Knob *knob, const EncodePoint *a, const EncodePoint *b)
{
    const int cost = by_number(a->kbps, b->kbps);
    if (cost)
        return cost;
    const int score = by_number(b->score, a->score);
    return score ? score : by_compression(knob, a, b);
}

static int by_score(const Knob *knob, const EncodePoint *a, const EncodePoint *b)
{
    const int score = by_number(b->score, a->score);
    return score ? score : by_compression(knob, a, b);
}

/* The best in that order of those that score at least `target`; n if there is none. */
static size_t best_of(const Knob *knob, const EncodePoint *points, size_t n, double target,
                      Order *order)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++)
        if (is_usable(&points[i]) && points[i].score >= target &&
            (best == n || order(knob, &points[i], &points[best]) < 0))
            best = i;
    return best;
}

static Choice choose(const Knob *knob, const EncodePoint *points, size_t n, double target,
                     Order *order)
{
    const size_t best = best_of(knob, points, n, target, order);
    if (best < n)
        return (Choice){.status = CHOICE_MET, .index = best};
    const size_t highest = best_of(knob, points, n, -INFINITY, by_score);
    return (Choice){.status = highest < n ? CHOICE_UNMET : CHOICE_NONE, .index = highest};
}

Choice choose_most_compressed(const Knob *knob, const EncodePoint *points, size_t n, double target)
{
    return choose(knob, points, n, target, by_compression);
}

Choice choose_cheapest(const Knob *knob, const EncodePoint *points, size_t n, double target)
{
    return choose(knob, points, n, target, by_cost);
}

Choice choose_bitrate(const Knob *knob, const EncodePoint *points, size_t n, double kbps)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        if (!is_usable(&points[i]) || !isfinite(points[i].kbps))
            continue;
        const int order =
            best == n ? -1 : by_number(fabs(points[i].kbps - kbps), fabs(points[best].kbps - kbps));
        if (order < 0 ||
            (!order && knob_index(knob, points[i].q) < knob_index(knob, points[best].q)))
            best = i;
    }
    return (Choice){.status = best < n ? CHOICE_MET : CHOICE_NONE, .index = best};
}

int fine_values(const Knob *knob, const IndexGrid *coarse, const FineGrid *fine,
                const EncodePoint *points, size_t n, double target, int *k)
{
    if (fine->step < 1 || fine->radius < 0 || coarse->step < 1)
        return -EINVAL;
    const Choice choice =
        choose_most_compressed(knob, points, n, isnan(target) ? INFINITY : target);
    if (choice.status == CHOICE_NONE)
        return 0;
    const int best = knob_index(knob, points[choice.index].q);
    const int span = (coarse->last - coarse->first) / coarse->step;
    const int last_coarse = coarse->first + span * coarse->step;
    if (choice.status == CHOICE_MET && best >= last_coarse)
        return 0;
    int count = 0;
    for (int at = best - fine->radius; at <= best + fine->radius; at += fine->step) {
        const bool inside =
            at >= coarse->first && at <= coarse->last && at >= 0 && at <= knob_last_index(knob);
        if (inside && (at - coarse->first) % coarse->step)
            k[count++] = at;
    }
    return count;
}

typedef struct RankedPoint {
    int k;
    double score;
    size_t index;
} RankedPoint;

static int compare_ranked(const void *a, const void *b)
{
    const RankedPoint *x = a, *y = b;
    if (x->k != y->k)
        return y->k - x->k;
    return by_number(y->score, x->score);
}

/* Usable points, the most compressed first. */
static RankedPoint *rank_points(const Knob *knob, const EncodePoint *points, size_t n,
                                size_t *usable)
{
    RankedPoint *ranked = calloc(n ? n : 1, sizeof(*ranked));
    *usable = 0;
    for (size_t i = 0; ranked && i < n; i++)
        if (is_usable(&points[i]))
            ranked[(*usable)++] = (RankedPoint){
                .k = knob_index(knob, points[i].q), .score = points[i].score, .index = i};
    if (ranked)
        qsort(ranked, *usable, sizeof(*ranked), compare_ranked);
    return ranked;
}

int choose_by_interval(const Knob *knob, const EncodePoint *points, size_t n, double target,
                       const ConfidenceWidths *widths, CertainChoice *choice)
{
    size_t usable;
    RankedPoint *ranked = rank_points(knob, points, n, &usable);
    if (!ranked)
        return -ENOMEM;
    int err = 0;
    bool excluded = usable, wide = false;
    *choice = (CertainChoice){.certainty = CERTAINTY_NONE};
    for (size_t i = 0; i < usable; i++) {
        const EncodePoint *point = &points[ranked[i].index];
        Confidence confidence;
        err = confidence_of(point->high - point->low, widths, &confidence);
        if (err)
            break;
        choice->visited++;
        if (confidence == CONFIDENCE_TIGHT && point->low >= target) {
            choice->choice = (Choice){.status = CHOICE_MET, .index = ranked[i].index};
            choice->certainty = CERTAINTY_TIGHT;
            break;
        }
        excluded = excluded && point->high < target;
        wide = wide || confidence == CONFIDENCE_WIDE;
    }
    free(ranked);
    if (err || choice->certainty == CERTAINTY_TIGHT)
        return err;
    if (excluded) {
        choice->choice = choose(knob, points, n, INFINITY, by_cost);
        choice->certainty = CERTAINTY_EXCLUDED;
    } else {
        choice->choice = choose_cheapest(knob, points, n, target);
        choice->certainty = wide ? CERTAINTY_WIDE : CERTAINTY_NONE;
    }
    return 0;
}
