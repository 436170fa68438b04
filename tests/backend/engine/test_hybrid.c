/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Backends and the CPU at the same clip: the same scores whoever computes them. */
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

static Outcome outcome;
static const char *const only_one[] = {"fakeone", NULL}; /* under "auto" */

CASE(given_auto_when_a_backend_joins_then_both_score_and_the_report_is_that_of_the_cpu)
{
    static Outcome cpu;
    FakeSettings *fake = fake_reset("fakeone");
    fake->delay_us = 300;
    const Clip clip = {
        .considered = only_one, .n_frames = 500, .n_threads = 2, .wait_at = 32, .join_after = 8};
    cpu = *clip_truth(&clip);
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_true(clip_equal(&clip, &outcome, &cpu));
    unsigned by_backend = atomic_load(&fake->n_frames);
    assert_in_range(by_backend, 1, 500 - 8);
    assert_int_equal(outcome.status.frames, 500);
    assert_int_equal(outcome.status.frames_by_backend, by_backend);
    assert_int_equal(outcome.n_events, 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_ACTIVE);
    assert_string_equal(outcome.device, "Fake device");
    assert_non_null(strstr(outcome.report, "{\"extractor\": \"psnr_fakeone\", \"backend\": "
                                           "\"fakeone\"}"));
    assert_non_null(strstr(outcome.report, "{\"extractor\": \"vif\", \"backend\": \"cpu\"}"));
    assert_null(strstr(outcome.report, "backend_events"));
    report_strip(outcome.report);
    report_strip(cpu.report);
    assert_string_equal(outcome.report, cpu.report);
    fake_expect_closed(fake);
}

CASE(given_any_number_of_threads_then_scores_are_equal)
{
    static const unsigned threads[] = {0, 1, 2, 7};
    static const char *const choices[] = {NULL, "auto", "fakeone"};
    for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
        for (size_t c = 0; c < sizeof(choices) / sizeof(choices[0]); c++) {
            FakeSettings *fake = fake_reset("fakeone");
            const Clip clip = {.considered = only_one,
                               .backend = choices[c],
                               .n_frames = 60,
                               .n_threads = threads[t],
                               .wait_at = 8};
            clip_run_true(&clip, &outcome);
            unsigned n = atomic_load(&fake->n_frames);
            assert_int_equal(outcome.status.frames, 60);
            assert_int_equal(outcome.status.frames_by_backend, n);
            if (choices[c] && !strcmp(choices[c], "fakeone"))
                assert_int_equal(n, 60);
            else /* with many threads the CPU may be faster each time */
                assert_in_range(n, threads[t] == 0, 60);
        }
    }
}

CASE(given_subsampling_and_indices_out_of_order_then_scores_are_equal)
{
    for (unsigned variant = 0; variant < 16; variant += COMBINATION_STEP) {
        FakeSettings *fake = fake_reset("fakeone");
        fake->slots = 1 + variant % 3;
        const Clip clip = {
            .considered = only_one,
            .backend = variant & 1 ? "fakeone" : "auto",
            .n_frames = 90,
            .n_threads = variant & 2 ? 3 : 0,
            .n_subsample = variant & 4 ? 4 : 0,
            .backwards = (variant & 8) != 0,
            .five_frames = true,
            .wait_at = 4,
        };
        clip_run_true(&clip, &outcome);
    }
}

CASE(given_live_questions_then_they_are_answered_though_a_backend_batches)
{
    static const unsigned threads[] = {0, 2};
    for (size_t t = 0; t < 2; t++) {
        for (int strict = 0; strict < 2; strict++) {
            FakeSettings *fake = fake_reset("fakeone");
            fake->batches = true;
            const Clip clip = {.considered = only_one,
                               .backend = strict ? "fakeone" : "auto",
                               .n_frames = 40,
                               .n_threads = threads[t],
                               .live = true,
                               .wait_at = 4};
            clip_run_true(&clip, &outcome);
            if (strict)
                assert_true(atomic_load(&fake->n_flushes) > 0);
        }
    }
}

CASE(given_a_pool_of_4_and_8_slots_then_nothing_waits_for_ever)
{
    static const unsigned threads[] = {0, 1, 2};
    for (size_t t = 0; t < 3; t++) {
        for (int batches = 0; batches < 2; batches++) {
            for (int strict = 0; strict < 2; strict++) {
                FakeSettings *fake = fake_reset("fakeone");
                fake->slots = 8;
                fake->batches = batches;
                const Clip clip = {.considered = only_one,
                                   .backend = strict ? "fakeone" : "auto",
                                   .n_frames = 64,
                                   .n_threads = threads[t],
                                   .n_pictures = 4,
                                   .in_flight = 8,
                                   .wait_at = 2};
                clip_run_true(&clip, &outcome);
            }
        }
    }
}

CASE(given_a_run_of_20_frames_then_no_plugin_is_loaded)
{
    FakeSettings *fake = fake_reset("fakeone");
    const Clip clip = {.considered = only_one, .n_frames = 20, .join_after = 32, .n_threads = 2};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_WAITING);
    assert_int_equal(atomic_load(&fake->n_probes), 0);
    assert_null(strstr(outcome.report, "backend_used"));
}

/* Which take a few milliseconds. */
CASE(given_the_default_and_60_small_frames_then_no_plugin_is_loaded)
{
    FakeSettings *fake = fake_reset("fakeone");
    const Clip clip = {.considered = only_one, .n_frames = 60, .by_time = true, .no_vif = true};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_WAITING);
    assert_int_equal(atomic_load(&fake->n_probes), 0);
    assert_null(strstr(outcome.report, "backend_used"));
}

CASE(given_several_frames_in_flight_then_the_slots_are_used)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->slots = 6;
    fake->batches = true;
    const Clip clip = {.considered = only_one,
                       .backend = "fakeone",
                       .n_frames = 60,
                       .n_threads = 2,
                       .in_flight = 6,
                       .no_vif = true};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(atomic_load(&fake->most_in_flight), 6);
}

CASE(given_gpumask_then_auto_is_the_cpu)
{
    FakeSettings *fake = fake_reset("fakeone");
    const Clip clip = {.considered = only_one,
                       .backend = "auto",
                       .n_frames = 40,
                       .n_threads = 2,
                       .wait_at = 4,
                       .gpumask = 1};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(atomic_load(&fake->n_opened), 0);
    assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_CPU);
    assert_int_equal(outcome.status.frames, 40);
    assert_int_equal(outcome.status.frames_by_backend, 0);
}
