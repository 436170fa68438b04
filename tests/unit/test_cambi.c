/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CAMBI: its parts, and from pixels to scores. Known numbers: libvmaf 3.2 reference values. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_internal.h"
#include "platform/file.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/metric_checks.h"
#include "support/test_folder.h"

/* The display model, the tables and the pooling of CAMBI. Known numbers: libvmaf 3.2 reference
 * values. */

enum { LAST = 1023 };

typedef struct KnownThresholds {
    enum CambiEotf eotf;
    double tvi_threshold;
    int code[CAMBI_MAX_STEPS]; /* of steps 1, 2, ...; after the last one that is given: LAST */
} KnownThresholds;

static const KnownThresholds known_thresholds[] = {
    {CAMBI_EOTF_BT1886, 0.019, {178, 305, 432, 559, 686, 813}},
    {CAMBI_EOTF_BT1886, 0.01, {292, 533, 773}},
    {CAMBI_EOTF_BT1886, 0.03, {132, 213, 293, 374, 455, 536, 616, 697, 778, 858}},
    {CAMBI_EOTF_BT1886, 0.1, {76,  101, 125, 150, 175, 199, 224, 249, 274, 298, 323,
                              348, 372, 397, 422, 446, 471, 496, 520, 545, 570, 594,
                              619, 644, 669, 693, 718, 743, 767, 792, 817, 841}},
    {CAMBI_EOTF_PQ, 0.019, {233}},
    {CAMBI_EOTF_PQ, 0.03, {152, 315}},
    {CAMBI_EOTF_PQ, 1, {66,  68,  70,  72,  75,  78,  81,  83,  86,  90,  93,
                        96,  100, 103, 107, 110, 114, 118, 122, 126, 131, 135,
                        140, 144, 149, 154, 159, 164, 169, 175, 180, 186}},
};

/* The only list in which 0 stands for itself. */
static const int codes_at_half[CAMBI_MAX_STEPS] = {
    0,   0,   68,  73,  79,  84,  89,  95,  100, 106, 111, 117, 122, 127, 133, 138,
    144, 149, 155, 160, 165, 171, 176, 182, 187, 193, 198, 204, 209, 214, 220, 225};

CASE(steps_are_visible_up_to_known_codes)
{
    for (size_t i = 0; i < sizeof(known_thresholds) / sizeof(known_thresholds[0]); i++) {
        const KnownThresholds *t = &known_thresholds[i];
        for (int k = 1; k <= CAMBI_MAX_STEPS; k++)
            assert_int_equal(cambi_last_visible_code(t->eotf, k, t->tvi_threshold),
                             t->code[k - 1] ? t->code[k - 1] : LAST);
    }
    for (int k = 1; k <= CAMBI_MAX_STEPS; k++)
        assert_int_equal(cambi_last_visible_code(CAMBI_EOTF_BT1886, k, 0.5), codes_at_half[k - 1]);
}

CASE(luminance_is_that_of_the_standards)
{
    static const struct {
        enum CambiEotf eotf;
        int code;
        double luminance;
    } l[] = {
        {CAMBI_EOTF_BT1886, 64, 0.0099999999999999985},
        {CAMBI_EOTF_BT1886, 100, 0.27420927986377103},
        {CAMBI_EOTF_BT1886, 512, 61.896284867318997},
        {CAMBI_EOTF_BT1886, 940, 300},
        {CAMBI_EOTF_BT1886, 1023, 300},
        {CAMBI_EOTF_PQ, 0, 0},
        {CAMBI_EOTF_PQ, 64, 0},
        {CAMBI_EOTF_PQ, 100, 0.038747251223081848},
        {CAMBI_EOTF_PQ, 512, 103.37707671191859},
        {CAMBI_EOTF_PQ, 940, 10000},
    };
    /* Other libraries may round powers differently. */
    for (size_t i = 0; i < sizeof(l) / sizeof(l[0]); i++)
        assert_true(fabs(cambi_luminance(l[i].eotf, l[i].code) - l[i].luminance) <=
                    1e-13 * l[i].luminance);
}

