/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The stages of SpEED one by one. Known numbers: libvmaf 3.2 reference values, 9 digits. */
#include <stdlib.h>
#include <string.h>

#include "feature/speed/speed_entropy.h"
#include "feature/speed/speed_residual.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/speed_pattern.h"

enum { N = SPEED_BLOCK_SAMPLES };

typedef struct Known {
    unsigned decimated_w, decimated_h, n_blocks;
    float first, second, last; /* of the residual */
    float k00, k10, k2424, k240;
    float l0, l1, l24;
    float variance_first, variance_last;
    float entropy_first, entropy_last;
} Known;

static void expect(float value, float known, const char *what)
{
    if (!(value == known))
        fail_msg("%s is %.9g, not %.9g", what, (double)value, (double)known);
}

typedef struct Stages {
    SpeedKernels kernels;
    SpeedView view;
    SpeedResidualScratch residual;
    SpeedMatrix covariance;
    SpeedAnalysis analysis;
} Stages;

static void run_matrix_stages(Stages *s, float noise)
{
    const SpeedGeometry *g = &s->view.geometry;
    speed_covariance(&s->kernels, g, s->residual.residual, s->residual.stride, &s->covariance);
    speed_eigenvalues(&s->covariance, s->analysis.eigenvalues);
    enum { STRIDE = 32 };
    assert_true(g->n_blocks <= STRIDE);
    float blocks[N * STRIDE] = {0}, solution[N * STRIDE];
    static float variance[STRIDE], entropy[STRIDE];
    for (unsigned b = 0; b < g->n_blocks; b++) {
        const float *corner = s->residual.residual +
                              b / g->blocks_across * SPEED_BLOCK * s->residual.stride +
                              b % g->blocks_across * SPEED_BLOCK;
        for (unsigned i = 0; i < N; i++)
            blocks[i * STRIDE + b] = corner[i / SPEED_BLOCK * s->residual.stride + i % SPEED_BLOCK];
    }
    assert_true(speed_solve(&s->covariance, blocks, solution, STRIDE));
    speed_variances(blocks, solution, STRIDE, variance);
    s->analysis.variance = variance;
    s->analysis.entropy = entropy;
    speed_entropies(&s->analysis, g->n_blocks, &(SpeedNoise){.variance = noise});
}

static void run(Stages *s, const SpeedOptions *options, const SpeedSource *source,
                const PictureFormat *format)
{
    speed_kernels_init(&s->kernels, 0);
    assert_int_equal(
        speed_view_init(&s->view, options, format->w[source->plane], format->h[source->plane]), 0);
    assert_int_equal(speed_residual_scratch_init(&s->residual, &s->view, 1), 0);
    speed_residual(&s->view, &s->kernels, source, &s->residual);
    run_matrix_stages(s, (float)options->speed_sigma_nn);
}

static void finish(Stages *s)
{
    speed_view_clear(&s->view);
    speed_residual_scratch_clear(&s->residual);
}

static void expect_stages(const Stages *s, const Known *known)
{
    const SpeedGeometry *g = &s->view.geometry;
    assert_int_equal(g->decimated_w, known->decimated_w);
    assert_int_equal(g->decimated_h, known->decimated_h);
    assert_int_equal(g->n_blocks, known->n_blocks);
    const float *r = s->residual.residual;
    expect(r[0], known->first, "R(0,0)");
    expect(r[1], known->second, "R(1,0)");
    expect(r[(g->decimated_h - 1) * s->residual.stride + g->decimated_w - 1], known->last,
           "last R");
    expect(s->covariance.at[0][0], known->k00, "K(0,0)");
    expect(s->covariance.at[1][0], known->k10, "K(1,0)");
    expect(s->covariance.at[0][1], known->k10, "K(0,1)");
    expect(s->covariance.at[24][24], known->k2424, "K(24,24)");
    expect(s->covariance.at[24][0], known->k240, "K(24,0)");
    expect(s->analysis.eigenvalues[0], known->l0, "L(0)");
    expect(s->analysis.eigenvalues[1], known->l1, "L(1)");
    expect(s->analysis.eigenvalues[24], known->l24, "L(24)");
    expect(s->analysis.variance[0], known->variance_first, "first S");
    expect(s->analysis.variance[g->n_blocks - 1], known->variance_last, "last S");
    expect(s->analysis.entropy[0], known->entropy_first, "first E");
    expect(s->analysis.entropy[g->n_blocks - 1], known->entropy_last, "last E");
}

