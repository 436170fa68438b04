/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* speed_chroma and speed_temporal. Known scores: libvmaf 3.2 reference values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feature/speed/speed.h"
#include "feature/speed/speed_options.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/speed_pattern.h"

enum { U, V, UV, N_OUTPUTS };

#define V1 "speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_weight_var_mode=5:speed_max_val=45"

static FinishHarness harness;

static void expect_score(unsigned output, unsigned index, double known)
{
    const double score = harness_score(&harness, output, index);
    if (memcmp(&score, &known, sizeof(score)))
        fail_msg("output %u of frame %u is %.17g, not %.17g", output, index, score, known);
}

static void run_chroma(const char *options, const PictureFormat *format, HarnessSample ref_sample,
                       HarnessSample dist_sample, unsigned frame)
{
    VmafPicture ref = harness_picture(format, ref_sample, frame);
    VmafPicture dist = harness_picture(format, dist_sample, frame);
    const FrameInput input = {.ref = &ref, .dist = &dist};
    harness_start(&harness, &speed_chroma_extractor, options, format);
    harness_frame(&harness, &input, 0);
    harness_stop(&harness);
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

static void given_the_pattern_then_chroma_scores_are_known(void **state)
{
    static const struct {
        enum VmafPixelFormat pix_fmt;
        unsigned bpc, w, h, frame;
        const char *options;
        double known[N_OUTPUTS];
    } cases[] = {
        /* clang-format off */
        {VMAF_PIX_FMT_YUV420P, 8, 641, 361, 0, "",
         {27.911422729492188, 26.288223266601562, 27.099822998046875}},
        {VMAF_PIX_FMT_YUV420P, 8, 641, 361, 1, "",
         {27.250467300415039, 28.67889404296875, 27.964679718017578}},
        {VMAF_PIX_FMT_YUV420P, 10, 641, 361, 0, "",
         {27.914291381835938, 26.288961410522461, 27.101627349853516}},
        {VMAF_PIX_FMT_YUV420P, 10, 641, 361, 1, "",
         {27.254854202270508, 28.683521270751953, 27.969188690185547}},
        {VMAF_PIX_FMT_YUV422P, 12, 576, 324, 0, "",
         {36.50018310546875, 35.515140533447266, 36.007659912109375}},
        {VMAF_PIX_FMT_YUV444P, 16, 500, 300, 0, "",
         {34.301864624023438, 32.542148590087891, 33.422004699707031}},
        {VMAF_PIX_FMT_YUV420P, 8, 1280, 720, 0, V1,
         {33.083229064941406, 31.291591644287109, 32.187408447265625}},
        {VMAF_PIX_FMT_YUV420P, 8, 1280, 720, 0,
         V1 ":speed_prescale=0.5:speed_prescale_method=bilinear",
         {24.411067962646484, 21.626815795898438, 23.018941879272461}},
        {VMAF_PIX_FMT_YUV420P, 8, 1280, 720, 0,
         V1 ":speed_prescale=0.6:speed_prescale_method=bilinear",
         {31.691474914550781, 32.187461853027344, 31.939468383789062}},
        {VMAF_PIX_FMT_YUV420P, 10, 1280, 720, 0, V1,
         {33.083648681640625, 31.292011260986328, 32.187828063964844}},
        {VMAF_PIX_FMT_YUV420P, 10, 1280, 720, 0,
         V1 ":speed_prescale=0.5:speed_prescale_method=bilinear",
         {24.411075592041016, 21.626815795898438, 23.018945693969727}},
        {VMAF_PIX_FMT_YUV420P, 10, 1280, 720, 0,
         V1 ":speed_prescale=0.6:speed_prescale_method=bilinear",
         {31.689830780029297, 32.187374114990234, 31.938602447509766}},
        {VMAF_PIX_FMT_YUV420P, 8, 641, 361, 0,
         "speed_kernelscale=2:speed_prescale=1.3:speed_prescale_method=bicubic",
         {28.869781494140625, 31.052993774414062, 29.961387634277344}},
        {VMAF_PIX_FMT_YUV420P, 8, 641, 361, 0,
         "speed_kernelscale=1.5:speed_prescale=1.3:speed_prescale_method=lanczos4",
         {26.213153839111328, 26.928379058837891, 26.570766448974609}},
        {VMAF_PIX_FMT_YUV420P, 8, 641, 361, 0,
         "speed_prescale=2:speed_prescale_method=bilinear",
         {38.445430755615234, 40.252861022949219, 39.349143981933594}},
        {VMAF_PIX_FMT_YUV420P, 8, 641, 361, 0,
         "speed_prescale=1.3:speed_prescale_method=nearest",
         {36.389663696289062, 40.061080932617188, 38.225372314453125}},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const PictureFormat format =
            harness_format(cases[i].pix_fmt, cases[i].bpc, cases[i].w, cases[i].h);
        run_chroma(cases[i].options, &format, speed_pattern_ref, speed_pattern_dist,
                   cases[i].frame);
        for (unsigned output = 0; output < N_OUTPUTS; output++)
            expect_score(output, 0, cases[i].known[output]);
    }
}

static void given_the_pattern_then_every_weighting_has_its_score(void **state)
{
    static const double known[] = {27.099822998046875, 27.10198974609375,  27.104053497314453,
                                   27.103240966796875, 27.100193023681641, 27.100912094116211,
                                   27.099830627441406};
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    for (unsigned mode = 0; mode < 7; mode++) {
        char options[] = "speed_weight_var_mode=0";
        options[sizeof(options) - 2] = (char)('0' + mode);
        run_chroma(options, &format, speed_pattern_ref, speed_pattern_dist, 0);
        expect_score(UV, 0, known[mode]);
    }
}

/* Distorted is the reference's pattern but for one plane, which is flat. */
static unsigned flat_u(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return plane == 1 ? 100 : speed_pattern_dist(x, y, plane, frame, bpc);
}

static unsigned flat_v(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return plane == 2 ? 100 : speed_pattern_dist(x, y, plane, frame, bpc);
}

static unsigned flat(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x;
    (void)y;
    (void)frame;
    (void)bpc;
    return 100 + plane;
}

static void given_a_flat_plane_then_the_other_one_decides(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    run_chroma("", &format, speed_pattern_ref, flat_v, 0);
    expect_score(U, 0, 27.911422729492188);
    expect_score(V, 0, 0);
    expect_score(UV, 0, 27.911422729492188);
    run_chroma("", &format, speed_pattern_ref, flat_u, 0);
    expect_score(U, 0, 0);
    expect_score(V, 0, 26.288223266601562);
    expect_score(UV, 0, 26.288223266601562);
    run_chroma("", &format, flat, flat, 0);
    for (unsigned output = 0; output < N_OUTPUTS; output++)
        expect_score(output, 0, 0);
}

static void given_records_then_scores_are_clipped(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    const SpeedScores high = {.score = {20, 50}};
    const SpeedScores broken = {.score = {NAN, 50}};
    harness_start(&harness, &speed_chroma_extractor, "speed_max_val=34", &format);
    harness_record(&harness, &high, 0);
    harness_record(&harness, &broken, 1);
    expect_score(U, 0, 20);
    expect_score(V, 0, 34);
    expect_score(UV, 0, 34);
    for (unsigned output = 0; output < N_OUTPUTS; output++)
        expect_score(output, 1, 34);
    harness_stop(&harness);
    /* speed_temporal has the option, but libvmaf does not clip. */
    harness_start(&harness, &speed_temporal_extractor, "speed_max_val=34", &format);
    const SpeedScores temporal = {.score = {50}};
    harness_record(&harness, &temporal, 0);
    expect_score(0, 0, 50);
    harness_stop(&harness);
}

static const char *const variants[] = {
    "",
    V1,
    "speed_prescale=1.3:speed_prescale_method=nearest",
    "speed_weight_var_mode=2",
    "speed_kernelscale=0.5",
};
enum { N_VARIANTS = sizeof(variants) / sizeof(variants[0]), UNWANTED = 3 };

typedef struct Alone {
    void *record;
    size_t size;
    double scores[N_OUTPUTS];
} Alone;

static void run_alone(Alone *alone, const char *options, const PictureFormat *format,
                      const FrameInput *input)
{
    harness_start(&harness, &speed_chroma_extractor, options, format);
    harness_frame(&harness, input, 0);
    alone->size = extractor_record_size(&speed_chroma_extractor, harness.options, format);
    alone->record = malloc(alone->size);
    assert_non_null(alone->record);
    memcpy(alone->record, harness.record, alone->size);
    for (unsigned output = 0; output < N_OUTPUTS; output++)
        alone->scores[output] = harness_score(&harness, output, 0);
    harness_stop(&harness);
}

static void expect_scores(const char *options, const PictureFormat *format, const void *condensed,
                          const double known[N_OUTPUTS])
{
    harness_start(&harness, &speed_chroma_extractor, options, format);
    harness_record(&harness, condensed, 0);
    for (unsigned output = 0; output < N_OUTPUTS; output++)
        expect_score(output, 0, known[output]);
    harness_stop(&harness);
}

/* Variants of one pass differ in what they look at, or only in what they make of it. */
static void given_several_variants_then_each_has_its_own_record_and_scores(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    VmafPicture ref = harness_picture(&format, speed_pattern_ref, 0);
    VmafPicture dist = harness_picture(&format, speed_pattern_dist, 0);
    const FrameInput input = {.ref = &ref, .dist = &dist};
    Alone alone[N_VARIANTS];
    void *options[N_VARIANTS], *records[N_VARIANTS] = {0};
    for (int i = 0; i < N_VARIANTS; i++) {
        run_alone(&alone[i], variants[i], &format, &input);
        options[i] = harness_options(&speed_chroma_extractor, variants[i]);
        ((SpeedOptions *)options[i])->speed_prescale_method = "nearest";
        if (i != UNWANTED)
            records[i] = calloc(1, alone[i].size);
    }
    void *plan, *scratch;
    assert_int_equal(
        speed_chroma_plan_create(&plan, &format, (const void *const *)options, N_VARIANTS, 0), 0);
    assert_int_equal(speed_scratch_create(&scratch, plan), 0);
    const RowBand all = {0, format.h[0]};
    assert_int_equal(speed_accumulate(plan, scratch, &input, all, records), 0);
    for (int i = 0; i < N_VARIANTS; i++) {
        if (records[i])
            assert_memory_equal(records[i], alone[i].record, alone[i].size);
    }
    /* What differs only in the noise, the floor or the weights has the same record. */
    assert_memory_equal(alone[0].record, alone[1].record, alone[0].size);
    assert_memory_equal(alone[0].record, alone[UNWANTED].record, alone[0].size);
    speed_condense(plan, scratch, records);
    for (int i = 0; i < N_VARIANTS; i++) {
        if (records[i])
            expect_scores(variants[i], &format, records[i], alone[i].scores);
        free(options[i]);
        free(records[i]);
        free(alone[i].record);
    }
    speed_scratch_destroy(scratch);
    speed_plan_destroy(plan);
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

/* A backend may have made any numbers. */
static void given_any_numbers_then_condensing_ends_and_there_are_scores(void **state)
{
    static const float numbers[] = {NAN,     INFINITY, -INFINITY, FLT_MAX, -FLT_MAX,
                                    FLT_MIN, 1e-42f,   -1e-45f,   0,       1e6f};
    enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    harness_start(&harness, &speed_chroma_extractor, "speed_max_val=34", &format);
    const size_t n = extractor_record_size(&speed_chroma_extractor, harness.options, &format) / 4;
    float *record = harness.record;
    for (unsigned i = 0; i < 2 * N_NUMBERS; i++) {
        uint32_t random = i;
        for (size_t k = 0; k < n; k++) {
            random = random * 1664525u + 1013904223u;
            const bool is_odd = i < N_NUMBERS || random >> 31;
            record[k] = is_odd ? numbers[i % N_NUMBERS] : (float)(random >> 8) / 65536 - 128;
        }
        speed_condense(harness.plan, harness.scratch, &harness.record);
        harness_record(&harness, harness.record, i);
        for (unsigned output = 0; output < N_OUTPUTS; output++) {
            const double score = harness_score(&harness, output, i);
            assert_true(score >= 0 && score <= 34);
        }
    }
    harness_stop(&harness);
}

enum { N_FRAMES = 3 };

static void run_temporal(const char *options, unsigned bpc, const unsigned indices[N_FRAMES])
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, 641, 361);
    VmafPicture ref[N_FRAMES], dist[N_FRAMES];
    harness_start(&harness, &speed_temporal_extractor, options, &format);
    for (unsigned t = 0; t < N_FRAMES; t++) {
        ref[t] = harness_picture(&format, speed_pattern_ref, t);
        dist[t] = harness_picture(&format, speed_pattern_dist, t);
        const FrameInput input = {
            .ref = &ref[t],
            .dist = &dist[t],
            .earlier_ref = {t ? &ref[t - 1] : NULL},
            .earlier_dist = {t ? &dist[t - 1] : NULL},
        };
        harness_frame(&harness, &input, indices[t]);
    }
    harness_stop(&harness);
    for (unsigned t = 0; t < N_FRAMES; t++) {
        harness_picture_free(&ref[t]);
        harness_picture_free(&dist[t]);
    }
}

