/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_HULL_H
#define TUNE_ENGINE_HULL_H

/*
 * What is worth encoding: of many encodes, those that no other beats (Pareto front), and of these
 * the ones on the upper convex hull of quality over bitrate, which mixtures of others do not beat
 * either.
 */

#include "tune/engine/encode_point.h"
#include "tune/engine/rate_point.h"

#include <stddef.h>

typedef enum HullAxis { HULL_LINEAR, HULL_LOG } HullAxis; /* bitrate, or its logarithm */

/* In all functions the points that stay move to the front, in order of rising bitrate; the result
 * is their number. Points without a finite bitrate above 0 and a finite score are left out. */

/* The points whose score is above that of all cheaper ones. */
size_t pareto_front(EncodePoint *points, size_t n);

/* The upper convex hull of the Pareto front: slopes fall strictly. */
size_t convex_hull(EncodePoint *points, size_t n, HullAxis axis);

/* Leaves out points of a hull that have fewer pixels than a cheaper one. */
size_t keep_monotone_resolution(EncodePoint *hull, size_t n);

/* The hull of a curve of finite points, as deltas of curves are computed from it. */
size_t hull_of_rates(RatePoint *points, size_t n);

#endif
