/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tune/engine/prediction.h"

enum { N = RESIDUAL_INPUTS, MEASUREMENTS = 40 };

static double between(unsigned *state, double low, double high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (double)(*state >> 8) / (1 << 24);
}

static PredictionFeatures some_features(unsigned *state)
{
    return (PredictionFeatures){
        .probe_kbps = pow(10, between(state, 2, 4.5)),
        .probe_i_bytes = pow(10, between(state, 4, 5)),
        .probe_p_bytes = pow(10, between(state, 3, 4)),
        .probe_b_bytes = pow(10, between(state, 2, 4)),
        .frame_difference = between(state, 0, 0.1),
        .luma_mean = between(state, 0.2, 0.7),
        .luma_variance = between(state, 0, 0.1),
        .frames = between(state, 10, 400),
        .fps = between(state, 20, 60),
        .width = (int)between(state, 320, 3840),
        .height = 1080,
    };
}

/* Solves a x = b by elimination with pivots; both are destroyed. */
static void solve(double a[N][N], double b[N])
{
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        for (int j = 0; j < N; j++) {
            const double swapped = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swapped;
        }
        const double swapped = b[k];
        b[k] = b[pivot];
        b[pivot] = swapped;
        for (int i = 0; i < N; i++) {
            if (i == k)
                continue;
            const double factor = a[i][k] / a[k][k];
            for (int j = 0; j < N; j++)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = 0; k < N; k++)
        b[k] /= a[k][k];
}

CASE(given_measurements_then_weights_are_those_of_ridge_regression)
{
    unsigned random = 1;
    double inputs[MEASUREMENTS][N], residuals[MEASUREMENTS];
    double normal[N][N] = {{0}}, right[N] = {0};
    ResidualModel forwards, backwards;
    residual_model_start(&forwards, 0.5);
    residual_model_start(&backwards, 0.5);
    for (int m = 0; m < MEASUREMENTS; m++) {
        const PredictionFeatures features = some_features(&random);
        residual_inputs(&features, between(&random, 15, 40), inputs[m]);
        residuals[m] = between(&random, -10, 10);
        for (int i = 0; i < N; i++) {
            right[i] += inputs[m][i] * residuals[m];
            for (int j = 0; j < N; j++)
                normal[i][j] += inputs[m][i] * inputs[m][j];
        }
        assert_int_equal(residual_model_learn(&forwards, inputs[m], residuals[m]), 0);
    }
    for (int m = MEASUREMENTS - 1; m >= 0; m--)
        assert_int_equal(residual_model_learn(&backwards, inputs[m], residuals[m]), 0);
    for (int i = 0; i < N; i++)
        normal[i][i] += 0.5;
    solve(normal, right);
    for (int i = 0; i < N; i++) {
        assert_true(fabs(forwards.weights[i] - right[i]) < 1e-9);
        assert_true(fabs(backwards.weights[i] - right[i]) < 1e-9);
    }
    assert_int_equal(forwards.n, MEASUREMENTS);
    assert_true(residual_model_is_sound(&forwards));
}

/* One input that is not 0: w = (sum of r) / (ridge + n), by hand. */
CASE(given_a_constant_residual_then_it_is_approached)
{
    ResidualModel model;
    const double inputs[N] = {1};
    residual_model_start(&model, RESIDUAL_RIDGE);
    assert_true(residual_expected(&model, inputs) == 0);
    for (int n = 1; n <= 9; n++) {
        assert_int_equal(residual_model_learn(&model, inputs, -5), 0);
        assert_true(fabs(residual_expected(&model, inputs) + 5.0 * n / (n + 1)) < 1e-12);
        assert_true(fabs(model.inverse[0][0] - 1.0 / (n + 1)) < 1e-12);
    }
}

