/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores of models: the regression, what follows it, and the spread of a collection. */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "model/model_internal.h"
#include "support/memory.h"

/* The number of vectors whose distances are computed together: they fit the first-level cache and
 * the loop over them vectorises, without changing the order of any sum. A multiple of SVR_LANES. */
enum { BLOCK = 64 };

static void add_squared_differences(double distance[], const double component[], double x,
                                    unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        double d = x - component[k];
        distance[k] += d * d;
    }
}

double svr_predict(const SvrTable *svr, const double x[], unsigned n)
{
    double sum = 0.0;
    for (unsigned first = 0; first < svr->n_vectors; first += BLOCK) {
        unsigned lanes = svr->stride - first < BLOCK ? svr->stride - first : BLOCK;
        unsigned count = svr->n_vectors - first < BLOCK ? svr->n_vectors - first : BLOCK;
        double distance[BLOCK] = {0};

        for (unsigned i = 0; i < svr->dimensions; i++)
            add_squared_differences(distance, svr->vectors + (size_t)i * svr->stride + first,
                                    i < n ? x[i] : 0.0, lanes);
        for (unsigned i = svr->dimensions; i < n; i++)
            for (unsigned k = 0; k < count; k++)
                distance[k] += x[i] * x[i];

        for (unsigned k = 0; k < count; k++)
            sum += svr->coefficients[first + k] * math_exp(-svr->gamma * distance[k]);
    }
    return sum - svr->rho;
}

SvrTable *svr_create(unsigned n_vectors, unsigned dimensions, double **coefficients,
                     double **vectors)
{
    size_t stride = size_round_up(n_vectors ? n_vectors : 1, SVR_LANES);
    size_t count;
    if (stride == 0 || !size_mul(stride, (size_t)dimensions + 1, &count))
        return NULL;

    SvrTable *svr = memory_alloc_zeroed(1, sizeof(*svr));
    double *values = memory_alloc_zeroed(count, sizeof(*values));
    if (!svr || !values) {
        memory_free(svr);
        memory_free(values);
        return NULL;
    }
    *coefficients = values;
    *vectors = values + stride;
    svr->n_vectors = n_vectors;
    svr->dimensions = dimensions;
    svr->stride = (unsigned)stride;
    svr->coefficients = *coefficients;
    svr->vectors = *vectors;
    return svr;
}

void svr_destroy(SvrTable *svr)
{
    if (!svr)
        return;
    memory_free((double *)svr->coefficients); /* one block, see svr_create */
    memory_free(svr);
}

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

static double normalise(const VmafModel *model, LinearMap map, double value)
{
    if (model->parameters.normalisation == NORMALISATION_NONE)
        return value;
    return map.slope * value + map.intercept;
}

static double denormalise(const VmafModel *model, LinearMap map, double value)
{
    if (model->parameters.normalisation == NORMALISATION_NONE)
        return value;
    return (value - map.intercept) / map.slope;
}

/*
 * Derives the chroma feature from luma where its score is exactly 0. Works on normalised values,
 * whose rounding is part of the result. -EINVAL if several features have the same role.
 */
static int correct_chroma(const VmafModel *model, double x[])
{
    const double strength = model->parameters.chroma_correction;
    const ModelFeature *features = model->features;
    int chroma = -1, luma = -1;

    for (unsigned i = 0; i < model->n_features; i++) {
        if (features[i].roles & ROLE_CHROMA) {
            if (chroma >= 0)
                return -EINVAL;
            chroma = (int)i;
            if (denormalise(model, features[i].map, x[i]) != 0.0)
                return 0;
        }
        if (features[i].roles & ROLE_LUMA) {
            if (luma >= 0)
                return -EINVAL;
            luma = (int)i;
        }
    }
    if (chroma < 0 || luma < 0)
        return 0;

    double fidelity = denormalise(model, features[luma].map, x[luma]);
    double corrected = -strength * fidelity + strength;
    x[chroma] = normalise(model, features[chroma].map, corrected);
    return 0;
}

/* Applies the model's transform and clip to a regression value. */
static double model_finish_score(const VmafModel *model, double raw)
{
    const ModelParameters *parameters = &model->parameters;
    double score = score_transform_apply(&parameters->transform, raw);
    if (parameters->has_clip) {
        if (score < parameters->clip_min)
            score = parameters->clip_min;
        if (score > parameters->clip_max)
            score = parameters->clip_max;
    }
    return score;
}

int model_predict(const VmafModel *model, const double features[], double *raw, double *score)
{
    double x[MODEL_MAX_FEATURES];
    if (model->parameters.normalisation == NORMALISATION_UNSET)
        return -EINVAL;

    for (unsigned i = 0; i < model->n_features; i++)
        x[i] = normalise(model, model->features[i].map, features[i]);
    if (model->parameters.chroma_correction != 0.0) {
        int err = correct_chroma(model, x);
        if (err)
            return err;
    }
    double regression = denormalise(model, model->parameters.score_map,
                                    svr_predict(model->svr, x, model->n_features));
    if (raw)
        *raw = regression;
    *score = model_finish_score(model, regression);
    return 0;
}

/*
 * Bagging (Breiman, 1996) and the bootstrap percentile interval (Efron): each member of a
 * collection was trained on a resampled set, and the spread of their predictions measures the
 * uncertainty of the score.
 */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Interpolates linearly between neighbouring ranks. */
static double percentile(const double sorted[], unsigned count, double percent)
{
    double rank = percent * (count - 1) / 100.0;
    double below = floor(rank), above = ceil(rank);
    if (below == above)
        return sorted[(unsigned)below];
    return sorted[(unsigned)below] * (above - rank) + sorted[(unsigned)above] * (rank - below);
}

static double mean_of(const double values[], unsigned count)
{
    double sum = 0.0;
    for (unsigned i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static double deviation_of(const double values[], unsigned count, double mean)
{
    double sum = 0.0;
    for (unsigned i = 0; i < count; i++) {
        double d = values[i] - mean;
        sum += d * d;
    }
    return sqrt(sum / count);
}

int model_collection_combine(const VmafModelCollection *collection, const double raw[],
                             VmafModelCollectionScore *score)
{
    const unsigned count = collection->n_members;
    const VmafModel *first = count ? collection->members[0] : NULL;
    if (!first || (first->parameters.type != MODEL_TYPE_BOOTSTRAP &&
                   first->parameters.type != MODEL_TYPE_RESIDUEBOOTSTRAP))
        return -EINVAL;
    double *sorted = memory_alloc(count, sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, raw, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), ascending);

    double mean = mean_of(raw, count);
    double deviation = deviation_of(raw, count, mean);
    /* The delta method: transform and clip scale the deviation by their slope at the mean. */
    const double step = 0.01;
    double slope =
        (model_finish_score(first, mean + step) - model_finish_score(first, mean - step)) /
        (2.0 * step);

    score->type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
    score->bootstrap.bagging_score = model_finish_score(first, mean);
    score->bootstrap.stddev = deviation * slope;
    score->bootstrap.ci.p95.lo = model_finish_score(first, percentile(sorted, count, 2.5));
    score->bootstrap.ci.p95.hi = model_finish_score(first, percentile(sorted, count, 97.5));
    memory_free(sorted);
    return 0;
}
