/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Records of kind BYTES, whose size depends on pictures and options: plugins/rows.c. */
#include <stdlib.h>
#include <string.h>

#include "backend/scoring.h"
#include "support/cases.h"

static ScoringResult cpu, backend;

static const ScoringRun plain = {
    .width = 61,
    .height = 35,
    .depth = 8,
    .pixel_format = VMAF_PIX_FMT_YUV420P,
    .n_frames = 7,
    .features = {{.name = "float_motion"}},
    .keys = {"VMAF_feature_motion_score", "VMAF_feature_motion2_score",
             "VMAF_feature_motion3_score"},
};

static void compare(ScoringRun run, enum VmafPlacement placement)
{
    run.backend = "cpu";
    scoring_run(&run, &cpu);
    run.backend = "rows";
    scoring_run(&run, &backend);
    if (backend.error || backend.placement[0] != placement)
        print_error("%ux%u, %u bits: %s returns %d, placement %d: %s\n", run.width, run.height,
                    run.depth, backend.failing, backend.error, (int)backend.placement[0],
                    backend.reason);
    assert_int_equal(cpu.error, 0);
    assert_int_equal(backend.error, 0);
    assert_true(scoring_equal(&run, &cpu, &backend));
    assert_int_equal(backend.placement[0], placement);
    assert_int_equal(backend.n_events, 0);
}

static void given_any_format_then_scores_are_those_of_the_cpu(void **state)
{
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                   VMAF_PIX_FMT_YUV444P, VMAF_PIX_FMT_YUV400P};
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 16; i++) {
        ScoringRun run = plain;
        run.pixel_format = formats[i % 4];
        run.depth = depths[i / 4];
        run.frames_in_flight = i % 5;
        run.n_threads = i % 3;
        compare(run, VMAF_PLACEMENT_BACKEND);
    }
}

/* Larger than the pictures of the self-test, and smaller. */
static void given_any_size_then_the_record_has_as_many_rows(void **state)
{
    static const unsigned sizes[][2] = {{5, 5}, {17, 400}, {300, 6}, {33, 113}};
    for (unsigned i = 0; i < 4; i++) {
        ScoringRun run = plain;
        run.width = sizes[i][0];
        run.height = sizes[i][1];
        compare(run, VMAF_PLACEMENT_BACKEND);
    }
}

static void given_options_then_the_record_is_that_of_the_options(void **state)
{
    static const struct {
        ScoringFeature feature;
        const char *key;
        enum VmafPlacement placement;
    } cases[] = {
        {{"float_motion", "motion_filter_size", "1"}, "motion2_mfs_1", VMAF_PLACEMENT_BACKEND},
        {{"float_motion", "motion_filter_size", "3"}, "motion2_mfs_3", VMAF_PLACEMENT_BACKEND},
        {{"float_motion", "motion_add_uv", "true"}, "motion2_mau", VMAF_PLACEMENT_BACKEND},
        {{"float_motion", "motion_fps_weight", "2"}, "motion2_mfw_2", VMAF_PLACEMENT_BACKEND},
        {{"float_motion", "motion_add_scale1", "true"}, "motion2_mdc", VMAF_PLACEMENT_OPTION},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ScoringRun run = plain;
        run.features[0] = cases[i].feature;
        run.keys[0] = cases[i].key;
        run.keys[1] = NULL;
        compare(run, cases[i].placement);
    }
    /* Two of them at once, with records of different sizes. */
    ScoringRun run = plain;
    run.features[1] = cases[2].feature;
    run.keys[1] = cases[2].key;
    run.keys[2] = NULL;
    compare(run, VMAF_PLACEMENT_BACKEND);
    assert_int_equal(backend.placement[1], VMAF_PLACEMENT_BACKEND);
}

static void given_no_rows_then_the_cpu_has_nothing_to_compute_either(void **state)
{
    ScoringRun run = plain;
    run.features[0] = (ScoringFeature){"float_motion", "motion_force_zero", "true"};
    run.keys[0] = "motion2_force_0";
    run.keys[1] = NULL;
    compare(run, VMAF_PLACEMENT_OPTION); /* which it does not list */
}

static void given_a_wrong_backend_then_the_feature_stays_on_the_cpu(void **state)
{
    static const struct {
        const char *way;
        enum VmafPlacement placement;
    } cases[] = {
        {"size", VMAF_PLACEMENT_DECLINED},
        {"last", VMAF_PLACEMENT_SELF_TEST},
        {"kind", VMAF_PLACEMENT_NOT_COMPUTED}, /* the host has no such record */
    };
    const char *way = getenv("VMAF_TEST_ROWS");
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (way && !strcmp(way, cases[i].way)) {
            compare(plain, cases[i].placement);
            return;
        }
    }
    if (!way)
        return;
    /* Rows that are no numbers, or one too many. */
    ScoringRun run = plain;
    run.backend = "rows";
    scoring_run(&run, &backend);
    assert_int_not_equal(backend.error, 0);
    assert_non_null(strstr(backend.reason, !strcmp(way, "small") ? "out of bounds" : "beyond"));
}

/* Pictures that a limit just lets through, and some that it does not. */
static const struct Limit {
    const char *way;
    unsigned width, height, beyond_width, beyond_height;
} limits[] = {
    {"narrow", 70, 35, 71, 35},
    {"low", 61, 40, 61, 41},
    {"wide", 240, 35, 239, 35},
    {"high", 61, 120, 61, 119},
};
enum { N_LIMITS = sizeof(limits) / sizeof(limits[0]) };

static const struct Limit *limit_of_way(void)
{
    const char *way = getenv("VMAF_TEST_ROWS");
    for (unsigned i = 0; way && i < N_LIMITS; i++) {
        if (!strcmp(way, limits[i].way))
            return &limits[i];
    }
    return NULL;
}

static void given_limits_then_the_self_test_keeps_to_them(void **state)
{
    const struct Limit *limit = limit_of_way();
    ScoringRun run = plain;
    run.width = limit->width;
    run.height = limit->height;
    compare(run, VMAF_PLACEMENT_BACKEND);
    run.width = limit->beyond_width;
    run.height = limit->beyond_height;
    compare(run, VMAF_PLACEMENT_FORMAT);
}

int main(int argc, char **argv)
{
    scoring_prepare();
    const struct CMUnitTest right[] = {
        cmocka_unit_test(given_any_format_then_scores_are_those_of_the_cpu),
        cmocka_unit_test(given_any_size_then_the_record_has_as_many_rows),
        cmocka_unit_test(given_options_then_the_record_is_that_of_the_options),
        cmocka_unit_test(given_no_rows_then_the_cpu_has_nothing_to_compute_either),
    };
    const struct CMUnitTest wrong[] = {
        cmocka_unit_test(given_a_wrong_backend_then_the_feature_stays_on_the_cpu),
    };
    const struct CMUnitTest limited[] = {
        cmocka_unit_test(given_limits_then_the_self_test_keeps_to_them),
    };
    if (limit_of_way())
        return run_cases_of(argc, argv, limited);
    return getenv("VMAF_TEST_ROWS") ? run_cases_of(argc, argv, wrong)
                                    : run_cases_of(argc, argv, right);
}