static void given_the_pattern_then_temporal_scores_are_known(void **state)
{
    static const double known[] = {0, 31.89067268371582, 30.39335823059082};
    static const unsigned indices[] = {0, 1, 2}, elsewhere[] = {7, 3, 100};
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        run_temporal("", bpc, indices);
        for (unsigned t = 0; t < N_FRAMES; t++)
            expect_score(0, indices[t], known[t]);
        run_temporal("speed_use_ref_diff=true", bpc, indices);
        expect_score(0, 1, bpc == 8 ? 21.866342544555664 : 21.866924285888672);
    }
    /* Neighbours are those of the calls, whatever the indices. */
    run_temporal("", 8, elsewhere);
    for (unsigned t = 0; t < N_FRAMES; t++)
        expect_score(0, elsewhere[t], known[t]);
}

static void given_option_values_then_ranges_hold(void **state)
{
    static const struct {
        const char *low, *high, *below, *above;
    } ranges[] = {
        {"speed_kernelscale=0.1", "speed_kernelscale=4", "speed_kernelscale=0.09",
         "speed_kernelscale=4.01"},
        {"speed_prescale=0.1", "speed_prescale=4", "speed_prescale=0.09", "speed_prescale=4.01"},
        {"speed_sigma_nn=0.1", "speed_sigma_nn=2", "speed_sigma_nn=0.09", "speed_sigma_nn=2.01"},
        {"speed_nn_floor=0", "speed_nn_floor=1", "speed_nn_floor=-0.01", "speed_nn_floor=1.01"},
        {"speed_max_val=0", "speed_max_val=1000", "speed_max_val=-1", "speed_max_val=1001"},
        {"speed_weight_var_mode=0", "speed_weight_var_mode=6", "speed_weight_var_mode=-1",
         "speed_weight_var_mode=7"},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const bool is_common = i < 5;
        const FeatureExtractor *extractors[] = {&speed_chroma_extractor, &speed_temporal_extractor};
        for (int e = 0; e < (is_common ? 2 : 1); e++) {
            void *low = harness_options(extractors[e], ranges[i].low);
            void *high = harness_options(extractors[e], ranges[i].high);
            assert_non_null(low);
            assert_non_null(high);
            free(low);
            free(high);
            assert_null(harness_options(extractors[e], ranges[i].below));
            assert_null(harness_options(extractors[e], ranges[i].above));
        }
    }
    assert_null(harness_options(&speed_temporal_extractor, "speed_use_ref_diff=1"));
}

