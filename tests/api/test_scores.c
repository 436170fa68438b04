/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores that are imported, pooled, sub-sampled and predicted: to the last bit. */
#include "api/api_support.h"
#include "support/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sub-sampling skips frames for most features; motion and psnr see every frame. */
CASE(sub_sampling_thins_out_plain_features_only)
{
    VmafContext *vmaf = open_with_features(0, 2, "vif", "motion", "psnr", NULL);
    read_clip(vmaf, clip_f, CLIP_F_FRAMES);
    for (unsigned i = 0; i < CLIP_F_FRAMES; i++) {
        assert_int_equal(has_feature_score(vmaf, "VMAF_integer_feature_vif_scale0_score", i),
                         i % 2 == 0);
        assert_true(has_feature_score(vmaf, "VMAF_integer_feature_motion2_score", i));
        assert_true(has_feature_score(vmaf, "psnr_y", i));
    }
    expect_score(feature_score(vmaf, "VMAF_integer_feature_motion2_score", 3), 7.581553777058919);
    assert_success(vmaf_close(vmaf));
}

typedef struct KnownPooling {
    unsigned n_subsample, low, high;
    double by_method[VMAF_POOL_METHOD_NB - 1];
} KnownPooling;

static const KnownPooling known_poolings[] = {
    {0, 0, 9, {0.25, 3.25, 1.75, 1.3780693789243541}},
    {0, 1, 9, {0.58333333333333326, 3.25, 1.9166666666666667, 1.6431005619811239}},
    {0, 4, 4, {2.9166666666666665, 2.9166666666666665, 2.9166666666666665, 2.9166666666666661}},
    {0, 4, 5, {1.9166666666666667, 2.9166666666666665, 2.4166666666666665, 2.3434959349593494}},
    {0, 2, 8, {0.58333333333333326, 3.25, 1.9166666666666667, 1.6104036969076136}},
    {3, 0, 9, {0.25, 1.25, 0.75, 0.66822192059721752}},
    {3, 1, 9, {0.58333333333333326, 1.25, 0.91666666666666663, 0.87762571610439211}},
    {3, 2, 8, {0.58333333333333326, 0.91666666666666663, 0.75, 0.73412698412698396}},
};

static double pooled(VmafContext *vmaf, const char *key, enum VmafPoolingMethod method,
                     unsigned low, unsigned high)
{
    double score;
    assert_success(vmaf_feature_score_pooled(vmaf, key, method, &score, low, high));
    return score;
}

static VmafContext *context_with_imported_series(unsigned n_subsample)
{
    VmafContext *vmaf = open_context(0, n_subsample);
    for (unsigned i = 0; i < 10; i++)
        assert_success(vmaf_import_feature_score(vmaf, "x", ((7 * i) % 10) / 3.0 + 0.25, i));
    return vmaf;
}

CASE(imported_scores_are_pooled)
{
    for (size_t i = 0; i < sizeof(known_poolings) / sizeof(known_poolings[0]); i++) {
        const KnownPooling *known = &known_poolings[i];
        VmafContext *vmaf = context_with_imported_series(known->n_subsample);
        for (int m = VMAF_POOL_METHOD_MIN; m < VMAF_POOL_METHOD_NB; m++)
            expect_score(pooled(vmaf, "x", (enum VmafPoolingMethod)m, known->low, known->high),
                         known->by_method[m - 1]);
        assert_success(vmaf_close(vmaf));
    }
}

CASE(statistics_of_an_interval)
{
    VmafContext *vmaf = context_with_imported_series(0);
    double value = -1;
    assert_success(vmaf_feature_score_statistic(vmaf, "x", "median", &value, 0, 9));
    expect_score(value, 1.75);
    assert_success(vmaf_feature_score_statistic(vmaf, "x", "p100", &value, 0, 6));
    expect_score(value, 2.9166666666666665);
    assert_success(vmaf_feature_score_statistic(vmaf, "x", "stddev", &value, 4, 5));
    assert_true(fabs(value - 0.5) < 1e-15);
    value = -1;
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "mean", &value, 0, 9));
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "p1,p2", &value, 0, 9));
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "p1", &value, 3, 2));
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "p1", &value, 0, 10));
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "p1", &value, 0, 4294967295u));
    assert_refused(vmaf_feature_score_statistic(vmaf, "y", "p1", &value, 0, 1));
    expect_score(value, -1);
    assert_success(vmaf_import_feature_score(vmaf, "x", NAN, 10));
    assert_success(vmaf_feature_score_statistic(vmaf, "x", "p1", &value, 0, 10));
    assert_true(isnan(value));
    assert_success(vmaf_close(vmaf));
    vmaf = context_with_imported_series(3);
    assert_success(vmaf_feature_score_statistic(vmaf, "x", "median", &value, 1, 9));
    assert_true(fabs(value - 0.91666666666666663) < 1e-15);
    assert_refused(vmaf_feature_score_statistic(vmaf, "x", "median", &value, 4, 5));
    assert_success(vmaf_close(vmaf));
}