static const SpeedOptions defaults = {
    .speed_kernelscale = 1,
    .speed_prescale = 1,
    .speed_prescale_method = "nearest",
    .speed_sigma_nn = 0.29,
};

static void given_chroma_planes_then_every_stage_is_known(void **state)
{
    static const SpeedOptions prescaled = {
        .speed_kernelscale = 1,
        .speed_prescale = 0.6,
        .speed_prescale_method = "bilinear",
        .speed_sigma_nn = 0.19,
    };
    static const struct {
        unsigned bpc, w, h;
        HarnessSample sample;
        const SpeedOptions *options;
        Known known;
    } cases[] = {
        {8,
         641,
         361,
         speed_pattern_ref,
         &defaults,
         {20, 11, 8, -13.8349142f, 2.62484455f, 0.220018387f, 2.77323556f, -0.589070916f,
          0.539100945f, -0.120186076f, 3.17819524f, 1.56781244f, 0.35936293f, 2.96190715f,
          0.736779392f, 120.809334f, 87.9790421f}},
        {8,
         641,
         361,
         speed_pattern_dist,
         &defaults,
         {20, 11, 8, -6.89824247f, 1.31497085f, 0.110536218f, 0.689019561f, -0.144459009f,
          0.133785114f, -0.0334712379f, 0.789483786f, 0.372444153f, 0.092646338f, 2.96611118f,
          0.740350425f, 88.1473465f, 69.0328369f}},
        {10,
         641,
         361,
         speed_pattern_ref,
         &defaults,
         {20, 11, 8, -13.8356266f, 2.6245296f, 0.220018521f, 2.77346134f, -0.589013398f,
          0.539100945f, -0.120189726f, 3.17841578f, 1.56781244f, 0.359371603f, 2.96193886f,
          0.736739099f, 120.810417f, 87.9785004f}},
        {10,
         1280,
         720,
         speed_pattern_ref,
         &prescaled,
         {24, 13, 8, -8.68738556f, 2.16675377f, 0.0988013744f, 1.35408032f, -0.377435356f,
          0.633562982f, -0.10777954f, 1.93687689f, 1.72568548f, 0.209660083f, 2.52563381f,
          1.73707557f, 111.303421f, 101.009415f}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV420P, cases[i].bpc, cases[i].w, cases[i].h);
        VmafPicture picture = harness_picture(&format, cases[i].sample, 0);
        const SpeedSource source = {.picture = &picture, .plane = 1, .bpc = cases[i].bpc};
        Stages stages;
        run(&stages, cases[i].options, &source, &format);
        expect_stages(&stages, &cases[i].known);
        finish(&stages);
        harness_picture_free(&picture);
    }
}

static void given_a_difference_of_frames_then_every_stage_is_known(void **state)
{
    static const Known known = {40,           22,
                                32,           -2.79666996f,
                                1.77615499f,  -0.659620047f,
                                2.17762828f,  -0.416490346f,
                                2.51249051f,  0.175330102f,
                                4.98623562f,  0.0790348649f,
                                2.9173305f,   0.448280573f,
                                0.556048214f, 108.811134f,
                                114.483322f};
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 641, 361);
    VmafPicture earlier = harness_picture(&format, speed_pattern_ref, 0);
    VmafPicture picture = harness_picture(&format, speed_pattern_ref, 1);
    const SpeedSource source = {.picture = &earlier, .less = &picture, .bpc = 8};
    Stages stages;
    run(&stages, &defaults, &source, &format);
    expect_stages(&stages, &known);
    finish(&stages);
    harness_picture_free(&earlier);
    harness_picture_free(&picture);
}

static void given_the_pattern_then_all_eigenvalues_are_known_in_their_order(void **state)
{
    static const float known[N] = {
        3.17819524f,  1.56781244f,   1.30484951f,  1.04987669f,   1.01484585f,
        0.839360297f, 0.0287501942f, 0.741453528f, 0.0798987821f, 0.0970890597f,
        0.711308479f, 0.696526051f,  0.638283968f, 0.596304178f,  0.541636646f,
        0.15412508f,  0.228362039f,  0.291532665f, 0.179421112f,  0.190290794f,
        0.49519822f,  0.439460218f,  0.395101905f, 0.34912926f,   0.35936293f};
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 641, 361);
    VmafPicture picture = harness_picture(&format, speed_pattern_ref, 0);
    const SpeedSource source = {.picture = &picture, .plane = 1, .bpc = 8};
    Stages stages;
    run(&stages, &defaults, &source, &format);
    for (int i = 0; i < N; i++)
        expect(stages.analysis.eigenvalues[i], known[i], "an eigenvalue");
    finish(&stages);
    harness_picture_free(&picture);
}

