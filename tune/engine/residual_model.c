/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/residual_model.h"

#include <errno.h>
#include <math.h>

enum { N = RESIDUAL_INPUTS };

/* -- inputs -- */

/* Centre and spread of each input: round numbers that fit usual videos. Another choice changes how
 * soon something is learned, not what. Rates, sizes and lengths differ by factors, so their
 * logarithms are taken. */
static const struct {
    const char *name;
    bool is_logarithm;  /* to the base of 10 */
    bool may_be_absent; /* 0 says that nobody knows */
    double centre, spread;
} inputs_of[N] = {
    {"constant", false, false, 0, 1},
    {"crf", false, false, 28, 10},
    {"probe_kbps", true, false, 3, 0.7},
    {"probe_i_bytes", true, true, 4.5, 0.7},
    {"probe_p_bytes", true, true, 3.5, 0.7},
    {"probe_b_bytes", true, true, 3, 0.7},
    {"saliency_mean", false, true, 0.3, 0.2},
    {"saliency_variance", false, true, 0.05, 0.05},
    {"frame_difference", false, false, 0.03, 0.03},
    {"luma_mean", false, false, 0.4, 0.2},
    {"luma_variance", false, false, 0.04, 0.03},
    {"frames", true, false, 2, 0.5},
    {"fps", false, false, 30, 15},
    {"width", true, false, 3.1, 0.3},
};

const char *residual_input_name(size_t i)
{
    return inputs_of[i].name;
}

void residual_inputs(const PredictionFeatures *features, double q, double inputs[N])
{
    const double values[N] = {
        1,
        q,
        features->probe_kbps,
        features->probe_i_bytes,
        features->probe_p_bytes,
        features->probe_b_bytes,
        features->saliency_mean,
        features->saliency_variance,
        features->frame_difference,
        features->luma_mean,
        features->luma_variance,
        features->frames,
        features->fps,
        features->width,
    };
    for (int i = 0; i < N; i++) {
        const double value = inputs_of[i].is_logarithm ? log10(fmax(values[i], 1)) : values[i];
        const bool is_absent = inputs_of[i].may_be_absent && values[i] == 0;
        inputs[i] = is_absent ? 0 : (value - inputs_of[i].centre) / inputs_of[i].spread;
    }
}

/* -- learning -- */

void residual_model_start(ResidualModel *model, double ridge)
{
    *model = (ResidualModel){0};
    for (int i = 0; i < N; i++)
        model->inverse[i][i] = 1 / ridge;
}

double residual_expected(const ResidualModel *model, const double inputs[N])
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += model->weights[i] * inputs[i];
    return sum;
}

int residual_model_learn(ResidualModel *model, const double inputs[N], double residual)
{
    double product[N], gain[N]; /* inverse times inputs, and that by the denominator, once */
    double denominator = 1;
    bool is_finite = isfinite(residual);
    for (int i = 0; i < N; i++)
        is_finite &= (bool)isfinite(inputs[i]);
    if (!is_finite)
        return -EINVAL;
    for (int i = 0; i < N; i++) {
        product[i] = 0;
        for (int j = 0; j < N; j++)
            product[i] += model->inverse[i][j] * inputs[j];
        denominator += inputs[i] * product[i];
    }
    const double error = residual - residual_expected(model, inputs);
    for (int i = 0; i < N; i++) {
        gain[i] = product[i] / denominator;
        model->weights[i] += gain[i] * error;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) { /* one half is the other, so that it stays symmetric */
            model->inverse[i][j] -= gain[i] * product[j];
            model->inverse[j][i] = model->inverse[i][j];
        }
    model->n++;
    return 0;
}

bool residual_model_is_sound(const ResidualModel *model)
{
    for (int i = 0; i < N; i++) {
        if (!isfinite(model->weights[i]) || !(model->inverse[i][i] > 0))
            return false;
        for (int j = 0; j < N; j++)
            if (!isfinite(model->inverse[i][j]) || model->inverse[i][j] != model->inverse[j][i])
                return false;
    }
    return true;
}

/* -- predictions -- */

double score_corrected(const ScoreModel *score, const ResidualModel *residual,
                       const PredictionFeatures *features, double q)
{
    double inputs[N];
    residual_inputs(features, q, inputs);
    const double predicted = score_predicted(score, q, features->probe_kbps);
    return fmin(100, fmax(0, predicted + residual_expected(residual, inputs)));
}

QPrediction q_corrected(const ScoreModel *score, const ResidualModel *residual,
                        const PredictionFeatures *features, double target, int lowest, int highest)
{
    QPrediction prediction = {.q = lowest,
                              .score = score_corrected(score, residual, features, lowest)};
    prediction.reachable = prediction.score >= target;
    for (int q = lowest + 1; q <= highest && prediction.reachable; q++) {
        const double at_q = score_corrected(score, residual, features, q);
        if (at_q < target)
            break;
        prediction.q = q;
        prediction.score = at_q;
    }
    return prediction;
}