CASE(luminance_thresholds_begin_at_known_codes)
{
    static const double thresholds[] = {0, 0.05, 0.06, 0.1, 1, 10, 100, 299};
    static const int bt1886[] = {0, 76, 78, 84, 135, 268, 614, 939};
    static const int pq[] = {0, 105, 108, 119, 196, 327, 510, 609};
    for (int i = 0; i < 8; i++) {
        assert_int_equal(cambi_first_bright_code(CAMBI_EOTF_BT1886, thresholds[i]), bt1886[i]);
        assert_int_equal(cambi_first_bright_code(CAMBI_EOTF_PQ, thresholds[i]), pq[i]);
    }
}

CASE(codes_that_matter_are_a_band)
{
    CambiVisibility v;
    cambi_visibility_init(&v, CAMBI_EOTF_BT1886, 0.019, 0, 2);
    assert_int_equal(v.first_code, -4);
    assert_int_equal(v.last_code, 563);
    cambi_visibility_init(&v, CAMBI_EOTF_BT1886, 0.019, 0.06, 2);
    assert_int_equal(v.first_code, 67);
    assert_int_equal(v.last_code, 563);
    assert_int_equal(v.steps[70], 0);
    assert_int_equal(v.steps[71], 1 << 3);
    assert_int_equal(v.steps[74], 0xf);
    assert_int_equal(v.steps[178], 0xf);
    assert_int_equal(v.steps[179], 0xe);
    assert_int_equal(v.steps[559], 0x8);
    assert_int_equal(v.steps[560], 0);
    cambi_visibility_init(&v, CAMBI_EOTF_BT1886, 0.019, 200, 2);
    assert_true(v.first_code > v.last_code);
}

/* 1 / i, printed with nine digits and read again. */
CASE(reciprocals_are_rounded_twice)
{
    enum { N = CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW };
    static const unsigned patched[] = {
        82,   83,   244,  488,  504,  510,  528,  564,  614,  664,  749,  760,  892,  1419,
        1699, 1906, 2040, 2071, 2112, 2223, 2443, 2555, 2740, 2927, 3285, 3515, 3525, 3705,
        3795, 3797, 3812, 3837, 3885, 4033, 4080, 4091, 4095, 4130, 4142, 4203, 4218, 4224};
    float *reciprocals = malloc((N + 1) * sizeof(*reciprocals));
    assert_non_null(reciprocals);
    cambi_reciprocals(reciprocals, N);
    size_t n_patched = 0;
    for (unsigned i = 1; i <= N; i++) {
        char text[32];
        snprintf(text, sizeof(text), "%.9g", 1.0 / i);
        if (reciprocals[i] != strtof(text, NULL))
            fail_msg("reciprocal of %u is %.9g", i, (double)reciprocals[i]);
        if (i <= 65 * 65 && reciprocals[i] != (float)(1.0 / i))
            assert_int_equal(i, patched[n_patched++]);
    }
    assert_int_equal(n_patched, 42);
    free(reciprocals);
}

CASE(windows_have_known_sides)
{
    static const struct {
        unsigned w, h, side, side_with_speedup;
    } k[] = {
        {576, 324, 9, 9},     {1280, 720, 21, 21},  {1920, 1080, 33, 17},  {2560, 1440, 43, 23},
        {3840, 2160, 65, 33}, {4096, 2160, 67, 35}, {7680, 4320, 131, 65},
    };
    CambiOptions o;
    CambiGeometry g[CAMBI_PICTURES];
    assert_int_equal(options_parse(&o, cambi_extractor.options, NULL, NULL, NULL, NULL), 0);
    for (size_t i = 0; i < sizeof(k) / sizeof(k[0]); i++) {
        o.high_res_speedup = 0;
        assert_int_equal(cambi_geometry(g, &o, k[i].w, k[i].h), CAMBI_ACCEPTED);
        assert_int_equal(g[CAMBI_DIST].window, k[i].side);
        assert_int_equal(g[CAMBI_DIST].scale_w[0], k[i].w);
        o.high_res_speedup = 1080;
        assert_int_equal(cambi_geometry(g, &o, k[i].w, k[i].h), CAMBI_ACCEPTED);
        assert_int_equal(g[CAMBI_REF].window, k[i].side_with_speedup);
        assert_int_equal(g[CAMBI_DIST].scale_w[0], k[i].h >= 1080 ? k[i].w / 2 : k[i].w);
    }
}

