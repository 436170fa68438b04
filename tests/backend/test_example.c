/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The example backend against the CPU, over formats, depths, sizes and options. */

#include "backend/scoring.h"
#include "support/cases.h"

enum { N_FRAMES = 7 };

static ScoringResult cpu, backend;

/* The same run on the CPU and on the example, which has to compute all of it. */
static void compare(ScoringRun run)
{
    run.backend = "cpu";
    scoring_run(&run, &cpu);
    run.backend = "example";
    scoring_run(&run, &backend);
    if (backend.error != cpu.error)
        print_error("%ux%u, %u bits, format %d: %s returns %d, on the CPU %s %d: %s\n", run.width,
                    run.height, run.depth, (int)run.pixel_format, backend.failing, backend.error,
                    cpu.failing, cpu.error, backend.reason);
    assert_int_equal(backend.error, cpu.error);
    assert_true(scoring_equal(&run, &cpu, &backend));
    assert_int_equal(backend.n_events, 0);
    for (unsigned i = 0; !cpu.error && run.features[i].name; i++) {
        if (backend.placement[i] != VMAF_PLACEMENT_BACKEND)
            print_error("%ux%u, %u bits, format %d: placement of %s is %d\n", run.width, run.height,
                        run.depth, (int)run.pixel_format, run.features[i].name,
                        (int)backend.placement[i]);
        assert_int_equal(backend.placement[i], VMAF_PLACEMENT_BACKEND);
    }
}

static const ScoringRun plain = {
    .width = 61,
    .height = 35,
    .depth = 8,
    .pixel_format = VMAF_PIX_FMT_YUV420P,
    .n_frames = N_FRAMES,
    .features = {{.name = "psnr"}, {.name = "motion"}},
    .keys = {"psnr_y", "VMAF_integer_feature_motion_sad_score",
             "VMAF_integer_feature_motion2_score", "VMAF_integer_feature_motion3_score"},
};

CASE(given_any_format_then_scores_are_those_of_the_cpu)
{
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                   VMAF_PIX_FMT_YUV444P, VMAF_PIX_FMT_YUV400P};
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 16; i++) {
        ScoringRun run = plain;
        run.pixel_format = formats[i % 4];
        run.depth = depths[i / 4];
        if (run.pixel_format != VMAF_PIX_FMT_YUV400P) {
            run.keys[4] = "psnr_cb";
            run.keys[5] = "psnr_cr";
        }
        compare(run);
    }
}

CASE(given_depths_that_only_motion_takes_then_they_are_computed)
{
    static const unsigned depths[] = {9, 11, 13, 14, 15};
    for (unsigned i = 0; i < 5; i++) {
        ScoringRun run = plain;
        run.depth = depths[i];
        run.features[0] = run.features[1];
        run.features[1].name = NULL;
        for (unsigned k = 0; k < 4; k++)
            run.keys[k] = run.keys[k + 1];
        compare(run);
    }
}

CASE(given_small_sizes_then_scores_are_those_of_the_cpu)
{
    static const unsigned sizes[][2] = {{3, 3}, {3, 17},  {18, 3}, {4, 5},
                                        {5, 4}, {33, 21}, {128, 7}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ScoringRun run = plain;
        run.width = sizes[i][0];
        run.height = sizes[i][1];
        compare(run);
    }
}

CASE(given_the_smallest_pictures_then_psnr_is_computed)
{
    static const unsigned sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 1}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ScoringRun run = plain;
        run.width = sizes[i][0];
        run.height = sizes[i][1];
        run.features[1] = (ScoringFeature){"motion", "motion_force_zero", "true"};
        run.keys[1] = "psnr_cb";
        run.keys[2] = NULL;
        compare(run);
    }
}

