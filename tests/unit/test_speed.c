/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED: stages alone, and the scores of speed_chroma and speed_temporal. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/speed/speed_internal.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/memory.h"
#include "support/metric_checks.h"
#include "support/speed_pattern.h"

enum { N = SPEED_BLOCK_SAMPLES };

static const SpeedOptions defaults = {
    .speed_kernelscale = 1,
    .speed_prescale = 1,
    .speed_prescale_method = "nearest",
    .speed_sigma_nn = 0.29,
};

CASE(given_the_pattern_then_all_eigenvalues_are_known_in_their_order)
{
    /* libvmaf 3.2 reference values. */
    static const float known[N] = {
        3.17819524f,  1.56781244f,   1.30484951f,  1.04987669f,   1.01484585f,
        0.839360297f, 0.0287501942f, 0.741453528f, 0.0798987821f, 0.0970890597f,
        0.711308479f, 0.696526051f,  0.638283968f, 0.596304178f,  0.541636646f,
        0.15412508f,  0.228362039f,  0.291532665f, 0.179421112f,  0.190290794f,
        0.49519822f,  0.439460218f,  0.395101905f, 0.34912926f,   0.35936293f};
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    VmafPicture picture = harness_picture(&format, speed_pattern_ref, 0);
    const SpeedSource source = {.picture = &picture, .plane = 1, .bpc = 8};
    SpeedFunctions functions;
    SpeedView view;
    SpeedResidualScratch residual;
    SpeedMatrix covariance;
    float eigenvalues[N];
    speed_functions_init(&functions, 0);
    assert_int_equal(speed_view_init(&view, &defaults, format.w[1], format.h[1]), 0);
    assert_int_equal(speed_residual_scratch_init(&residual, &view, 1), 0);
    speed_residual(&view, &functions, &source, &residual);
    speed_covariance(&functions, &view.geometry, residual.residual, residual.stride, &covariance);
    speed_eigenvalues(&covariance, eigenvalues);
    for (int i = 0; i < N; i++) {
        if (!(eigenvalues[i] == known[i]))
            fail_msg("%d: %.9g, not %.9g", i, (double)eigenvalues[i], (double)known[i]);
    }
    memory_free(residual.memory);
    harness_picture_free(&picture);
}

CASE(given_a_diagonal_matrix_then_it_is_its_own_solution)
{
    enum { STRIDE = 16 };
    SpeedMatrix matrix = {0};
    float blocks[N * STRIDE] = {0}, solution[N * STRIDE];
    float eigenvalues[N];
    for (int i = 0; i < N; i++) {
        matrix.at[i][i] = (float)(1 << i % 8);
        blocks[i * STRIDE + 3] = 1;
    }
    speed_eigenvalues(&matrix, eigenvalues);
    assert_true(speed_solve(&matrix, blocks, solution, STRIDE));
    for (int i = 0; i < N; i++) {
        assert_true(eigenvalues[i] == matrix.at[i][i]);
        assert_true(solution[i * STRIDE + 3] == 1 / matrix.at[i][i]);
        assert_true(solution[i * STRIDE + 4] == 0);
    }
}

CASE(given_a_singular_matrix_then_it_is_not_solved)
{
    enum { STRIDE = 16 };
    SpeedMatrix matrix = {0};
    float blocks[N * STRIDE] = {0}, solution[N * STRIDE];
    for (int i = 0; i < N; i++)
        matrix.at[i][i] = i == 7 ? 1e-7f : 1;
    assert_false(speed_solve(&matrix, blocks, solution, STRIDE));
    matrix.at[7][7] = 1e-5f;
    assert_true(speed_solve(&matrix, blocks, solution, STRIDE));
}