static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static void check_pooling(float *contrasts, size_t n, size_t k)
{
    CambiFunctions functions;
    cambi_functions_init(&functions, 0);
    CambiTally tally;
    memset(&tally, 0, sizeof(tally));
    functions.tally(&tally, contrasts, n / 3);
    functions.tally(&tally, contrasts + n / 3, n - n / 3);

    float *sorted = malloc(n * sizeof(*sorted));
    assert_non_null(sorted);
    memcpy(sorted, contrasts, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), descending);
    uint64_t whole = 0, fraction = 0;
    for (size_t i = 0; i < k && i < n; i++) {
        const uint64_t fixed = (uint64_t)((double)sorted[i] * 0x1p24);
        whole += fixed >> 24;
        fraction += fixed & 0xffffff;
    }
    free(sorted);
    const CambiSum sum = cambi_sum_strongest(&tally, contrasts, n, k);
    assert_int_equal(sum.whole, whole + (fraction >> 24));
    assert_int_equal(sum.fraction, fraction & 0xffffff);
}

static uint32_t random_bits(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

CASE(the_strongest_contrasts_are_summed_exactly)
{
    enum { N = 5000 };
    static const size_t counts[] = {1, 2, 7, 600, 2499, 2500, 4999, 5000, 9000};
    float *contrasts = malloc(N * sizeof(*contrasts));
    assert_non_null(contrasts);
    uint32_t seed = 1;
    /* Many zeros; few different values; many; large ones. */
    static const struct {
        uint32_t zeros_of_8, values;
        float scale;
    } kinds[] = {{7, 1000, 0.5f}, {0, 3, 1}, {2, 1 << 23, 0x1.8p-22f}, {1, 1 << 24, 0x1p-6f}};
    for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            for (unsigned i = 0; i < N; i++) {
                const float value =
                    (float)(random_bits(&seed) % kinds[kind].values) * kinds[kind].scale;
                contrasts[i] = random_bits(&seed) % 8 < kinds[kind].zeros_of_8 ? 0
                               : value < 0.5f                                  ? 0.5f
                                                                               : value;
            }
            check_pooling(contrasts, N, counts[c]);
        }
    }
    free(contrasts);
}

CASE(sums_are_rounded_once)
{
    static const CambiSum sum = {(UINT64_C(1) << 40) + 1, 0x800001};
    assert_true(cambi_sum_value(&sum) == 0x1p40 + 1.5);
    static const CambiSum exact = {3, 0xffffff};
    assert_true(cambi_sum_value(&exact) == 4 - 0x1p-24);
}

/* CAMBI from pixels to scores. Known numbers: libvmaf 3.2 reference values. */

/* A slope with steps, dithered in every second tile. */
static unsigned banded(unsigned x, unsigned y, unsigned frame, unsigned bpc, unsigned steepness)
{
    const unsigned slope = 5 * x + 3 * y + 17 * frame;
    const unsigned dither = ((x >> 5) + (y >> 5)) & 1 ? (7 * x + 13 * y) >> 3 & 1 : 0;
    if (bpc == 8)
        return 40 + (slope >> (8 - steepness)) + dither;
    return ((160 + (slope >> (7 - steepness)) + dither) << (bpc - 8)) >> 2;
}

static unsigned dist_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return banded(x, y, frame, bpc, 2);
}

static unsigned ref_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return banded(x, y, frame, bpc, 1);
}

static void run(const char *options, unsigned bpc, unsigned w, unsigned h, unsigned n_frames)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    harness_start(&harness, &cambi_extractor, options, &format);
    for (unsigned t = 0; t < n_frames; t++) {
        VmafPicture ref = harness_picture(&format, ref_sample, t);
        VmafPicture dist = harness_picture(&format, dist_sample, t);
        harness_frame(&harness, &(FrameInput){.ref = &ref, .dist = &dist}, t);
        harness_picture_free(&ref);
        harness_picture_free(&dist);
    }
}

