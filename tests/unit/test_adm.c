/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM: its weights and sizes, and from pixels to scores. Known numbers: libvmaf 3.2 reference
 * values. */
#include <math.h>
#include <stdlib.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_internal.h"
#include "support/adm_patterns.h"
#include "support/cases.h"
#include "support/metric_checks.h"

/* Contrast sensitivity weights of ADM. Known weights: libvmaf 3.2 reference values. */

static AdmViewing viewing(AdmCsfMode mode, double distance, int height)
{
    return (AdmViewing){distance, height, mode, 1.0, 1.0};
}

CASE(test_fixed_point_weights_equal_known_values)
{
    static const struct {
        AdmCsfMode mode;
        double distance;
        int height;
        uint32_t weights[ADM_SCALES][2];
    } known[] = {
        /* clang-format off */
        {ADM_CSF_WATSON, 3, 1080,
         {{36453, 49417}, {137373792, 61414028}, {186284160, 104783920}, {196165808, 134487184}}},
        {ADM_CSF_WATSON, 1.5, 2160,
         {{36453, 49417}, {137373792, 61414028}, {186284160, 104783920}, {196165808, 134487184}}},
        {ADM_CSF_WATSON, 5, 1080,
         {{14342, 17077}, {62382256, 24495736}, {97628224, 48234700}, {118649120, 71447608}}},
        {ADM_CSF_WATSON, 3, 2160,
         {{10021, 11393}, {45876252, 17199296}, {75564400, 35644684}, {96654312, 55569672}}},
        {ADM_CSF_BLEND, 3, 1080,
         {{24809, 36087}, {107485848, 50586124}, {184468848, 102727024}, {251775280, 154193616}}},
        {ADM_CSF_BLEND, 1.5, 2160,
         {{24809, 36087}, {107485848, 50586124}, {184468848, 102727024}, {251775280, 154193616}}},
        {ADM_CSF_BLEND, 5, 1080,
         {{8833, 8254}, {63604172, 25134148}, {127311424, 62706524}, {203856320, 118429432}}},
        {ADM_CSF_BLEND, 3, 2160,
         {{4739, 4018}, {50809464, 18476950}, {107485848, 50586124}, {184468848, 102727024}}},
        {ADM_CSF_BLEND_MAE, 3, 1080,
         {{23590, 34368}, {97092032, 46905336}, {154318176, 92041152}, {196164048, 134488304}}},
        /* Not tabulated: -22 has no low bits. */
        {ADM_CSF_BLEND, 4, 1080, {{0}}},
        {ADM_CSF_BLEND_MAE, 3.5, 2160, {{0}}},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const AdmViewing v = viewing(known[i].mode, known[i].distance, known[i].height);
        for (int s = 0; s < ADM_SCALES; s++) {
            uint32_t weights[ADM_BANDS];
            adm_csf_fixed_point(&v, s, weights);
            assert_int_equal(weights[BAND_H], known[i].weights[s][0]);
            assert_int_equal(weights[BAND_V], known[i].weights[s][0]);
            assert_int_equal(weights[BAND_D], known[i].weights[s][1]);
        }
    }
}

static void expect_weight(const AdmViewing *v, int scale, int orientation, float expected)
{
    const float weight = adm_csf_weight(v, scale, orientation);
    if (weight != expected)
        fail_msg("weight of scale %d is %.9g, not %.9g", scale, (double)weight, (double)expected);
}

CASE(test_weights_equal_known_values)
{
    static const float watson[ADM_SCALES][2] = {
        {0.0173815377F, 0.005890687F},
        {0.0319848284F, 0.0142990677F},
        {0.0433726609F, 0.0243969075F},
        {0.0456734113F, 0.0313127376F},
    };
    static const float barten[ADM_SCALES] = {1.21049654F, 5.0422225F, 14.6270647F, 26.9758816F};
    const AdmViewing usual = viewing(ADM_CSF_WATSON, 3, 1080);
    const AdmViewing usual_barten = viewing(ADM_CSF_BARTEN, 3, 1080);
    const AdmViewing unlisted = viewing(ADM_CSF_BLEND, 4, 1080);
    for (int s = 0; s < ADM_SCALES; s++) {
        for (int o = 0; o < 2; o++) {
            expect_weight(&usual, s, o, watson[s][o]);
            expect_weight(&usual_barten, s, o, barten[s]);
            expect_weight(&unlisted, s, o, -22.0F);
        }
    }
}

CASE(test_scales_apply_to_barten_only)
{
    AdmViewing v = viewing(ADM_CSF_BARTEN, 3, 1080);
    const float plain = adm_csf_weight(&v, 2, ADM_DIAGONAL);
    v.scale = 0.25;
    v.diagonal_scale = 2.0;
    expect_weight(&v, 2, ADM_HORIZONTAL_VERTICAL, plain * 0.25F);
    expect_weight(&v, 2, ADM_DIAGONAL, plain * 2.0F);
    v.mode = ADM_CSF_WATSON;
    expect_weight(&v, 0, ADM_DIAGONAL, 0.005890687F);
}