CASE(given_options_then_scores_are_those_of_the_cpu)
{
    static const struct {
        ScoringFeature features[2];
        const char *keys[2];
    } cases[] = {
        {{{"psnr", "enable_chroma", "false"}}, {"psnr_y"}},
        {{{"psnr", "enable_mse", "true"}}, {"mse_y", "mse_cr"}},
        {{{"psnr", "min_sse", "0.5"}}, {"psnr_y", "psnr_cb"}},
        {{{"motion", "motion_five_frame_window", "true"}},
         {"integer_motion2_mffw", "integer_motion3_mffw"}},
        {{{"motion", "motion_five_frame_window", "true"}, {"motion", NULL, NULL}},
         {"integer_motion3_mffw", "VMAF_integer_feature_motion3_score"}},
        {{{"motion", "motion_force_zero", "true"}, {"motion", NULL, NULL}},
         {"integer_motion2_force_0", "VMAF_integer_feature_motion2_score"}},
        {{{"motion", "motion_fps_weight", "1.5"}}, {"integer_motion2_mfw_1.5"}},
        {{{"motion", "motion_moving_average", "true"}}, {"integer_motion3_mma"}},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ScoringRun run = plain;
        for (unsigned k = 0; k < 2; k++) {
            run.features[k] = cases[i].features[k];
            run.keys[k] = cases[i].keys[k];
        }
        run.keys[2] = NULL;
        compare(run);
    }
}

CASE(given_subsampling_and_any_depth_of_queue_then_scores_are_those_of_the_cpu)
{
    for (unsigned i = 0; i < 12; i++) {
        ScoringRun run = plain;
        run.n_frames = 40;
        run.n_subsample = i % 4 + 1;
        run.n_threads = i % 3;
        run.frames_in_flight = 1u << i / 3;
        compare(run);
    }
}

CASE(given_pictures_that_are_too_small_then_the_cpu_refuses_them)
{
    ScoringRun run = plain;
    run.width = run.height = 2;
    compare(run);
    assert_true(cpu.error);
}

/* Luma of frame f is constant: 40 + f, distorted 3 more; Cb differs by 5, Cr not at all. */
static int score_own_feature(VmafContext *vmaf, const char *plane, double *score)
{
    VmafFeatureDictionary *options = NULL;
    int err = plane ? vmaf_feature_dictionary_set(&options, "plane", plane) : 0;
    if (!err)
        err = vmaf_use_feature(vmaf, "example_mean_abs_difference", options);
    for (unsigned f = 0; !err && f < 3; f++) {
        VmafPicture pics[2];
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(vmaf_picture_alloc(&pics[i], VMAF_PIX_FMT_YUV420P, 8, 16, 16), 0);
            for (unsigned p = 0; p < 3; p++) {
                const unsigned change = p == 0 ? 3 : p == 1 ? 5 : 0;
                for (unsigned y = 0; y < pics[i].h[p]; y++)
                    for (unsigned x = 0; x < pics[i].w[p]; x++)
                        ((uint8_t *)pics[i].data[p])[y * pics[i].stride[p] + x] =
                            (uint8_t)(40 + f + i * change);
            }
        }
        err = vmaf_read_pictures(vmaf, &pics[0], &pics[1], f);
        if (err) {
            vmaf_picture_unref(&pics[0]);
            vmaf_picture_unref(&pics[1]);
        }
    }
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    const char *key = plane ? "example_mean_abs_difference_plane_1" : "example_mean_abs_difference";
    if (!err && vmaf_feature_score_at_index(vmaf, key, score, 2))
        err = vmaf_feature_score_at_index(vmaf, "example_mean_abs_difference", score, 2);
    return err;
}

CASE(given_a_feature_of_its_own_then_its_scores_are_reported)
{
    const VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_NONE, .n_subsample = 1};
    static const char *const planes[] = {NULL, "1"};
    static const double expected[] = {3, 5};
    for (unsigned i = 0; i < 2; i++) {
        VmafContext *vmaf;
        double score = -1;
        assert_int_equal(vmaf_init(&vmaf, configuration), 0);
        assert_int_equal(vmaf_backend_select(vmaf, "example", -1), 0);
        assert_int_equal(score_own_feature(vmaf, planes[i], &score), 0);
        assert_true(score == expected[i]);
        assert_int_equal(vmaf_close(vmaf), 0);
    }
}

CASE(given_no_backend_then_a_feature_of_its_own_is_refused)
{
    const VmafConfiguration configuration = {.log_level = VMAF_LOG_LEVEL_NONE, .n_subsample = 1};
    VmafContext *vmaf;
    assert_int_equal(vmaf_init(&vmaf, configuration), 0);
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), 0);
    assert_true(vmaf_use_feature(vmaf, "example_mean_abs_difference", NULL) < 0);
    assert_int_equal(vmaf_close(vmaf), 0);
}

int main(int argc, char **argv)
{
    scoring_prepare();
    return run_cases(argc, argv);
}
