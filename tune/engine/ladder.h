/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_LADDER_H
#define TUNE_ENGINE_LADDER_H

/* Chooses the encodes of a hull that become the rungs of a bitrate ladder. */

#include "tune/engine/encode_point.h"

#include <stddef.h>

typedef enum RungSpacing { RUNGS_BY_LOG_BITRATE, RUNGS_BY_SCORE } RungSpacing;

/*
 * Chooses, from a hull in order of bitrate, the points nearest to `wanted` equally spaced bitrates
 * or scores; its ends are among them, and a single rung is the best point. The chosen ones move to
 * the front, in order of bitrate. Their number; -EINVAL if wanted is 0; -ENOMEM.
 */
int ladder_choose(EncodePoint *hull, size_t n, size_t wanted, RungSpacing spacing);

typedef struct LadderIntervals {
    double overlap; /* neighbours whose intervals share more than this part are one rung */
    double wide; /* neighbours whose mean width of interval is this or more get one between them */
} LadderIntervals;

#define LADDER_DEFAULT_OVERLAP 0.5
#define LADDER_DEFAULT_WIDE    5.0

/*
 * Leaves out rungs that uncertain scores cannot distinguish: the better one stays, but the first
 * rung always. Points without interval get one around their score that is `wide` wide. The number
 * left.
 */
size_t ladder_prune(EncodePoint *rungs, size_t n, const LadderIntervals *intervals);

/*
 * Adds hypothetical rungs between neighbours whose scores are uncertain: geometric mean of
 * bitrates, mean of scores, size of the better one. `rungs` has room for 2 n - 1. The number of
 * all.
 */
size_t ladder_insert(EncodePoint *rungs, size_t n, const LadderIntervals *intervals);

#endif