static void given_a_diagonal_matrix_then_it_is_its_own_solution(void **state)
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

static void given_a_singular_matrix_then_it_is_not_solved(void **state)
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
static void given_a_factor_next_to_1_then_planes_are_cropped_or_extended(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 1200, 600);
    const PictureFormat cropped = harness_format(VMAF_PIX_FMT_YUV400P, 8, 1199, 599);
    VmafPicture picture = harness_picture(&format, speed_pattern_ref, 0);
    VmafPicture part = harness_picture(&cropped, speed_pattern_ref, 0);
    SpeedKernels kernels;
    speed_kernels_init(&kernels, 0);
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
    speed_residual(&view, &kernels, &(SpeedSource){.picture = &picture, .bpc = 8}, &scratch);
    speed_residual(&part_view, &kernels, &(SpeedSource){.picture = &part, .bpc = 8}, &part_scratch);
    for (unsigned y = 0; y < view.geometry.decimated_h; y++)
        assert_memory_equal(scratch.residual + y * scratch.stride,
                            part_scratch.residual + y * part_scratch.stride,
                            view.geometry.decimated_w * sizeof(float));
    speed_residual_scratch_clear(&scratch);

    options.speed_prescale = 1.0009;
    assert_int_equal(speed_view_init(&view, &options, 1200, 600), 0);
    assert_null(view.resampler);
    assert_int_equal(view.geometry.scaled_w, 1201);
    assert_int_equal(view.geometry.scaled_h, 601);
    assert_int_equal(speed_residual_scratch_init(&scratch, &view, 1), 0);
    speed_residual(&view, &kernels, &(SpeedSource){.picture = &picture, .bpc = 8}, &scratch);
    /* One column and row more change nothing in the first block. */
    for (unsigned y = 0; y < SPEED_BLOCK; y++)
        assert_memory_equal(scratch.residual + y * scratch.stride,
                            part_scratch.residual + y * part_scratch.stride,
                            SPEED_BLOCK * sizeof(float));
    speed_residual_scratch_clear(&scratch);
    speed_residual_scratch_clear(&part_scratch);
    harness_picture_free(&picture);
    harness_picture_free(&part);
}

/* Those of plain C, with which others are compared. */
static void given_any_width_then_rows_are_loaded_by_the_definition(void **state)
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
    SpeedKernels kernels;
    speed_kernels_init(&kernels, 0);
    for (unsigned w = 1; w <= MAX_WIDTH; w++) {
        float out[4][MAX_WIDTH];
        const float factor = 1.0f / 256;
        kernels.load_samples(bytes[0], false, 1, out[0], w);
        kernels.load_differences(bytes[0], bytes[1], false, 1, out[1], w);
        kernels.load_samples(words[0], true, factor, out[2], w);
        kernels.load_differences(words[0], words[1], true, factor, out[3], w);
        for (unsigned x = 0; x < w; x++) {
            assert_true(out[0][x] == bytes[0][x] - 128);
            assert_true(out[1][x] == bytes[0][x] - bytes[1][x]);
            assert_true(out[2][x] == (float)words[0][x] / 256 - 128);
            assert_true(out[3][x] == (float)(words[0][x] - words[1][x]) / 256);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_chroma_planes_then_every_stage_is_known),
        cmocka_unit_test(given_a_difference_of_frames_then_every_stage_is_known),
        cmocka_unit_test(given_the_pattern_then_all_eigenvalues_are_known_in_their_order),
        cmocka_unit_test(given_a_diagonal_matrix_then_it_is_its_own_solution),
        cmocka_unit_test(given_a_singular_matrix_then_it_is_not_solved),
        cmocka_unit_test(given_a_factor_next_to_1_then_planes_are_cropped_or_extended),
        cmocka_unit_test(given_any_width_then_rows_are_loaded_by_the_definition),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