typedef struct Known {
    unsigned bpc, w, h, frame;
    const char *options;
    double score, source, full_reference; /* the last two only with full_ref */
} Known;

static const Known known[] = {
    {8, 641, 361, 1, "full_ref=true", 12.418617058262249, 10.828320506544463, 1.5902965517177865},
    {10, 641, 361, 1, "full_ref=true", 1.916643303230684, 1.5065445024969475, 0.4100988007337365},
    {10, 641, 361, 0, "enc_bitdepth=8", 3.9589892183083588, 0, 0},
    {10, 641, 361, 0, "eotf=pq:max_log_contrast=5:tvi_threshold=0.03", 1.8309753794513965, 0, 0},
    {8, 641, 361, 0, "topk=0.1:window_size=127:cambi_vis_lum_threshold=2", 18.238502064718212, 0,
     0},
    {8, 641, 361, 0, "cambi_topk=1:cambi_max_val=5", 5, 0, 0},
    {12, 576, 324, 0, "enc_width=401:enc_height=263:full_ref=true:src_width=500:src_height=300",
     2.5417086964980675, 1.60537205913037, 0.93633663736769757},
    {16, 576, 324, 0, "full_ref=true", 1.6556866755295596, 1.4791239724823304, 0.17656270304722921},
    {8, 1920, 1080, 0, "", 3.3613773783138159, 0, 0},
};

CASE(given_known_pictures_then_scores_are_those_of_libvmaf)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const Known *k = &known[i];
        run(k->options, k->bpc, k->w, k->h, k->frame + 1);
        expect_bits(harness_score(&harness, CAMBI_OUTPUT_SCORE, k->frame), k->score, k->options);
        if (k->source > 0) {
            expect_bits(harness_score(&harness, CAMBI_OUTPUT_SOURCE, k->frame), k->source,
                        "source");
            expect_bits(harness_score(&harness, CAMBI_OUTPUT_FULL_REFERENCE, k->frame),
                        k->full_reference, "full reference");
        } else {
            assert_null(harness_find(&harness, CAMBI_OUTPUT_SOURCE, k->frame));
            assert_null(harness_find(&harness, CAMBI_OUTPUT_FULL_REFERENCE, k->frame));
        }
        harness_stop(&harness);
    }
}

CASE(given_an_encode_of_another_size_then_the_source_has_the_score_of_its_own)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 641, 361);
    PicturePair pair;
    pair_make(&pair, &format, ref_sample, dist_sample, 0);
    harness_start(&harness, &cambi_extractor,
                  "window_size=127:full_ref=true:enc_width=320:enc_height=216", &format);
    harness_frame(&harness, &pair.input, 0);
    const double source = harness_score(&harness, CAMBI_OUTPUT_SOURCE, 0);
    harness_stop(&harness);
    const FrameInput alone = {.ref = pair.input.dist, .dist = pair.input.ref};
    harness_start(&harness, &cambi_extractor, "window_size=127", &format);
    harness_frame(&harness, &alone, 0);
    expect_bits(source, harness_score(&harness, CAMBI_OUTPUT_SCORE, 0), "source");
    harness_stop(&harness);
    assert_true(source > 0);
    pair_free(&pair);
}

CASE(given_a_limit_then_all_outputs_are_clipped)
{
    run("full_ref=true:cambi_max_val=1", 8, 641, 361, 1);
    expect_bits(harness_score(&harness, CAMBI_OUTPUT_SCORE, 0), 1, "score");
    expect_bits(harness_score(&harness, CAMBI_OUTPUT_SOURCE, 0), 1, "source");
    /* The difference is taken before clipping. */
    expect_bits(harness_score(&harness, CAMBI_OUTPUT_FULL_REFERENCE, 0), 1, "full reference");
    harness_stop(&harness);
}