static void expect_options(double kernelscale, const char *method, const char *reason)
{
    const FeatureExtractor *extractors[] = {&speed_chroma_extractor, &speed_temporal_extractor};
    const SpeedOptions options = {
        .speed_kernelscale = kernelscale, .speed_prescale = 1, .speed_prescale_method = method};
    for (int e = 0; e < 2; e++) {
        Reason why = {""};
        assert_int_equal(extractors[e]->check_options(&options, &why) != 0, reason != NULL);
        if (reason)
            assert_non_null(strstr(why.text, reason));
    }
}

static void given_values_off_the_lists_then_refused_with_the_list(void **state)
{
    expect_options(1, "nearest", NULL);
    expect_options(2.4, "lanczos4", NULL);
    expect_options(1.0009, "bicubic", NULL);
    expect_options(1.0011, "bilinear", "360/97");
    expect_options(4, "bilinear", "1.111111");
    expect_options(1, "area", "nearest, bilinear, bicubic, lanczos4");
    expect_options(1, "", "nearest, bilinear, bicubic, lanczos4");
}

static void expect_format(const FeatureExtractor *extractor, double prescale,
                          enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h,
                          const char *limit)
{
    const SpeedOptions options = {.speed_kernelscale = 1, .speed_prescale = prescale};
    const PictureFormat format = harness_format(pix_fmt, bpc, w, h);
    Reason why = {""};
    assert_int_equal(extractor_check_format(extractor, &options, &format, &why) != 0,
                     limit != NULL);
    if (limit)
        assert_non_null(strstr(why.text, limit));
}