CASE(statistics_of_reports)
{
    assert_success(vmaf_report_statistics(NULL, "p1,median"));
    assert_refused(vmaf_report_statistics(NULL, "p1,mode"));
    VmafContext *vmaf = open_with_features(2, 0, "psnr", NULL);
    char *plain, *with, *without;
    assert_success(vmaf_report_statistics(vmaf, "p5,median,stddev"));
    read_clip(vmaf, clip_f, CLIP_F_FRAMES);
    with = report_text(vmaf, VMAF_OUTPUT_FORMAT_JSON);
    assert_non_null(strstr(with, "\"harmonic_mean\": 27.835460,\n      \"p5\": 25.545862,\n"
                                 "      \"median\": 28.339342,\n      \"stddev\": 1.940437\n"));
    assert_refused(vmaf_report_statistics(vmaf, "mean")); /* and nothing changes */
    without = report_text(vmaf, VMAF_OUTPUT_FORMAT_JSON);
    assert_string_equal(with, without);
    free(without);
    assert_success(vmaf_report_statistics(vmaf, NULL));
    plain = report_text(vmaf, VMAF_OUTPUT_FORMAT_JSON);
    assert_null(strstr(plain, "median"));
    free(plain);
    free(with);
    assert_success(vmaf_close(vmaf));
}

CASE(an_interval_in_which_no_frame_is_scored_is_refused)
{
    VmafContext *vmaf = context_with_imported_series(3);
    VmafModel *model = load_model("vmaf_v0.6.1");
    for (unsigned m = VMAF_POOL_METHOD_MIN; m < VMAF_POOL_METHOD_NB; m++) {
        double score = -1;
        assert_refused(
            vmaf_feature_score_pooled(vmaf, "x", (enum VmafPoolingMethod)m, &score, 4, 5));
        assert_refused(vmaf_score_pooled(vmaf, model, (enum VmafPoolingMethod)m, &score, 4, 5));
        assert_true(score == -1);
    }
    close_with_model(vmaf, model);
}

CASE(poolings_that_make_no_sense_are_refused)
{
    VmafContext *vmaf = context_with_imported_series(0);
    assert_success(vmaf_import_feature_score(vmaf, "x", 1, 11));
    VmafModel *model = load_model("vmaf_v0.6.1");
    const enum VmafPoolingMethod mean = VMAF_POOL_METHOD_MEAN;
    double score = -1;
    static const int methods[] = {VMAF_POOL_METHOD_UNKNOWN, 5, 7};
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        assert_refused(
            vmaf_feature_score_pooled(vmaf, "x", (enum VmafPoolingMethod)methods[i], &score, 0, 3));
    assert_refused(vmaf_feature_score_pooled(vmaf, "x", mean, &score, 3, 2));
    assert_refused(vmaf_feature_score_pooled(vmaf, "x", mean, &score, 9, 11));
    assert_refused(vmaf_feature_score_pooled(vmaf, "x", mean, &score, 0, 4294967295u));
    assert_refused(vmaf_feature_score_pooled(vmaf, "y", mean, &score, 0, 3));
    assert_refused(vmaf_score_pooled(vmaf, model, mean, &score, 3, 2));
    assert_refused(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_UNKNOWN, &score, 0, 0));
    assert_refused(vmaf_score_pooled(vmaf, model, mean, &score, 0, 0));
    expect_score(score, -1);
    close_with_model(vmaf, model);
}

CASE(a_score_is_imported_once)
{
    VmafContext *vmaf = open_context(0, 0);
    assert_success(vmaf_import_feature_score(vmaf, "x", 1.5, 7));
    assert_refused(vmaf_import_feature_score(vmaf, "x", 2.5, 7));
    expect_score(feature_score(vmaf, "x", 7), 1.5);
    assert_false(has_feature_score(vmaf, "x", 6));
    assert_false(has_feature_score(vmaf, "x", 1000));
    assert_false(has_feature_score(vmaf, "y", 7));

    const double odd[] = {-0.0, INFINITY, -INFINITY, 5e-324, 1e300};
    for (unsigned i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        assert_success(vmaf_import_feature_score(vmaf, "odd", odd[i], i));
        expect_score(feature_score(vmaf, "odd", i), odd[i]);
    }
    assert_success(vmaf_import_feature_score(vmaf, "odd", NAN, 4294967295u));
    assert_true(isnan(feature_score(vmaf, "odd", 4294967295u)));
    assert_success(vmaf_close(vmaf));
}

static const char *const classic_keys[] = {
    "VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
    "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"};

static const double classic_inputs[][6] = {
    {0.95, 5, 0.5, 0.8, 0.85, 0.9}, {0.7, 12.5, 0.25, 0.5, 0.6, 0.7}, {1, 0, 1, 1, 1, 1}};

/* Features of three made-up frames. */
static VmafContext *context_with_classic_inputs(unsigned n_subsample)
{
    VmafContext *vmaf = open_context(0, n_subsample);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < 6; k++)
            assert_success(
                vmaf_import_feature_score(vmaf, classic_keys[k], classic_inputs[i][k], i));
    }
    return vmaf;
}