/* A factor within 0.001 of 1 does not resize, but the size follows it. */
CASE(given_a_factor_next_to_1_then_planes_are_cropped_or_extended)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 1200, 600);
    const PictureFormat cropped = harness_format(VMAF_PIX_FMT_YUV400P, 8, 1199, 599);
    VmafPicture picture = harness_picture(&format, speed_pattern_ref, 0);
    VmafPicture part = harness_picture(&cropped, speed_pattern_ref, 0);
    SpeedFunctions functions;
    speed_functions_init(&functions, 0);
    SpeedView view, part_view;
    SpeedOptions options = defaults;
    assert_int_equal(speed_view_init(&part_view, &options, 1199, 599), 0);
    options.speed_prescale = 0.9991;
    assert_int_equal(speed_view_init(&view, &options, 1200, 600), 0);
    assert_null(view.resampler);
    assert_int_equal(view.geometry.scaled_w, 1199);
    assert_int_equal(view.geometry.scaled_h, 599);
    SpeedResidualScratch scratch, part_scratch;
    assert_int_equal(speed_residual_scratch_init(&scratch, &view, 1), 0);
    assert_int_equal(speed_residual_scratch_init(&part_scratch, &part_view, 1), 0);
    speed_residual(&view, &functions, &(SpeedSource){.picture = &picture, .bpc = 8}, &scratch);
    speed_residual(&part_view, &functions, &(SpeedSource){.picture = &part, .bpc = 8},
                   &part_scratch);
    for (unsigned y = 0; y < view.geometry.decimated_h; y++)
        assert_memory_equal(scratch.residual + y * scratch.stride,
                            part_scratch.residual + y * part_scratch.stride,
                            view.geometry.decimated_w * sizeof(float));
    memory_free(scratch.memory);

    options.speed_prescale = 1.0009;
    assert_int_equal(speed_view_init(&view, &options, 1200, 600), 0);
    assert_null(view.resampler);
    assert_int_equal(view.geometry.scaled_w, 1201);
    assert_int_equal(view.geometry.scaled_h, 601);
    assert_int_equal(speed_residual_scratch_init(&scratch, &view, 1), 0);
    speed_residual(&view, &functions, &(SpeedSource){.picture = &picture, .bpc = 8}, &scratch);
    /* One column and row more change nothing in the first block. */
    for (unsigned y = 0; y < SPEED_BLOCK; y++)
        assert_memory_equal(scratch.residual + y * scratch.stride,
                            part_scratch.residual + y * part_scratch.stride,
                            SPEED_BLOCK * sizeof(float));
    memory_free(scratch.memory);
    memory_free(part_scratch.memory);
    harness_picture_free(&picture);
    harness_picture_free(&part);
}

/* Those of plain C, with which others are compared. */
CASE(given_any_width_then_rows_are_loaded_by_the_definition)
{
    enum { MAX_WIDTH = 140 };
    uint8_t bytes[2][MAX_WIDTH];
    uint16_t words[2][MAX_WIDTH];
    for (unsigned x = 0; x < MAX_WIDTH; x++) {
        for (unsigned i = 0; i < 2; i++) {
            words[i][x] = (uint16_t)(40503 * (2 * x + i) + x * x);
            bytes[i][x] = (uint8_t)(words[i][x] >> 8);
        }
    }
    SpeedFunctions functions;
    speed_functions_init(&functions, 0);
    for (unsigned w = 1; w <= MAX_WIDTH; w++) {
        float out[4][MAX_WIDTH];
        const float factor = 1.0f / 256;
        functions.load_samples(bytes[0], false, 1, out[0], w);
        functions.load_differences(bytes[0], bytes[1], false, 1, out[1], w);
        functions.load_samples(words[0], true, factor, out[2], w);
        functions.load_differences(words[0], words[1], true, factor, out[3], w);
        for (unsigned x = 0; x < w; x++) {
            assert_true(out[0][x] == bytes[0][x] - 128);
            assert_true(out[1][x] == bytes[0][x] - bytes[1][x]);
            assert_true(out[2][x] == (float)words[0][x] / 256 - 128);
            assert_true(out[3][x] == (float)(words[0][x] - words[1][x]) / 256);
        }
    }
}

/* speed_chroma and speed_temporal. Known scores: libvmaf 3.2 reference values. */

enum { U, V, UV, N_OUTPUTS };

#define V1 "speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_weight_var_mode=5:speed_max_val=45"