/* Options of equal effect; the second of a pair spells out what the first leaves open. */
CASE(given_both_spellings_of_an_option_then_the_documented_one_wins)
{
    static const char *const same[][2] = {
        {"topk=0.1:cambi_topk=0.2", "cambi_topk=0.1"},
        {"topk=0.6:cambi_topk=0.2", "cambi_topk=0.2"},
        {"eotf=pq:cambi_eotf=bt1886", "cambi_eotf=pq"},
        {"eotf=nonsense:cambi_eotf=pq", "eotf=pq"},
        {"enc_width=230", ""},
        {"enc_width=500:enc_height=216", ""},
        {"src_width=320:src_height=217", ""},
        {"cambi_high_res_speedup=1080", ""},
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        double score[2];
        for (int j = 0; j < 2; j++) {
            run(same[i][j], 8, 321, 217, 1);
            score[j] = harness_score(&harness, CAMBI_OUTPUT_SCORE, 0);
            harness_stop(&harness);
        }
        assert_true(score[0] > 0);
        expect_bits(score[0], score[1], same[i][0]);
    }
}

static const OptionRange ranges[] = {
    {"cambi_max_val", "0", "1000", "-0.1", "1000.1"},
    {"enc_width", "180", "7680", "179", "7681"},
    {"enc_height", "150", "7680", "149", "7681"},
    {"enc_bitdepth", "6", "16", "5", "17"},
    {"src_width", "320", "7680", "319", "7681"},
    {"src_height", "200", "4320", "199", "4321"},
    {"window_size", "15", "127", "14", "128"},
    {"topk", "0.0001", "1", "0.00009", "1.1"},
    {"cambi_topk", "0.0001", "1", "0.00009", "1.1"},
    {"tvi_threshold", "0.0001", "1", "0.00009", "1.1"},
    {"cambi_vis_lum_threshold", "0", "300", "-1", "301"},
    {"max_log_contrast", "0", "5", "-1", "6"},
    {"cambi_high_res_speedup", "0", "2160", "-1", "2161"},
};