CASE(a_score_under_the_name_of_the_model_wins)
{
    VmafContext *vmaf = context_with_classic_inputs(0);
    VmafModel *model = load_model("vmaf_v0.6.1");
    assert_success(vmaf_import_feature_score(vmaf, "vmaf", 12.5, 1));
    expect_score(model_score(vmaf, model, 0), 78.961877743072677);
    expect_score(model_score(vmaf, model, 1), 12.5);
    close_with_model(vmaf, model);
}

static void expect_figures(const VmafModelCollectionScore *score, double bagging, double stddev,
                           double low, double high)
{
    assert_int_equal(score->type, VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    expect_score(score->bootstrap.bagging_score, bagging);
    expect_score(score->bootstrap.stddev, stddev);
    expect_score(score->bootstrap.ci.p95.lo, low);
    expect_score(score->bootstrap.ci.p95.hi, high);
}

static const double bootstrap_figures[3][4] = {
    {77.87024550034414, 1.6901175573106908, 75.172161496558189, 81.104721396472144},
    {25.634753188414173, 3.6643775266777929, 19.926737065184312, 32.332502428635507},
    {97.076021463042323, 4.7665892471769933, 85.118627473141004, 100},
};

CASE(collections_give_a_confidence_interval)
{
    VmafContext *vmaf = context_with_classic_inputs(0);
    VmafModelConfig cfg = {0};
    VmafModel *base;
    VmafModelCollection *collection;
    assert_success(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
    VmafModelCollectionScore score;
    for (unsigned again = 0; again < 2; again++) {
        for (unsigned i = 0; i < 3; i++) {
            const double *f = bootstrap_figures[i];
            assert_success(vmaf_score_at_index_model_collection(vmaf, collection, &score, i));
            expect_figures(&score, f[0], f[1], f[2], f[3]);
        }
    }
    expect_score(feature_score(vmaf, "vmaf_0001", 0), 76.49246487259002);
    expect_score(feature_score(vmaf, "vmaf_0020", 1), 32.15834911436184);
    expect_score(feature_score(vmaf, "vmaf_bagging", 2), 97.076021463042323);
    expect_score(model_score(vmaf, base, 0), 78.038514083958546);
    assert_refused(vmaf_score_at_index_model_collection(vmaf, collection, &score, 3));
    vmaf_model_collection_destroy(collection);
    close_with_model(vmaf, base);
}

CASE(each_figure_of_a_collection_is_pooled_on_its_own)
{
    VmafContext *vmaf = context_with_classic_inputs(0);
    VmafModelConfig cfg = {0};
    VmafModel *base;
    VmafModelCollection *collection;
    assert_success(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
    VmafModelCollectionScore score;
    double mean[4];
    for (unsigned f = 0; f < 4; f++)
        mean[f] =
            (0.0 + bootstrap_figures[0][f] + bootstrap_figures[1][f] + bootstrap_figures[2][f]) / 3;
    for (unsigned again = 0; again < 2; again++) {
        assert_success(vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN,
                                                          &score, 0, 2));
        expect_figures(&score, mean[0], mean[1], mean[2], mean[3]);
    }
    assert_success(
        vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MAX, &score, 0, 1));
    expect_figures(&score, bootstrap_figures[0][0], bootstrap_figures[1][1],
                   bootstrap_figures[0][2], bootstrap_figures[0][3]);
    assert_refused(
        vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_MEAN, &score, 2, 1));
    assert_refused(vmaf_score_pooled_model_collection(vmaf, collection, VMAF_POOL_METHOD_UNKNOWN,
                                                      &score, 0, 1));
    vmaf_model_collection_destroy(collection);
    close_with_model(vmaf, base);
}

/* Features have scores at indices 0, 1 and 2 only: index 3 cannot be predicted, nor need it be. */
CASE(pooled_model_scores_predict_what_subsampling_leaves)
{
    VmafContext *vmaf = context_with_classic_inputs(2);
    VmafModel *model = load_model("vmaf_v0.6.1");
    double pooled_score, score;
    assert_success(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &pooled_score, 1, 3));
    assert_refused(vmaf_feature_score_at_index(vmaf, "vmaf", &score, 1));
    assert_success(vmaf_feature_score_at_index(vmaf, "vmaf", &score, 2));
    expect_score(pooled_score, score);
    close_with_model(vmaf, model);
}

CASE(pooled_model_scores_predict_what_is_missing)
{
    VmafContext *vmaf = context_with_classic_inputs(2);
    VmafModel *model = load_model("vmaf_v0.6.1");
    double score;
    assert_success(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, 2));
    expect_score(score, (0.0 + 78.961877743072677 + 97.428042642610308) / 2);
    assert_false(has_feature_score(vmaf, "vmaf", 1));
    expect_score(model_score(vmaf, model, 1), 25.176393104539635);
    close_with_model(vmaf, model);
}
