/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Predictions of the built-in models, to the last bit. Expected numbers: libvmaf 3.2 reference
 * values, unless a test derives them. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "model/model_internal.h"
#include "support/cases.h"

#define assert_same_double(a, b) assert_double_bits(a, b, __FILE__, __LINE__)

static void assert_double_bits(double actual, double expected, const char *file, int line)
{
    if (memcmp(&actual, &expected, sizeof(actual)) != 0) {
        print_error("%.17g, expected %.17g\n", actual, expected);
        _fail(file, line);
    }
}

static VmafModel *load(const char *version, uint64_t flags)
{
    VmafModelConfig cfg = {.flags = flags};
    VmafModel *model = NULL;
    assert_int_equal(vmaf_model_load(&model, &cfg, version), 0);
    assert_non_null(model);
    return model;
}

static double predict(const VmafModel *model, const double features[])
{
    double score;
    assert_int_equal(model_predict(model, features, NULL, &score), 0);
    return score;
}

static double predict_version(const char *version, uint64_t flags, const double features[])
{
    VmafModel *model = load(version, flags);
    double score = predict(model, features);
    vmaf_model_destroy(model);
    return score;
}

/* adm2, motion2, vif_scale0 to 3 */
static const double classic_inputs[3][6] = {
    {0.95, 5, 0.5, 0.8, 0.85, 0.9},
    {0.7, 12.5, 0.25, 0.5, 0.6, 0.7},
    {1, 0, 1, 1, 1, 1},
};

CASE(disable_transform_has_no_effect_at_load)
{
    const uint64_t flags = VMAF_MODEL_FLAG_ENABLE_TRANSFORM | VMAF_MODEL_FLAG_DISABLE_TRANSFORM;
    assert_same_double(predict_version("vmaf_v0.6.1", flags, classic_inputs[0]),
                       94.053955403084842);
    /* With the clip, 102.96 becomes 100. */
    assert_same_double(predict_version("vmaf_v0.6.1", flags, classic_inputs[2]), 100);
}