CASE(given_the_pattern_then_chroma_scores_are_known)
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
        {VMAF_PIX_FMT_YUV422P, 12, 576, 324, 0, "",
         {36.50018310546875, 35.515140533447266, 36.007659912109375}},
        {VMAF_PIX_FMT_YUV444P, 16, 500, 300, 0, "",
         {34.301864624023438, 32.542148590087891, 33.422004699707031}},
        {VMAF_PIX_FMT_YUV420P, 10, 1280, 720, 0,
         V1 ":speed_prescale=0.6:speed_prescale_method=bilinear",
         {31.689830780029297, 32.187374114990234, 31.938602447509766}},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const PictureFormat format =
            harness_format(cases[i].pix_fmt, cases[i].bpc, cases[i].w, cases[i].h);
        run_frame(&speed_chroma_extractor, cases[i].options, &format, speed_pattern_ref,
                  speed_pattern_dist, cases[i].frame);
        for (unsigned output = 0; output < N_OUTPUTS; output++)
            expect_score(output, 0, cases[i].known[output]);
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
    return 100 + plane;
}

CASE(given_a_flat_plane_then_the_other_one_decides)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    run_frame(&speed_chroma_extractor, "", &format, speed_pattern_ref, flat_v, 0);
    expect_score(U, 0, 27.911422729492188);
    expect_score(V, 0, 0);
    expect_score(UV, 0, 27.911422729492188);
    run_frame(&speed_chroma_extractor, "", &format, speed_pattern_ref, flat_u, 0);
    expect_score(U, 0, 0);
    expect_score(V, 0, 26.288223266601562);
    expect_score(UV, 0, 26.288223266601562);
    run_frame(&speed_chroma_extractor, "", &format, flat, flat, 0);
    for (unsigned output = 0; output < N_OUTPUTS; output++)
        expect_score(output, 0, 0);
}

CASE(given_records_then_scores_are_clipped)
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

static void expect_outputs(const char *options, const PictureFormat *format, const void *condensed,
                           const double known[N_OUTPUTS])
{
    harness_start(&harness, &speed_chroma_extractor, options, format);
    harness_record(&harness, condensed, 0);
    for (unsigned output = 0; output < N_OUTPUTS; output++)
        expect_score(output, 0, known[output]);
    harness_stop(&harness);
}

/* Variants of one pass differ in what they look at, or only in what they make of it. */
CASE(given_several_variants_then_each_has_its_own_record_and_scores)
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
    void *params, *scratch;
    assert_int_equal(
        speed_chroma_plan_create(&params, &format, (const void *const *)options, N_VARIANTS, 0), 0);
    assert_int_equal(speed_scratch_create(&scratch, params), 0);
    const RowBand all = {0, format.h[0]};
    assert_int_equal(speed_accumulate(params, scratch, &input, all, records), 0);
    for (int i = 0; i < N_VARIANTS; i++) {
        if (records[i])
            assert_memory_equal(records[i], alone[i].record, alone[i].size);
    }
    /* What differs only in the noise, the floor or the weights has the same record. */
    assert_memory_equal(alone[0].record, alone[1].record, alone[0].size);
    assert_memory_equal(alone[0].record, alone[UNWANTED].record, alone[0].size);
    speed_condense(params, scratch, records);
    for (int i = 0; i < N_VARIANTS; i++) {
        if (records[i])
            expect_outputs(variants[i], &format, records[i], alone[i].scores);
        free(options[i]);
        free(records[i]);
        free(alone[i].record);
    }
    speed_scratch_destroy(scratch);
    speed_params_destroy(params);
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

/* A backend may have made any numbers. */
CASE(given_any_numbers_then_condensing_ends_and_there_are_scores)
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
        speed_condense(harness.params, harness.scratch, &harness.record);
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
    run_frames(&speed_temporal_extractor, options, &format, speed_pattern_ref, speed_pattern_dist,
               N_FRAMES, indices);
}

CASE(given_the_pattern_then_temporal_scores_are_known)
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