CASE(options_are_accepted_up_to_their_limits_and_refused_beyond_with_the_range)
{
    expect_ranges(&cambi_extractor, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

CASE(options_act_at_both_ends_of_their_ranges)
{
    /* clang-format off */
    static const char *const extremes[] = {
        "cambi_max_val=0", "cambi_max_val=1000", "enc_bitdepth=6", "enc_bitdepth=16",
        "window_size=15", "window_size=127", "topk=0.0001", "topk=1", "cambi_topk=0.0001",
        "cambi_topk=1", "tvi_threshold=0.0001", "tvi_threshold=1", "max_log_contrast=0",
        "cambi_vis_lum_threshold=0", "max_log_contrast=5", "eotf=pq",
        "cambi_vis_lum_threshold=300", "enc_width=216:enc_height=150",
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++) {
        run(extremes[i], 8, 300, 216, 1);
        const double score = harness_score(&harness, CAMBI_OUTPUT_SCORE, 0);
        assert_true(score >= 0 && score <= 1000);
        if (!strcmp(extremes[i], "cambi_max_val=0") ||
            !strcmp(extremes[i], "cambi_vis_lum_threshold=300"))
            expect_bits(score, 0, extremes[i]);
        harness_stop(&harness);
    }
}

CASE(given_sizes_that_cannot_be_analysed_then_the_reason_tells_the_limit)
{
    static const struct {
        const char *options;
        unsigned w, h;
        const char *limit;
    } cases[] = {
        {"", 216, 1, NULL},
        {"", 1, 216, NULL},
        {"", 215, 215, "at least 216"},
        {"enc_width=200:enc_height=200", 400, 300, "at least 216"},
        {"src_width=400:src_height=230:enc_width=320:enc_height=240", 400, 300, "400x230"},
        {"window_size=127", 7680, 4320, NULL},
        {"window_size=127", 8192, 4320, "at most 255"},
        {"eotf=hlg", 400, 300, "bt1886 or pq"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_format(&cambi_extractor, cases[i].options, VMAF_PIX_FMT_YUV420P, 8, cases[i].w,
                      cases[i].h, cases[i].limit);
}

CASE(given_pictures_one_sample_wide_or_high_then_they_are_scored)
{
    static const unsigned sizes[][2] = {{216, 1}, {1, 216}, {216, 2}, {3, 300}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        run("window_size=127:full_ref=true", 8, sizes[i][0], sizes[i][1], 1);
        assert_true(isfinite(harness_score(&harness, CAMBI_OUTPUT_SCORE, 0)));
        harness_stop(&harness);
    }
}

static unsigned too_bright(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return x == 217 && y == 3 ? 1u << bpc : 100;
}

CASE(given_a_sample_beyond_the_bit_depth_then_the_frame_fails)
{
    static const char *const both = "full_ref=true:enc_width=216:enc_height=150";
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 10, 218, 4);
    VmafPicture good = harness_picture(&format, dist_sample, 0);
    VmafPicture bad = harness_picture(&format, too_bright, 0);
    const FrameInput inputs[] = {{.ref = &bad, .dist = &good}, {.ref = &good, .dist = &bad}};
    for (int bad_dist = 0; bad_dist < 2; bad_dist++) {
        harness_start(&harness, &cambi_extractor, both, &format);
        assert_int_equal(cambi_extractor.accumulate(harness.params, harness.scratch,
                                                    &inputs[bad_dist], (RowBand){0, 4},
                                                    &harness.record),
                         0);
        const CambiRecord *record = harness.record;
        const FinishInput input = {.state = harness.state,
                                   .options = harness.options,
                                   .format = &format,
                                   .record = record};
        assert_int_equal(record->sums.is_beyond_depth[CAMBI_DIST], bad_dist);
        assert_int_equal(record->sums.is_beyond_depth[CAMBI_REF], !bad_dist);
        assert_int_equal(cambi_extractor.finish(&input, &harness.sink), -EINVAL);
        assert_int_equal(harness.n_scores, 0);
        harness_stop(&harness);
    }
    harness_start(&harness, &cambi_extractor, "", &format);
    harness_frame(&harness, &inputs[0], 0); /* the reference is not looked at */
    harness_stop(&harness);
    harness_picture_free(&good);
    harness_picture_free(&bad);
}

/* Several requests in one pass, as the engine makes them, do not disturb each other. */
CASE(given_two_variants_then_records_are_those_of_each_alone)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 321, 217);
    PicturePair pair;
    pair_make(&pair, &format, ref_sample, dist_sample, 0);
    expect_variants(&cambi_extractor, &format, &pair.input,
                    (const char *[]){"full_ref=true", "max_log_contrast=4:window_size=127"}, 2);
    pair_free(&pair);
}

static int64_t file_size(const char *path)
{
    VmafFileStatus status;
    return vmaf_file_status_at(path, &status) ? -1 : status.size;
}

/* Frames may come in any order; each has its place in the files. */
CASE_WITH(given_a_folder_then_heat_maps_are_written_at_the_place_of_their_frame, test_folder_enter,
          test_folder_remove)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 321, 217);
    harness_start(&harness, &cambi_extractor, "heatmaps_path=a/b", &format);
    static const unsigned order[] = {2, 0};
    for (unsigned t = 0; t < 2; t++) {
        VmafPicture dist = harness_picture(&format, dist_sample, order[t]);
        harness_frame(&harness, &(FrameInput){.ref = &dist, .dist = &dist}, order[t]);
        harness_picture_free(&dist);
    }
    harness_stop(&harness);

    static const char *const names[] = {
        "a/b/cambi_heatmap_scale_0_321x217_16b.gray", "a/b/cambi_heatmap_scale_1_161x109_16b.gray",
        "a/b/cambi_heatmap_scale_2_81x55_16b.gray", "a/b/cambi_heatmap_scale_3_41x28_16b.gray",
        "a/b/cambi_heatmap_scale_4_21x14_16b.gray"};
    static const int64_t pixels[] = {321 * 217, 161 * 109, 81 * 55, 41 * 28, 21 * 14};
    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        assert_int_equal(file_size(names[scale]), 3 * 2 * pixels[scale]);

    FILE *file = fopen(names[0], "rb");
    assert_non_null(file);
    enum { PIXELS = 321 * 217 };
    uint16_t *samples = calloc(3 * PIXELS, sizeof(*samples));
    assert_non_null(samples);
    assert_int_equal(fread(samples, sizeof(*samples), 3 * PIXELS, file), 3 * PIXELS);
    fclose(file);
    unsigned set[3] = {0};
    for (unsigned i = 0; i < 3 * PIXELS; i++)
        set[i / PIXELS] += samples[i] != 0;
    free(samples);
    assert_true(set[0] > 1000 && set[2] > 1000);
    assert_int_equal(set[1], 0); /* the frame that was left out */

    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        assert_int_equal(remove(names[scale]), 0);
    assert_int_equal(remove("a/b"), 0); /* nothing else was written */
    assert_int_equal(remove("a"), 0);
}

