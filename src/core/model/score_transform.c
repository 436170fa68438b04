/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/score_transform.h"

static double polynomial(const ScoreTransform *transform, double score)
{
    if (!transform->has_p0 && !transform->has_p1 && !transform->has_p2)
        return score;
    double result = 0.0;
    if (transform->has_p0)
        result += transform->p0;
    if (transform->has_p1)
        result += transform->p1 * score;
    if (transform->has_p2)
        result += transform->p2 * score * score;
    return result;
}

static double on_segment(const TransformKnot *from, const TransformKnot *to, double score)
{
    if (from->y == to->y)
        return from->y;
    /* Two formulas: they round differently, and scores are compared to the last bit. */
    if (from->x == 0.0) {
        double slope = (to->y - from->y) / to->x;
        return slope * score + from->y;
    }
    double slope = (to->y - from->y) / (to->x - from->x);
    double offset = from->y - from->x * slope;
    return slope * score + offset;
}

/* The outer segments continue beyond the knots. On a knot the right-hand segment applies. Knots
 * that do not ascend end the map: the value found up to there, or 0, is the result. */
static double piecewise_linear(const ScoreTransform *transform, double score)
{
    if (transform->n_knots < 2)
        return score;
    unsigned last = transform->n_knots - 2;
    double result = 0.0;
    for (unsigned j = 0; j <= last; j++) {
        const TransformKnot *from = &transform->knots[j], *to = &transform->knots[j + 1];
        if (!(from->x < to->x && from->y <= to->y))
            break;
        if ((from->x <= score && score <= to->x) || (j == 0 && score < from->x) ||
            (j == last && score > to->x))
            result = on_segment(from, to, score);
    }
    return result;
}

double score_transform_apply(const ScoreTransform *transform, double score)
{
    if (!transform->enabled)
        return score;
    double result = piecewise_linear(transform, polynomial(transform, score));
    if (transform->out_lte_in && result > score)
        result = score;
    if (transform->out_gte_in && result < score)
        result = score;
    return result;
}