CASE(given_a_rule_then_it_is_learned)
{
    unsigned random = 7;
    ResidualModel model;
    residual_model_start(&model, RESIDUAL_RIDGE);
    double worst = 0;
    for (int m = 0; m < 600; m++) {
        double inputs[N];
        const PredictionFeatures features = some_features(&random);
        residual_inputs(&features, between(&random, 15, 40), inputs);
        const double residual = 3 - 2 * inputs[1] + 1.5 * inputs[2] + 4 * inputs[8];
        if (m >= 500)
            worst = fmax(worst, fabs(residual - residual_expected(&model, inputs)));
        residual_model_learn(&model, inputs, residual);
    }
    assert_true(worst < 0.2);
}

CASE(given_features_then_inputs_are_standardised)
{
    double inputs[N];
    const PredictionFeatures typical = {
        .probe_kbps = 1000,
        .frame_difference = 0.03,
        .luma_mean = 0.4,
        .luma_variance = 0.04,
        .frames = 100,
        .fps = 30,
        .width = 1259,
    };
    residual_inputs(&typical, 28, inputs);
    assert_true(inputs[0] == 1);
    for (int i = 1; i < N; i++)
        assert_true(fabs(inputs[i]) < 0.001);
    PredictionFeatures large = typical;
    large.probe_kbps = 1e5;
    large.probe_i_bytes = 1e6;
    large.width = 7680;
    residual_inputs(&large, 63, inputs);
    for (int i = 1; i < N; i++)
        assert_true(fabs(inputs[i]) < 4);
    assert_true(inputs[1] == 3.5 && inputs[3] > 2);
    assert_string_equal(residual_input_name(1), "crf");
    assert_string_equal(residual_input_name(N - 1), "width");
}

CASE(given_numbers_that_are_none_then_nothing_is_learned)
{
    ResidualModel model, before;
    double inputs[N] = {1};
    residual_model_start(&model, RESIDUAL_RIDGE);
    before = model;
    assert_int_equal(residual_model_learn(&model, inputs, NAN), -EINVAL);
    inputs[5] = INFINITY;
    assert_int_equal(residual_model_learn(&model, inputs, 1), -EINVAL);
    assert_memory_equal(&model, &before, sizeof model);
    assert_true(residual_model_is_sound(&model));
    model.inverse[3][4] = 1;
    assert_false(residual_model_is_sound(&model));
    model = before;
    model.inverse[2][2] = 0;
    assert_false(residual_model_is_sound(&model));
    model = before;
    model.weights[0] = NAN;
    assert_false(residual_model_is_sound(&model));
}

CASE(given_what_was_learned_then_another_quality_is_picked)
{
    ResidualModel model;
    const ScoreModel x264 = score_model_of("libx264");
    const PredictionFeatures features = {
        .probe_kbps = 2304, .frames = 100, .fps = 30, .width = 1920, .height = 1080};
    residual_model_start(&model, RESIDUAL_RIDGE);
    QPrediction prediction = q_corrected(&x264, &model, &features, 93, 0, 51);
    assert_int_equal(prediction.q, 28); /* as without a correction */
    assert_true(fabs(prediction.score - 93.7437237121) < 1e-9);

    model.weights[0] = -4;
    prediction = q_corrected(&x264, &model, &features, 93, 0, 51);
    assert_true(prediction.reachable && prediction.q < 28);
    assert_true(score_corrected(&x264, &model, &features, prediction.q) == prediction.score);
    assert_true(prediction.score >= 93);
    assert_true(score_corrected(&x264, &model, &features, prediction.q + 1) < 93);
    assert_true(fabs(score_corrected(&x264, &model, &features, 30) -
                     (score_predicted(&x264, 30, 2304) - 4)) < 1e-12);

    model.weights[0] = -50;
    prediction = q_corrected(&x264, &model, &features, 93, 10, 51);
    assert_false(prediction.reachable);
    assert_int_equal(prediction.q, 10);

    /* Learned terms that rise with compression do not make the strongest one good. */
    model.weights[0] = -30;
    model.weights[1] = 60;
    assert_true(score_corrected(&x264, &model, &features, 51) == 100);
    prediction = q_corrected(&x264, &model, &features, 93, 10, 51);
    assert_false(prediction.reachable);
}