CASE(given_option_values_then_ranges_hold)
{
    static const OptionRange ranges[] = {
        {"speed_kernelscale", "0.1", "4", "0.09", "4.01"},
        {"speed_prescale", "0.1", "4", "0.09", "4.01"},
        {"speed_sigma_nn", "0.1", "2", "0.09", "2.01"},
        {"speed_nn_floor", "0", "1", "-0.01", "1.01"},
        {"speed_max_val", "0", "1000", "-1", "1001"},
        {"speed_weight_var_mode", "0", "6", "-1", "7"}, /* not of speed_temporal */
    };
    const size_t n = sizeof(ranges) / sizeof(ranges[0]);
    expect_ranges(&speed_chroma_extractor, ranges, n);
    expect_ranges(&speed_temporal_extractor, ranges, n - 1);
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

CASE(given_values_off_the_lists_then_refused_with_the_list)
{
    expect_options(1, "nearest", NULL);
    expect_options(2.4, "lanczos4", NULL);
    expect_options(1.0009, "bicubic", NULL);
    expect_options(1.0011, "bilinear", "360/97");
    expect_options(4, "bilinear", "1.111111");
    expect_options(1, "area", "nearest, bilinear, bicubic, lanczos4");
    expect_options(1, "", "nearest, bilinear, bicubic, lanczos4");
}

CASE(given_unusable_formats_then_refused_with_the_limit)
{
    const FeatureExtractor *chroma = &speed_chroma_extractor;
    const FeatureExtractor *temporal = &speed_temporal_extractor;
    expect_format(chroma, "", VMAF_PIX_FMT_YUV420P, 8, 160, 160, NULL);
    expect_format(chroma, "", VMAF_PIX_FMT_YUV420P, 8, 159, 160, "at least 80x80");
    expect_format(chroma, "", VMAF_PIX_FMT_YUV420P, 8, 160, 159, "at least 80x80");
    expect_format(chroma, "", VMAF_PIX_FMT_YUV422P, 8, 160, 80, NULL);
    expect_format(chroma, "", VMAF_PIX_FMT_YUV444P, 8, 80, 80, NULL);
    expect_format(chroma, "", VMAF_PIX_FMT_YUV444P, 8, 80, 79, "not 80x79");
    expect_format(chroma, "speed_prescale=0.5", VMAF_PIX_FMT_YUV444P, 8, 159, 159, NULL);
    expect_format(chroma, "speed_prescale=0.5", VMAF_PIX_FMT_YUV444P, 8, 158, 159,
                  "after resizing, not 79x80");
    expect_format(chroma, "", VMAF_PIX_FMT_YUV400P, 8, 640, 360, "chroma");
    expect_format(chroma, "", VMAF_PIX_FMT_YUV420P, 9, 640, 360, "8, 10, 12 or 16 bits");
    expect_format(temporal, "", VMAF_PIX_FMT_YUV400P, 16, 80, 80, NULL);
    expect_format(temporal, "", VMAF_PIX_FMT_YUV420P, 8, 79, 80, "at least 80x80");
    expect_format(temporal, "speed_prescale=0.1", VMAF_PIX_FMT_YUV420P, 8, 400, 300, "not 40x30");
    expect_format(temporal, "", VMAF_PIX_FMT_YUV420P, 14, 640, 360, "8, 10, 12 or 16 bits");
}

CASE(given_reduced_planes_then_each_number_is_bounded)
{
    enum { CHROMA = 4 * 5 * 10, LUMA = 2 * 10 * 20 };
    static const struct {
        const char *extractor;
        size_t n;
    } cases[] = {{"speed_chroma", CHROMA}, {"speed_temporal", LUMA}};
    const SpeedOptions options = {.speed_prescale = 1};
    const float most = 64 * 65535.0f / 4; /* memory can hold samples above the nominal depth */
    PictureFormat tall;
    assert_int_equal(picture_format_init(&tall, VMAF_PIX_FMT_YUV420P, 10, 160, 320), 0);
    for (int i = 0; i < 2; i++) {
        const FeatureExtractor *extractor = registry_find(cases[i].extractor);
        const size_t n = cases[i].n;
        float record[LUMA + 1] = {0};
        assert_int_equal(extractor->record_size(&options, &tall), n * sizeof(float));
        record[n] = NAN; /* is not read */
        record[0] = -most;
        record[n - 1] = most;
        assert_true(extractor->record.is_possible(record, &options, &tall));
        const float broken[] = {nextafterf(most, INFINITY), -INFINITY, NAN};
        for (int b = 0; b < 3; b++) {
            record[n - 1] = broken[b];
            assert_false(extractor->record.is_possible(record, &options, &tall));
        }
    }
}