CASE(bootstrap_collection_equals_reference)
{
    static const struct {
        double base, first, last, bagging, stddev, lo, hi;
    } expected[3] = {
        {78.038514083958546, 76.49246487259002, 76.435721730042317, 77.87024550034414,
         1.6901175573106908, 75.172161496558189, 81.104721396472144},
        {24.278568528496571, 30.532392031532751, 32.15834911436184, 25.634753188414173,
         3.6643775266777929, 19.926737065184312, 32.332502428635507},
        {97.986393147932304, 96.378287122006952, 98.102647193389274, 97.076021463042323,
         4.7665892471769933, 85.118627473141004, 100},
    };
    static const char *const versions[] = {"vmaf_b_v0.6.3", "vmaf_float_b_v0.6.3"};

    for (unsigned v = 0; v < 2; v++) {
        VmafModelConfig cfg = {0};
        VmafModel *base;
        VmafModelCollection *collection;
        assert_int_equal(vmaf_model_collection_load(&base, &collection, &cfg, versions[v]), 0);
        assert_int_equal(model_collection_size(collection), 20);
        for (unsigned i = 0; i < 3; i++) {
            double raw[20], score[20];
            for (unsigned m = 0; m < 20; m++)
                assert_int_equal(model_predict(model_collection_member(collection, m),
                                               classic_inputs[i], &raw[m], &score[m]),
                                 0);
            VmafModelCollectionScore result;
            assert_int_equal(model_collection_combine(collection, raw, &result), 0);
            assert_int_equal(result.type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
            assert_same_double(predict(base, classic_inputs[i]), expected[i].base);
            assert_same_double(score[0], expected[i].first);
            assert_same_double(score[19], expected[i].last);
            assert_same_double(result.bootstrap.bagging_score, expected[i].bagging);
            assert_same_double(result.bootstrap.stddev, expected[i].stddev);
            assert_same_double(result.bootstrap.ci.p95.lo, expected[i].lo);
            assert_same_double(result.bootstrap.ci.p95.hi, expected[i].hi);
        }
        vmaf_model_collection_destroy(collection);
        vmaf_model_destroy(base);
    }
}

/* -- a model small enough to calculate by hand: two vectors in one dimension -- */

static const double two_coefficients[SVR_LANES] = {2, -3};
static const double two_vectors[SVR_LANES] = {0.5, 1};
static SvrTable two_svr = {.gamma = 0.5,
                           .rho = -1,
                           .n_vectors = 2,
                           .dimensions = 1,
                           .stride = SVR_LANES,
                           .coefficients = two_coefficients,
                           .vectors = two_vectors};

static double two_svr_at(double x)
{
    return 0.0 + 2 * math_exp(-0.5 * ((x - 0.5) * (x - 0.5))) -
           3 * math_exp(-0.5 * ((x - 1) * (x - 1))) + 1;
}

CASE(missing_components_count_as_zero)
{
    const double longer[2] = {0.25, 0.75};
    double square = 0.75 * 0.75;
    double expected =
        2 * math_exp(-0.5 * (0.0625 + square)) - 3 * math_exp(-0.5 * (0.5625 + square)) + 1;
    assert_same_double(svr_predict(&two_svr, longer, 1), two_svr_at(0.25));
    assert_same_double(svr_predict(&two_svr, longer, 2), expected);
    assert_same_double(svr_predict(&two_svr, NULL, 0), two_svr_at(0));
}

CASE(normalisation_may_be_none_but_not_unset)
{
    ModelFeature feature = {.map = {.slope = 2, .intercept = 0.125}};
    VmafModel model = {.parameters = {.score_map = {.slope = 4, .intercept = 0.5}},
                       .n_features = 1,
                       .features = &feature,
                       .svr = &two_svr};
    double x = 0.25, raw, score;

    assert_int_equal(model_predict(&model, &x, &raw, &score), -EINVAL);
    model.parameters.normalisation = NORMALISATION_NONE;
    assert_int_equal(model_predict(&model, &x, &raw, &score), 0);
    assert_same_double(raw, two_svr_at(0.25));
    model.parameters.normalisation = NORMALISATION_LINEAR_RESCALE;
    assert_int_equal(model_predict(&model, &x, &raw, &score), 0);
    assert_same_double(raw, (two_svr_at(0.625) - 0.5) / 4);
    assert_same_double(score, raw);
}

CASE(nan_passes_through_the_clip)
{
    const double x[6] = {NAN, 5, 0.5, 0.8, 0.85, 0.9};
    assert_true(isnan(predict_version("vmaf_v0.6.1", 0, x)));
}

CASE(chroma_correction_needs_one_feature_of_each_kind)
{
    ModelFeature features[3] = {{.map = {.slope = 1}, .roles = ROLE_CHROMA},
                                {.map = {.slope = 1}, .roles = ROLE_LUMA},
                                {.map = {.slope = 1}, .roles = 0}};
    VmafModel model = {.parameters = {.normalisation = NORMALISATION_LINEAR_RESCALE,
                                      .score_map = {.slope = 1},
                                      .chroma_correction = 2},
                       .n_features = 3,
                       .features = features,
                       .svr = &two_svr};
    const double silent[3] = {0, 0.75, 0}, talking[3] = {0.25, 0.75, 0};
    const double corrected[3] = {-2 * 0.75 + 2, 0.75, 0};

    assert_same_double(predict(&model, silent), svr_predict(&two_svr, corrected, 3));
    assert_same_double(predict(&model, talking), svr_predict(&two_svr, talking, 3));
    const double below[3] = {-0.25, 0.75, 0};
    assert_same_double(predict(&model, below), svr_predict(&two_svr, below, 3));

    double score;
    features[2].roles = ROLE_LUMA;
    assert_int_equal(model_predict(&model, silent, NULL, &score), -EINVAL);
    /* A chroma feature that says something ends the search before the second luma feature. */
    assert_same_double(predict(&model, talking), svr_predict(&two_svr, talking, 3));

    features[1].roles = features[2].roles = 0;
    assert_same_double(predict(&model, silent), svr_predict(&two_svr, silent, 3));
    features[1].roles = ROLE_LUMA;
    model.parameters.chroma_correction = 0;
    assert_same_double(predict(&model, silent), svr_predict(&two_svr, silent, 3));
}

CASE(only_bootstrap_collections_have_an_interval)
{
    VmafModel model = {.parameters = {.type = MODEL_TYPE_SINGLE}};
    VmafModel *members[1] = {&model};
    VmafModelCollection collection = {.n_members = 1, .members = members};
    const double raw[1] = {50};
    VmafModelCollectionScore score;

    assert_int_equal(model_collection_combine(&collection, raw, &score), -EINVAL);
    model.parameters.type = MODEL_TYPE_UNSET;
    assert_int_equal(model_collection_combine(&collection, raw, &score), -EINVAL);
    model.parameters.type = MODEL_TYPE_RESIDUEBOOTSTRAP;
    assert_int_equal(model_collection_combine(&collection, raw, &score), 0);
    assert_same_double(score.bootstrap.bagging_score, 50);
    assert_same_double(score.bootstrap.stddev, 0);
    assert_same_double(score.bootstrap.ci.p95.lo, 50);
    assert_same_double(score.bootstrap.ci.p95.hi, 50);
}

/* -- score transform -- */

CASE(transform_is_off_unless_enabled)
{
    ScoreTransform transform = {.has_p0 = true, .p0 = 7};
    assert_same_double(score_transform_apply(&transform, 42), 42);
    transform.enabled = true;
    assert_same_double(score_transform_apply(&transform, 42), 7);
}

CASE(polynomial_uses_the_terms_that_are_present)
{
    const double y = 41.3;
    ScoreTransform t = {.enabled = true, .p0 = 1.7, .p1 = 1.1, .p2 = -0.007};
    assert_same_double(score_transform_apply(&t, y), y);
    t.has_p1 = true;
    assert_same_double(score_transform_apply(&t, y), 1.1 * y);
    t.has_p2 = true;
    assert_same_double(score_transform_apply(&t, y), 1.1 * y + -0.007 * y * y);
    t.has_p0 = true;
    assert_same_double(score_transform_apply(&t, y), 1.7 + 1.1 * y + -0.007 * y * y);
}

CASE(knots_make_a_piecewise_linear_map)
{
    ScoreTransform t = {.enabled = true, .n_knots = 3, .knots = {{0, 0}, {50, 60}, {100, 100}}};
    static const double points[][2] = {{0, 0},     {25, 30},   {50, 60},  {75, 80},
                                       {100, 100}, {-10, -12}, {110, 108}};
    for (unsigned i = 0; i < sizeof(points) / sizeof(points[0]); i++)
        assert_same_double(score_transform_apply(&t, points[i][0]), points[i][1]);

    t = (ScoreTransform){.enabled = true, .n_knots = 3, .knots = {{10, 5}, {20, 5}, {30, 15}}};
    assert_same_double(score_transform_apply(&t, 12), 5); /* flat */
    assert_same_double(score_transform_apply(&t, -1e9), 5);
    assert_same_double(score_transform_apply(&t, 25), 10);
    assert_same_double(score_transform_apply(&t, NAN), 0); /* on no segment */
}

CASE(every_knot_of_the_longest_map_has_its_place)
{
    ScoreTransform t = {.enabled = true, .n_knots = TRANSFORM_MAX_KNOTS};
    for (unsigned k = 0; k < TRANSFORM_MAX_KNOTS; k++)
        t.knots[k] = (TransformKnot){8.0 * k, 8.0 * k * k}; /* slopes 1, 3, 5, ... */
    for (unsigned k = 0; k < TRANSFORM_MAX_KNOTS; k++) {
        const double x = 8.0 * k, slope = 2.0 * k + 1; /* of the segment to the right */
        assert_same_double(score_transform_apply(&t, x), 8.0 * k * k);
        if (k + 1 < TRANSFORM_MAX_KNOTS)
            assert_same_double(score_transform_apply(&t, x + 4), 8.0 * k * k + 4 * slope);
    }
    const double last = 8.0 * (TRANSFORM_MAX_KNOTS - 1), steepest = 2.0 * TRANSFORM_MAX_KNOTS - 3;
    assert_same_double(score_transform_apply(&t, last + 8),
                       8.0 * (TRANSFORM_MAX_KNOTS - 1) * (TRANSFORM_MAX_KNOTS - 1) + 8 * steepest);
    assert_same_double(score_transform_apply(&t, -8), -8);
}

CASE(knots_stop_where_they_do_not_ascend)
{
    ScoreTransform t = {.enabled = true, .n_knots = 3, .knots = {{0, 0}, {50, 60}, {40, 70}}};
    assert_same_double(score_transform_apply(&t, 25), 30);
    assert_same_double(score_transform_apply(&t, 60), 0);
    t = (ScoreTransform){.enabled = true, .n_knots = 2, .knots = {{0, 2}, {50, 1}}};
    assert_same_double(score_transform_apply(&t, 25), 0);
    t.n_knots = 1;
    assert_same_double(score_transform_apply(&t, 25), 25);
}

CASE(rectification_compares_with_the_untransformed_score)
{
    ScoreTransform up = {.enabled = true, .has_p1 = true, .p1 = 2}, down = up;
    down.p1 = 0.5;
    up.out_lte_in = down.out_lte_in = true;
    assert_same_double(score_transform_apply(&up, 30), 30);
    assert_same_double(score_transform_apply(&down, 30), 15);
    up.out_lte_in = down.out_lte_in = false;
    up.out_gte_in = down.out_gte_in = true;
    assert_same_double(score_transform_apply(&up, 30), 60);
    assert_same_double(score_transform_apply(&down, 30), 30);
}
