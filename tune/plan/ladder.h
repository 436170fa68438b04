/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_PLAN_LADDER_H
#define TUNE_PLAN_LADDER_H

/*
 * Ladders of bitrates: which encode of which size to make next until every target has its cheapest
 * one, and which of many rungs stay.
 */

#include "tune/search/search.h"

#include <stdbool.h>
#include <stddef.h>

enum { LADDER_MAX_GOALS = 32 };

/* A further encode is made if it is expected to save more than this part of the bits of a rung. */
#define LADDER_SAVING 0.015

/* What was measured of a size. */
typedef struct LadderCurve {
    int width, height;
    Measurement *encodes;
    size_t n;
} LadderCurve;

typedef struct LadderSearch {
    QualityRange qualities;
    double first, last;               /* values of q, in either order; both inclusive */
    double lowest_kbps, highest_kbps; /* 0: any */
    bool any_order;                   /* else no answer is smaller than that of the goal before */
    const SearchOptions *goals;       /* their gates alone, from the lowest target up */
    size_t n_goals;                   /* LADDER_MAX_GOALS at most */
    LadderCurve *curves;              /* from small to large */
    size_t n_curves;
} LadderSearch;

typedef struct LadderProbe {
    size_t curve, goal; /* the size, and the goal for which it saves most */
    double q;
} LadderProbe;

/*
 * The encodes that are worth making at the same time, `most` at most. Each is where the bits that
 * it is expected to save over the best answers so far, by what was measured and the priors of
 * scores, are the most; a size that is unlikely to be the cheapest for any goal gets no more of
 * them. 0: no encode is expected to save LADDER_SAVING of any answer, and what has none is out of
 * reach.
 */
size_t ladder_next(const LadderSearch *search, size_t most, LadderProbe *probes);

/* -- rungs of a hull -- */

typedef enum RungSpacing { RUNGS_BY_LOG_BITRATE, RUNGS_BY_SCORE } RungSpacing;

/*
 * Chooses, from a hull in order of bitrate, the points nearest to `wanted` equally spaced bitrates
 * or scores; its ends are among them, and a single rung is the best point. The chosen ones move to
 * the front, in order of bitrate. Their number; -EINVAL if wanted is 0; -ENOMEM.
 */
int ladder_choose(EncodePoint *hull, size_t n, size_t wanted, RungSpacing spacing);

#endif