/* Nothing is written before there is a map to write. */
CASE(given_a_path_that_cannot_be_written_then_the_first_map_fails_with_it)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 321, 217);
    VmafPicture dist = harness_picture(&format, dist_sample, 0);
    static const char *const paths[] = {"/dev/null/maps", "/dev/null"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        char option[64];
        Reason why = {{0}};
        snprintf(option, sizeof(option), "heatmaps_path=%s", paths[i]);
        harness_start(&harness, &cambi_extractor, option, &format);
        harness_accumulate_bands(&harness, &(FrameInput){.ref = &dist, .dist = &dist}, NULL, 0,
                                 harness.record);
        const FinishInput input = {.state = harness.state,
                                   .options = harness.options,
                                   .format = &format,
                                   .record = harness.record,
                                   .why = &why};
        assert_int_equal(cambi_extractor.finish(&input, &harness.sink), -EINVAL);
        assert_non_null(strstr(why.text, paths[i]));
        assert_non_null(strstr(why.text, "heat map"));
        harness_stop(&harness);
    }
    harness_picture_free(&dist);
}

CASE(given_cambi_then_sums_are_bounded_by_window_and_pixels)
{
    PictureFormat large;
    assert_int_equal(picture_format_init(&large, VMAF_PIX_FMT_YUV420P, 10, 321, 217), 0);
    CambiOptions o = {.window_size = 65, .topk = 0.6, .cambi_topk = 0.25, .max_log_contrast = 2};
    CambiGeometry geometry[CAMBI_PICTURES];
    assert_int_equal(cambi_geometry(geometry, &o, 321, 217), CAMBI_ACCEPTED);
    const uint64_t pooled = cambi_pooled_pixels(&geometry[CAMBI_DIST], 4, &o);
    assert_int_equal(geometry[CAMBI_DIST].window, 5);
    assert_int_equal(pooled, 21 * 14 / 4);
    const FeatureRecord *public = record_of("cambi");

    VmafRecordCambi record = {0};
    record.strongest[CAMBI_DIST][4] = (VmafRecordCambiSum){(4 * 25 / 4 + 1) * pooled, 0xffffff};
    assert_true(public->is_possible(&record, &o, &large));
    record.strongest[CAMBI_DIST][4].whole++;
    assert_false(public->is_possible(&record, &o, &large));
    record.strongest[CAMBI_DIST][4] = (VmafRecordCambiSum){0, 0x1000000};
    assert_false(public->is_possible(&record, &o, &large));

    /* The reference is scored only if that is asked for. */
    record.strongest[CAMBI_DIST][4] = (VmafRecordCambiSum){0};
    record.strongest[CAMBI_REF][0].fraction = 1;
    assert_false(public->is_possible(&record, &o, &large));
    o.full_ref = true;
    assert_true(public->is_possible(&record, &o, &large));

    /* Of a picture with samples beyond the depth there are no sums. */
    record.is_beyond_depth[CAMBI_REF] = 1;
    assert_false(public->is_possible(&record, &o, &large));
    record.strongest[CAMBI_REF][0].fraction = 0;
    assert_true(public->is_possible(&record, &o, &large));
    record.is_beyond_depth[CAMBI_REF] = 2;
    assert_false(public->is_possible(&record, &o, &large));
    record.is_beyond_depth[CAMBI_REF] = 1;
    large.bpc = 8;
    assert_false(public->is_possible(&record, &o, &large));
    large.bpc = 10;
    o.full_ref = false;
    assert_false(public->is_possible(&record, &o, &large));
}
