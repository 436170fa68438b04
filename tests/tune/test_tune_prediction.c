/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/cases.h"

#include <errno.h>
#include <math.h>

#include "tune/engine/prediction.h"

CASE(given_encoders_then_predictions_are_known)
{
    static const struct {
        const char *encoder;
        int q;
        double score;
    } cases[] = {{"libx264", 28, 93.7437237121},    {"libx265", 35, 93.1899719596},
                 {"libsvtav1", 40, 93.7324754647},  {"libvvenc", 39, 93.7017237121},
                 {"hevc_nvenc", 27, 94.0517237121}, {"nobody's", 28, 93.7437237121}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const ScoreModel model = score_model_of(cases[i].encoder);
        const QPrediction prediction = q_predicted(&model, 93, 2304, 0, 51);
        assert_true(prediction.reachable);
        assert_int_equal(prediction.q, cases[i].q);
        assert_true(fabs(prediction.score - cases[i].score) < 1e-9);
        assert_true(score_predicted(&model, cases[i].q + 1, 2304) < 93);
    }
    const ScoreModel unknown = score_model_of(NULL), x264 = score_model_of("libx264");
    assert_true(unknown.a == x264.a);
}

CASE(given_targets_at_the_ends_then_ends_are_predicted)
{
    const ScoreModel model = score_model_of("libx264");
    QPrediction prediction = q_predicted(&model, 99, 1, 30, 51);
    assert_false(prediction.reachable);
    assert_int_equal(prediction.q, 30);
    prediction = q_predicted(&model, 0, 1, 30, 51);
    assert_true(prediction.reachable);
    assert_int_equal(prediction.q, 51);
    assert_true(score_predicted(&model, 0, 1e9) == 100);
    assert_true(score_predicted(&model, 400, 1) == 0);
    assert_true(score_predicted(&model, 23, 0) == 95); /* no probe counts as 1 kbps */
}

CASE(given_a_probe_then_bitrate_halves_every_6_steps)
{
    assert_true(kbps_predicted(2000, 28, 34) == 1000);
    assert_true(kbps_predicted(2000, 28, 22) == 4000);
    assert_true(kbps_predicted(2, 0, 51) == 1);
}