static void given_unusable_formats_then_refused_with_the_limit(void **state)
{
    const FeatureExtractor *chroma = &speed_chroma_extractor;
    const FeatureExtractor *temporal = &speed_temporal_extractor;
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV420P, 8, 160, 160, NULL);
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV420P, 8, 159, 160, "at least 80x80");
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV420P, 8, 160, 159, "at least 80x80");
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV422P, 8, 160, 80, NULL);
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV444P, 8, 80, 80, NULL);
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV444P, 8, 80, 79, "not 80x79");
    expect_format(chroma, 0.5, VMAF_PIX_FMT_YUV444P, 8, 159, 159, NULL);
    expect_format(chroma, 0.5, VMAF_PIX_FMT_YUV444P, 8, 158, 159, "after resizing, not 79x80");
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV400P, 8, 640, 360, "chroma");
    expect_format(chroma, 1, VMAF_PIX_FMT_YUV420P, 9, 640, 360, "8, 10, 12 or 16 bits");
    expect_format(temporal, 1, VMAF_PIX_FMT_YUV400P, 16, 80, 80, NULL);
    expect_format(temporal, 1, VMAF_PIX_FMT_YUV420P, 8, 79, 80, "at least 80x80");
    expect_format(temporal, 0.1, VMAF_PIX_FMT_YUV420P, 8, 400, 300, "not 40x30");
    expect_format(temporal, 1, VMAF_PIX_FMT_YUV420P, 14, 640, 360, "8, 10, 12 or 16 bits");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_the_pattern_then_chroma_scores_are_known),
        cmocka_unit_test(given_the_pattern_then_every_weighting_has_its_score),
        cmocka_unit_test(given_a_flat_plane_then_the_other_one_decides),
        cmocka_unit_test(given_records_then_scores_are_clipped),
        cmocka_unit_test(given_several_variants_then_each_has_its_own_record_and_scores),
        cmocka_unit_test(given_any_numbers_then_condensing_ends_and_there_are_scores),
        cmocka_unit_test(given_the_pattern_then_temporal_scores_are_known),
        cmocka_unit_test(given_option_values_then_ranges_hold),
        cmocka_unit_test(given_values_off_the_lists_then_refused_with_the_list),
        cmocka_unit_test(given_unusable_formats_then_refused_with_the_limit),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
