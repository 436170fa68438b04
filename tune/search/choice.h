/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_CHOICE_H
#define TUNE_SEARCH_CHOICE_H

/*
 * Choices among encodes that were measured: what is worth encoding at all, how to spend bits among
 * shots, and which encode to recommend.
 */

#include "tune/encode/encode_point.h"
#include "tune/measure/score_statistics.h"

#include <stdbool.h>
#include <stddef.h>

/* -- fronts and hulls -- */

/*
 * What is worth encoding: of many encodes, those that no other beats (Pareto front), and of these
 * the ones on the upper convex hull of quality over bitrate, which mixtures of others do not beat
 * either.
 */
typedef enum HullAxis { HULL_LINEAR, HULL_LOG } HullAxis; /* bitrate, or its logarithm */

/* In all functions the points that stay move to the front, in order of rising bitrate; the result
 * is their number. Points without a finite bitrate above 0 and a finite score are left out. */

/* The points whose score is above that of all cheaper ones. */
size_t pareto_front(EncodePoint *points, size_t n);

/* The upper convex hull of the Pareto front: slopes fall strictly. */
size_t convex_hull(EncodePoint *points, size_t n, HullAxis axis);

/* Leaves out points of a hull that have fewer pixels than a cheaper one. */
size_t keep_monotone_resolution(EncodePoint *hull, size_t n);

/* -- bits of shots -- */

/*
 * How to spend bits among shots: the fewest bits whose mean score over all frames reaches a target.
 * Optimal on the convex hulls of the shots, by equal slopes (Shoham and Gersho, 1988).
 */
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

/* -- which encode to recommend -- */

typedef enum ChoiceStatus {
    CHOICE_MET,
    CHOICE_UNMET, /* none reaches the target: the best there is */
    CHOICE_NONE,  /* no usable point */
} ChoiceStatus;

typedef struct Choice {
    ChoiceStatus status;
    size_t index; /* of the point */
} Choice;

/* Reaches the target, and costs least; of equals, the better one, then the more compressed. */
Choice choose_cheapest(const QualityRange *qualities, const EncodePoint *points, size_t n,
                       double target);

#endif