CASE(given_shots_then_gops_follow_length_and_bitrate)
{
    static const struct {
        double kbps, frames, fps;
        int keyint, min_keyint;
    } cases[] = {{1000, 100, 25, 100, 25}, {1000, 99, 25, 50, 12},     {1500, 100, 25, 50, 12},
                 {8001, 100, 25, 25, 12},  {8000, 50, 23.976, 48, 12}, {1000, 4, 0.4, 4, 1},
                 {9000, 10, 1, 1, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const PredictionFeatures features = {
            .probe_kbps = cases[i].kbps, .frames = cases[i].frames, .fps = cases[i].fps};
        const GopHint hint = gop_hint(&features);
        assert_int_equal(hint.keyint, cases[i].keyint);
        assert_int_equal(hint.min_keyint, cases[i].min_keyint);
    }
}

CASE(given_heights_then_classes)
{
    assert_int_equal(height_class(719), HEIGHT_SD);
    assert_int_equal(height_class(720), HEIGHT_720);
    assert_int_equal(height_class(1080), HEIGHT_1080);
    assert_int_equal(height_class(2159), HEIGHT_1080);
    assert_int_equal(height_class(2160), HEIGHT_2160);
}

CASE(given_residuals_then_verdicts)
{
    static const struct {
        double residuals[4];
        size_t n;
        Verdict verdict;
        double bias;
    } cases[] = {
        {{1.5, -1.5, 0, 1}, 4, VERDICT_GOSPEL, 0},
        {{2, 3, 4, 3}, 4, VERDICT_RECALIBRATE, 3},
        {{-2, -3, -4, -3}, 4, VERDICT_RECALIBRATE, -3},
        {{1, 2, 4.5, 3}, 4, VERDICT_FALL_BACK, 0},
        {{-1.6, 1.4, 0, 0}, 4, VERDICT_FALL_BACK, 0},
        {{NAN, 1, 1, 1}, 4, VERDICT_FALL_BACK, 0},
        {{0}, 0, VERDICT_FALL_BACK, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const Validation validation =
            validate_predictions(cases[i].residuals, cases[i].n, VALIDATION_DEFAULT_THRESHOLD);
        assert_int_equal(validation.verdict, cases[i].verdict);
        assert_true(validation.bias == cases[i].bias);
    }
    assert_true(validate_predictions((const double[]){1, -2.5}, 2, 1.5).worst == 2.5);
}

CASE(given_shots_then_those_to_validate_are_of_all_quarters)
{
    double kbps[16];
    size_t chosen[16];
    for (size_t i = 0; i < 16; i++)
        kbps[i] = 100.0 * (double)((i * 5) % 16);
    assert_int_equal(validation_choose(kbps, 16, 8, chosen), 8);
    int quarters[4] = {0};
    for (int i = 0; i < 8; i++) {
        quarters[(int)(kbps[chosen[i]] / 400)]++;
        assert_true(!i || chosen[i] > chosen[i - 1]);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(quarters[i], 2);
    /* The remainder is in the highest. */
    assert_int_equal(validation_choose(kbps, 16, 6, chosen), 6);
    int high = 0;
    for (int i = 0; i < 6; i++)
        high += kbps[chosen[i]] >= 1200;
    assert_int_equal(high, 3);
    assert_int_equal(validation_choose(kbps, 5, 8, chosen), 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(chosen[i], i);
    assert_int_equal(validation_choose(kbps, 0, 8, chosen), 0);
}

CASE(given_measurements_then_a_refit_goes_through_them)
{
    const ScoreModel truth = {.a = 85, .b = 1.5, .c = 0.02, .rate_weight = 1.5, .reference_q = 23};
    ScoredQ points[6];
    for (int i = 0; i < 6; i++) {
        points[i] = (ScoredQ){.q = 18 + 3 * i, .probe_kbps = 500 + 100 * i};
        points[i].score = score_predicted(&truth, points[i].q, points[i].probe_kbps);
    }
    for (size_t n = 3; n <= 6; n++) {
        ScoreModel model = score_model_of("libx264");
        assert_int_equal(score_model_refit(&model, points, n, 0, 51), 0);
        assert_true(fabs(model.a - 85) < 1e-6);
        assert_true(fabs(model.b - 1.5) < 1e-6);
        assert_true(fabs(model.c - 0.02) < 1e-6);
        assert_true(model.rate_weight == 1.5 && model.reference_q == 23);
    }
}

CASE(given_too_little_or_nonsense_then_no_refit)
{
    ScoreModel model = score_model_of("libx264");
    const ScoreModel before = model;
    const ScoredQ rising[] = {{20, 80, 500}, {25, 85, 500}, {30, 90, 500}};
    const ScoredQ same_q[] = {{20, 90, 500}, {20, 91, 500}, {25, 85, 500}};
    const ScoredQ bowl[] = {{20, 90, 500}, {25, 80, 500}, {30, 79, 500}};
    assert_int_equal(score_model_refit(&model, rising, 2, 0, 51), -EINVAL);
    assert_int_equal(score_model_refit(&model, rising, 3, 0, 51), -EINVAL);
    assert_int_equal(score_model_refit(&model, same_q, 3, 0, 51), -EINVAL);
    assert_int_equal(score_model_refit(&model, bowl, 3, 0, 51), -EINVAL);
    assert_true(model.a == before.a && model.b == before.b && model.c == before.c);
    /* Within a range in which it falls, it may be used. */
    assert_int_equal(score_model_refit(&model, bowl, 3, 15, 27), 0);
    assert_true(fabs(score_predicted(&model, 25, 500) - 80) < 1e-6);
}
