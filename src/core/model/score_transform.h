/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_SCORE_TRANSFORM_H
#define CORE_MODEL_SCORE_TRANSFORM_H

#include <stdbool.h>

enum { TRANSFORM_MAX_KNOTS = 10 };

typedef struct TransformKnot {
    double x, y;
} TransformKnot;

/* Maps a regression value to the perceptual scale: a polynomial of degree 2, then a piecewise
 * linear function, then a bound by the untransformed value. Each part is optional. */
typedef struct ScoreTransform {
    bool enabled;
    bool has_p0, has_p1, has_p2;
    double p0, p1, p2;
    unsigned n_knots;
    TransformKnot knots[TRANSFORM_MAX_KNOTS];
    bool out_lte_in, out_gte_in; /* result at most, at least the untransformed value */
} ScoreTransform;

/* Returns the score unchanged if the transform is not enabled. */
double score_transform_apply(const ScoreTransform *transform, double score);

#endif