/* Bands, windows and the cone of ADM. */

static void expect_range(AdmRange range, int begin, int end)
{
    assert_int_equal(range.begin, begin);
    assert_int_equal(range.end, end);
}

CASE(test_bands_halve_rounding_up)
{
    AdmAxis axes[ADM_SCALES];
    adm_axes_init(axes, 1081);
    static const int inputs[ADM_SCALES] = {1081, 541, 271, 136},
                     sizes[ADM_SCALES] = {541, 271, 136, 68};
    for (int s = 0; s < ADM_SCALES; s++) {
        assert_int_equal(axes[s].input, inputs[s]);
        assert_int_equal(axes[s].size, sizes[s]);
    }
}

/* The definition of the border is in floating point. */
CASE(test_window_leaves_out_a_tenth_on_each_side)
{
    for (int size = 1; size < 70000; size++) {
        AdmAxis axes[ADM_SCALES];
        adm_axes_init(axes, 2 * size);
        const int border = (int)(0.1 * size - 0.5);
        expect_range(axes[0].window, border, size - border);
    }
}

CASE(test_cone_of_1080p_covers_three_quarters)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    AdmExtent column_cone[ADM_SCALES], row_cone[ADM_SCALES];
    AdmRange all_columns[ADM_SCALES], all_rows[ADM_SCALES];
    adm_axes_init(columns, 1920);
    adm_axes_init(rows, 1080);
    for (int s = 0; s < ADM_SCALES; s++) {
        all_columns[s] = (AdmRange){0, columns[s].size};
        all_rows[s] = (AdmRange){0, rows[s].size};
    }
    adm_cone_init(column_cone, columns, all_columns);
    adm_cone_init(row_cone, rows, all_rows);
    expect_range(column_cone[0].detail, 94, 866);
    expect_range(row_cone[0].detail, 52, 488);
    expect_range(adm_wavelet_support(&columns[0], column_cone[0].computed), 145, 1775);
    expect_range(adm_wavelet_support(&rows[0], row_cone[0].computed), 65, 1023);
}

CASE(test_cone_of_nothing_is_empty)
{
    AdmAxis rows[ADM_SCALES];
    AdmExtent cone[ADM_SCALES];
    const AdmRange nothing[ADM_SCALES] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
    adm_axes_init(rows, 1080);
    adm_cone_init(cone, rows, nothing);
    for (int s = 0; s < ADM_SCALES; s++)
        assert_int_equal(adm_range_length(cone[s].computed), 0);
}

static void expect_shifts(int w, int h, int scale, AdmShifts expected)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    adm_axes_init(columns, w);
    adm_axes_init(rows, h);
    const AdmShifts shifts = adm_shifts_init(scale, &columns[scale], &rows[scale]);
    assert_memory_equal(&shifts, &expected, sizeof(shifts));
}

CASE(test_shifts_follow_the_sizes)
{
    expect_shifts(1920, 1080, 0, (AdmShifts){0, 0, 0, {6, 6, 7}, 10});
    /* From 2^20 positions on, scale 0 of the reference sums is reduced. */
    expect_shifts(3840, 2160, 0, (AdmShifts){0, 0, 1, {7, 7, 8}, 11});
    expect_shifts(7680, 4320, 0, (AdmShifts){0, 0, 3, {8, 8, 9}, 12});
    expect_shifts(1920, 1080, 1, (AdmShifts){31, 9, 8, {9, 9, 9}, 9});
    expect_shifts(1920, 1080, 2, (AdmShifts){30, 8, 7, {8, 8, 8}, 8});
    expect_shifts(17, 17, 0, (AdmShifts){0, 0, 0, {0, 0, 1}, 4});
}

/* ADM from pixels to scores. Known scores: libvmaf 3.2 reference values. */

enum {
    ADM2,
    AIM,
    ADM3,
    SCALE,
    TOTAL = SCALE + 4,
    TOTAL_NUM,
    TOTAL_DEN,
    NUM_DEN,
    N_OUTPUTS = NUM_DEN + 8,
};

typedef struct Content {
    HarnessSample ref, dist;
} Content;

static const Content ramp = {adm_ramp_ref, adm_ramp_dist},
                     curves = {adm_curves_ref, adm_curves_dist};

static void run(const char *options, const PictureFormat *format, Content content)
{
    run_frame(&adm_extractor, options, format, content.ref, content.dist, 0);
}

#define V1                                                                                         \
    "adm_dlm_weight=0.7:adm_enhn_gain_limit=1:adm_noise_weight=0.02:adm_min_val=0.5:adm_csf_mode=" \
    "2"

CASE(test_skipped_aim_is_zero)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 640, 360);
    run("adm_skip_aim=true", &format, curves);
    expect_score(ADM2, 0, 1.1524280820504955);
    expect_score(AIM, 0, 0);
    expect_score(ADM3, 0, 1.1524280820504955 * 0.5 + 0.5);
}

