/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/ladder.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

static double place_of(const EncodePoint *point, RungSpacing spacing)
{
    return spacing == RUNGS_BY_SCORE ? point->score : log(fmax(point->kbps, 1));
}

/* The first of the points nearest to `place`. */
static size_t nearest(const EncodePoint *hull, size_t n, RungSpacing spacing, double place)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(place_of(&hull[i], spacing) - place) <
            fabs(place_of(&hull[best], spacing) - place))
            best = i;
    return best;
}

/* The next that is free; when there is none, the nearest below. One is free. */
static size_t free_place(const bool *taken, size_t n, size_t wanted)
{
    size_t i = wanted;
    while (i < n && taken[i])
        i++;
    if (i < n)
        return i;
    i = wanted;
    while (taken[i])
        i--;
    return i;
}

int ladder_choose(EncodePoint *hull, size_t n, size_t wanted, RungSpacing spacing)
{
    if (!wanted || n > INT_MAX)
        return -EINVAL;
    if (wanted >= n)
        return (int)n;
    if (wanted == 1) {
        hull[0] = hull[n - 1];
        return 1;
    }
    bool *taken = calloc(n, sizeof(*taken));
    if (!taken)
        return -ENOMEM;
    const double first = place_of(&hull[0], spacing), last = place_of(&hull[n - 1], spacing);
    taken[0] = taken[n - 1] = true;
    for (size_t i = 1; i + 1 < wanted; i++) {
        const double place = first + (last - first) * (double)i / (double)(wanted - 1);
        taken[free_place(taken, n, nearest(hull, n, spacing, place))] = true;
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (taken[i])
            hull[kept++] = hull[i];
    free(taken);
    return (int)kept;
}

static void centre_interval(EncodePoint *point, double width)
{
    if (isnan(point->low) || isnan(point->high)) {
        point->low = point->score - width / 2;
        point->high = point->score + width / 2;
    }
}

/* The part of the wider of two intervals that both have. */
static double overlap_of(const EncodePoint *a, const EncodePoint *b)
{
    const double wider = fmax(a->high - a->low, b->high - b->low);
    const double common = fmin(a->high, b->high) - fmax(a->low, b->low);
    return wider > 0 ? fmax(0, common) / wider : 0;
}

size_t ladder_prune(EncodePoint *rungs, size_t n, const LadderIntervals *intervals)
{
    for (size_t i = 0; i < n; i++)
        centre_interval(&rungs[i], intervals->wide);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const bool same =
            kept && i + 1 < n && overlap_of(&rungs[kept - 1], &rungs[i]) > intervals->overlap;
        if (same && kept > 1)
            rungs[kept - 1] = rungs[i];
        else if (!same)
            rungs[kept++] = rungs[i];
    }
    return kept;
}

static EncodePoint between(const EncodePoint *a, const EncodePoint *b)
{
    const EncodePoint *better = b->score >= a->score ? b : a;
    return (EncodePoint){
        .width = better->width,
        .height = better->height,
        .q = (int)rint((a->q + b->q) / 2.0),
        .kbps = sqrt(a->kbps * b->kbps),
        .score = (a->score + b->score) / 2,
        .low = fmin(a->low, b->low),
        .high = fmax(a->high, b->high),
        .hypothetical = true,
        .source = better->source,
    };
}

size_t ladder_insert(EncodePoint *rungs, size_t n, const LadderIntervals *intervals)
{
    size_t n_gaps = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        centre_interval(&rungs[i], intervals->wide);
        centre_interval(&rungs[i + 1], intervals->wide);
        const double mean =
            (rungs[i].high - rungs[i].low + rungs[i + 1].high - rungs[i + 1].low) / 2;
        n_gaps += mean >= intervals->wide;
    }
    /* From the end, so that nothing is overwritten that is still needed. */
    size_t to = n + n_gaps;
    const size_t all = to;
    for (size_t i = n; i-- > 0;) {
        rungs[--to] = rungs[i];
        if (!i)
            break;
        const double mean =
            (rungs[i].high - rungs[i].low + rungs[i - 1].high - rungs[i - 1].low) / 2;
        if (mean >= intervals->wide) {
            const EncodePoint inserted = between(&rungs[i - 1], &rungs[to]);
            rungs[--to] = inserted;
        }
    }
    return all;
}
