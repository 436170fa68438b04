/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "model/model_data.h"

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

double model_finish_score(const VmafModel *model, double raw)
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