CASE(test_flat_pictures_score_one)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("", &format, (Content){sample_grey, sample_grey});
    expect_score(ADM2, 0, 1);
    expect_score(AIM, 0, 0);
    expect_score(ADM3, 0, 1);
    for (unsigned s = 0; s < 4; s++)
        expect_score(SCALE + s, 0, 1);
}

CASE(test_flat_pictures_without_noise_floor)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("adm_noise_weight=0", &format, (Content){sample_grey, sample_grey});
    expect_score(ADM2, 0, 1);
    expect_score(AIM, 0, 0);
    for (unsigned s = 0; s < 4; s++)
        assert_true(isnan(harness_score(&harness, SCALE + s, 0)));
}

CASE(test_untabulated_viewing_condition_is_not_a_number)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run("adm_csf_mode=2:adm_norm_view_dist=4:adm_min_val=0.25", &format, ramp);
    assert_true(isnan(harness_score(&harness, ADM2, 0)));
    assert_true(isnan(harness_score(&harness, AIM, 0)));
    expect_score(ADM3, 0, 0.25);
}

CASE(test_refuses_what_it_cannot_do_and_says_why)
{
    const FeatureExtractor *adm = &adm_extractor;
    const enum VmafPixelFormat luma = VMAF_PIX_FMT_YUV400P;
    expect_format(adm, "", luma, 8, 17, 17, NULL);
    expect_format(adm, "", luma, 8, 16, 17, "17x17");
    expect_format(adm, "", luma, 8, 17, 16, "17x17");
    expect_format(adm, "adm_norm_view_dist=1.5:adm_ref_display_height=2160", luma, 8, 64, 64, NULL);
    expect_format(adm, "adm_norm_view_dist=2.99", luma, 8, 64, 64, "3240");
}

/* -- records -- */

static int ascending(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

CASE(test_records_of_any_bands_merge_to_that_of_the_frame)
{
    static const struct {
        unsigned w, h;
        const char *options;
    } cases[] = {
        {176, 144, ""}, {97, 131, "adm_skip_scale0=true"},   {17, 17, ""},
        {33, 200, ""},  {64, 49, "adm_enhn_gain_limit=1.3"}, {40, 18, "adm_skip_aim=true"},
    };
    unsigned random = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, 8, cases[i].w, cases[i].h);
        PicturePair pair;
        pair_make(&pair, &format, curves.ref, curves.dist, 0);
        harness_start(&harness, &adm_extractor, cases[i].options, &format);
        harness_frame(&harness, &pair.input, 0);
        assert_true(((const VmafRecordAdm *)harness.record)->num[3][0] != 0);

        for (int round = 0; round < 20; round++) {
            unsigned cuts[8];
            const unsigned n_cuts = 1 + (unsigned)round % 8;
            for (unsigned k = 0; k < n_cuts; k++) {
                random = random * 1664525u + 1013904223u;
                cuts[k] = (random >> 8) % (cases[i].h + 1);
            }
            qsort(cuts, n_cuts, sizeof(cuts[0]), ascending);
            expect_bands(&pair.input, cuts, n_cuts);
        }
        harness_stop(&harness);
        pair_free(&pair);
    }
}

CASE(test_rows_one_by_one_merge_to_the_frame)
{
    enum { ROWS = 53 };
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 10, 45, ROWS);
    PicturePair pair;
    pair_make(&pair, &format, ramp.ref, ramp.dist, 0);
    unsigned cuts[ROWS];
    for (unsigned y = 0; y < ROWS; y++)
        cuts[y] = y;
    harness_start(&harness, &adm_extractor, "", &format);
    harness_frame(&harness, &pair.input, 0);
    expect_bands(&pair.input, cuts, ROWS);
    harness_stop(&harness);
    pair_free(&pair);
}

CASE(test_variants_in_one_pass_equal_passes_of_their_own)
{
    static const char *const options[] = {
        "",
        "adm_enhn_gain_limit=1",
        V1 ":adm_norm_view_dist=5",
        "adm_skip_scale0=true",
        "adm_skip_aim=true:adm_csf_mode=1:adm_csf_scale=0.001:adm_csf_diag_scale=0.0003",
    };
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 120, 90);
    PicturePair pair;
    pair_make(&pair, &format, curves.ref, curves.dist, 0);
    expect_variants(&adm_extractor, &format, &pair.input, options,
                    sizeof(options) / sizeof(options[0]));
    pair_free(&pair);
}

CASE(given_adm_then_what_is_skipped_is_zero)
{
    const AdmOptions plain = {0}, no_aim = {.skip_aim = true}, no_scale0 = {.skip_scale0 = true};
    VmafRecordAdm record = {0};
    record.aim[2][1] = -5;
    assert_true(record_within("adm", &record, &plain));
    assert_false(record_within("adm", &record, &no_aim));
    assert_true(record_within("adm", &record, &no_scale0));
    record.den[0][0] = 1;
    assert_false(record_within("adm", &record, &no_scale0));
}
