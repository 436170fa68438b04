/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_ALLOCATION_H
#define TUNE_ENGINE_ALLOCATION_H

/*
 * How to spend bits among shots: the fewest bits whose mean score over all frames reaches a target.
 * Optimal on the convex hulls of the shots, by equal slopes (Shoham and Gersho, 1988).
 */

#include "tune/engine/encode_point.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ShotChoices {
    EncodePoint *points; /* measured encodes of the shot; put in order */
    size_t n;
    size_t frames;
    EncodePoint chosen; /* the result */
} ShotChoices;

typedef struct Allocation {
    double score; /* mean over frames */
    double kbps;  /* mean over frames, for shots of one frame rate */
    bool reached; /* false: all shots are at their best, and that is not enough */
} Allocation;

/* Fills in `chosen` of all. 0; -EINVAL if a shot has no frames or no usable point; -ENOMEM. */
int allocate_bits(ShotChoices *shots, size_t n, double target, Allocation *allocation);

#endif
