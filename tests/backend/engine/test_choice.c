/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Choosing a backend, features that are pinned to one, and what runs where. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

static Outcome outcome;

static VmafContext *open_context(unsigned gpumask)
{
    VmafContext *vmaf;
    VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE, .gpumask = gpumask};
    assert_int_equal(vmaf_init(&vmaf, cfg), 0);
    return vmaf;
}

static VmafBackendStatus status_of(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    assert_int_equal(vmaf_backend_status(vmaf, &status), 0);
    return status;
}

static VmafFeaturePlacement placement_of(VmafContext *vmaf, unsigned index)
{
    VmafFeaturePlacement placement = {.struct_size = sizeof(placement)};
    assert_int_equal(vmaf_feature_placement(vmaf, index, &placement), 0);
    return placement;
}

static int read_frames(VmafContext *vmaf, unsigned n)
{
    const Clip clip = {.n_frames = n};
    int err = 0;
    for (unsigned i = 0; i < n && !err; i++)
        err = clip_read(vmaf, &clip, i);
    return err ? err : vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

CASE(given_names_then_only_what_is_there_can_be_chosen)
{
    fake_reset("fakeone");
    VmafContext *vmaf = open_context(0);
    assert_int_equal(status_of(vmaf).phase, VMAF_BACKEND_PHASE_WAITING);
    assert_int_equal(vmaf_backend_select(vmaf, "nosuch", -1), -ENODEV);
    assert_int_equal(status_of(vmaf).phase, VMAF_BACKEND_PHASE_FAILED);
    assert_int_equal(status_of(vmaf).availability, VMAF_AVAILABILITY_PLUGIN_NOT_FOUND);
    assert_string_equal(status_of(vmaf).name, "nosuch");
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 1), -ENODEV); /* not silently on the CPU */
    vmaf_close(vmaf);

    vmaf = open_context(0);
    assert_int_equal(vmaf_backend_select(vmaf, "No Such", -1), -EINVAL);
    assert_int_equal(vmaf_backend_select(vmaf, "auto", 1), -EINVAL);
    assert_int_equal(vmaf_backend_select(vmaf, "fakeone", 7), -EINVAL);
    assert_int_equal(status_of(vmaf).availability, VMAF_AVAILABILITY_NO_DEVICE);
    assert_int_equal(vmaf_backend_select(vmaf, "fakeone", 0), 0); /* another try is allowed */
    assert_int_equal(status_of(vmaf).device_index, 0);
    assert_string_equal(status_of(vmaf).device, "Fake device");
    assert_int_equal(vmaf_backend_select(vmaf, "fakeone", -1), 0);
    assert_int_equal(vmaf_backend_select(vmaf, "faketwo", -1), -EBUSY);
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), -EBUSY);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 1), 0);
    assert_int_equal(vmaf_backend_select(vmaf, "fakeone", -1), -EBUSY);
    assert_int_equal(vmaf_backend_exclude(vmaf, "fakeone"), -EBUSY);
    assert_int_equal(vmaf_backend_consider(vmaf, "fakeone", -1), -EBUSY);
    vmaf_close(vmaf);
}

CASE(given_a_strict_choice_then_declined_features_are_the_cpus)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->decline_motion = true;
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_backend_select(vmaf, "fakeone", -1), 0);
    VmafFeatureDictionary *dict = NULL;
    vmaf_feature_dictionary_set(&dict, "motion_force_zero", "true");
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", dict), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    assert_int_equal(placement_of(vmaf, 0).placement, VMAF_PLACEMENT_UNDECIDED);
    assert_int_equal(read_frames(vmaf, 5), 0);
    assert_int_equal(placement_of(vmaf, 0).placement, VMAF_PLACEMENT_BACKEND);
    assert_string_equal(placement_of(vmaf, 0).backend, "fakeone");
    assert_int_equal(placement_of(vmaf, 1).placement, VMAF_PLACEMENT_DECLINED);
    assert_string_equal(placement_of(vmaf, 1).reason, "motion is too fast");
    assert_string_equal(placement_of(vmaf, 1).backend, "cpu");
    assert_int_equal(placement_of(vmaf, 2).placement, VMAF_PLACEMENT_OPTION);
    assert_string_equal(placement_of(vmaf, 2).option, "motion_force_zero");
    assert_int_equal(placement_of(vmaf, 3).placement, VMAF_PLACEMENT_NOT_COMPUTED);
    VmafFeaturePlacement none = {.struct_size = sizeof(none)};
    assert_int_equal(vmaf_feature_placement(vmaf, 4, &none), -ERANGE);
    vmaf_close(vmaf);
}

CASE(given_a_wrong_record_in_the_self_test_then_the_cpu_computes_that_feature)
{
    static const char *const one[] = {"fakeone", NULL};
    for (int which = 0; which < 2; which++) {
        for (int strict = 0; strict < 2; strict++) {
            FakeSettings *fake = fake_reset("fakeone");
            fake->wrong_psnr = which == 0;
            fake->wrong_motion_after_jump = which == 1;
            const Clip clip = {.backend = strict ? "fakeone" : "auto",
                               .considered = strict ? NULL : one,
                               .n_frames = 40,
                               .n_threads = 2,
                               .wait_at = 2};
            clip_run_true(&clip, &outcome);
            assert_int_equal(outcome.status.phase, VMAF_BACKEND_PHASE_ACTIVE);
            const char *cpu = which == 0 ? "{\"extractor\": \"psnr\", \"backend\": \"cpu\"}"
                                         : "{\"extractor\": \"motion\", \"backend\": \"cpu\"}";
            assert_non_null(strstr(outcome.report, cpu));
        }
    }
}

CASE(given_a_feature_within_a_bound_then_only_a_strict_choice_takes_it)
{
    /* What a plugin says of its features is read once: this one is told from the start. */
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_backend_select(vmaf, "fakebound", -1), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 3), 0);
    assert_int_equal(placement_of(vmaf, 0).placement, VMAF_PLACEMENT_BACKEND);
    vmaf_close(vmaf);

    static const char *const bound[] = {"fakebound", NULL};
    const Clip clip = {.considered = bound, .n_frames = 1, .no_vif = true};
    vmaf = clip_open(&clip);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(clip_read(vmaf, &clip, i), 0);
        clip_wait(vmaf);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(placement_of(vmaf, 0).placement, VMAF_PLACEMENT_NOT_EXACT);
    assert_int_equal(placement_of(vmaf, 1).placement, VMAF_PLACEMENT_BACKEND);
    vmaf_close(vmaf);
}

CASE(given_a_pinned_feature_then_its_backend_is_chosen_strictly)
{
    FakeSettings *fake = fake_reset("fakeone");
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_fakeone", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "nosuch_fakeone", NULL), -EINVAL);
    assert_int_equal(vmaf_use_feature(vmaf, "vif_fakeone", NULL), -EINVAL); /* it has none */
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_nosuch", NULL), -EINVAL);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_faketwo", NULL), -ENODEV);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_cuda", NULL), -ENODEV);
    assert_int_equal(vmaf_use_feature(vmaf, "integer_motion_fakeone", NULL), 0);
    assert_int_equal(vmaf_backend_select(vmaf, "faketwo", -1), -EBUSY);
    assert_int_equal(read_frames(vmaf, 6), 0);
    assert_int_equal(atomic_load(&fake->n_frames), 6);
    double score;
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 5), 0);
    vmaf_close(vmaf);

    vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_cuda", NULL), -ENODEV);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 2), 0); /* the context does without */
    vmaf_close(vmaf);

    vmaf = open_context(0);
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_fakeone", NULL), -ENODEV);
    vmaf_close(vmaf);
}

/* The choice that such a feature would have made is taken back. */
CASE(given_a_pinned_feature_that_is_refused_then_no_backend_is_chosen)
{
    fake_reset("fakeone");
    VmafFeatureDictionary *dict = NULL;
    vmaf_feature_dictionary_set(&dict, "enable_mse", "perhaps");
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "vif_fakeone", NULL), -EINVAL); /* it has none */
    assert_string_equal(status_of(vmaf).name, "cpu");
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_fakeone", dict), -EINVAL);
    assert_string_equal(status_of(vmaf).name, "cpu");
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), 0);
    vmaf_feature_dictionary_free(&dict);
    vmaf_close(vmaf);
}

CASE(given_a_pinned_feature_that_is_declined_then_the_first_read_fails)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->decline_motion = true;
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion_fakeone", NULL), 0);
    assert_int_equal(read_frames(vmaf, 1), -ENOTSUP);
    assert_int_equal(status_of(vmaf).phase, VMAF_BACKEND_PHASE_FAILED);
    vmaf_close(vmaf);

    VmafFeatureDictionary *dict = NULL;
    vmaf_feature_dictionary_set(&dict, "motion_force_zero", "true");
    vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion_fakeone", dict), 0);
    assert_int_equal(read_frames(vmaf, 1), -EINVAL);
    vmaf_close(vmaf);
    fake->decline_motion = false;
    fake->wrong_motion_after_jump = true;
    vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion_fakeone", NULL), 0);
    assert_int_equal(read_frames(vmaf, 1), -EIO);
    vmaf_close(vmaf);
    assert_int_equal(atomic_load(&fake->n_open_sessions), 0);
}

CASE(given_gpumask_then_only_pinned_features_go_to_a_strict_backend)
{
    FakeSettings *fake = fake_reset("fakeone");
    VmafContext *vmaf = open_context(1);
    assert_int_equal(status_of(vmaf).phase, VMAF_BACKEND_PHASE_CPU);
    assert_int_equal(vmaf_backend_select(vmaf, "fakeone", -1), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "motion", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_fakeone", NULL), 0);
    assert_int_equal(read_frames(vmaf, 4), 0);
    assert_int_equal(placement_of(vmaf, 0).placement, VMAF_PLACEMENT_MASKED);
    assert_int_equal(placement_of(vmaf, 1).placement, VMAF_PLACEMENT_BACKEND);
    assert_int_equal(atomic_load(&fake->n_contexts), 0);
    vmaf_close(vmaf);
}

CASE(given_a_feature_of_a_backends_own_then_it_is_scored_under_its_own_key)
{
    fake_reset("fakeone");
    VmafFeatureDictionary *dict = NULL;
    vmaf_feature_dictionary_set(&dict, "offset", "3");
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_nosuch", NULL), -EINVAL);
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_level", NULL), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_level", dict), 0);
    dict = NULL;
    vmaf_feature_dictionary_set(&dict, "offset", "3000");
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_level", dict), -EINVAL);
    vmaf_feature_dictionary_free(&dict);
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_psnr", NULL), -EINVAL);
    assert_int_equal(read_frames(vmaf, 3), 0);
    double plain, with_option;
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "fakeone_level", &plain, 2), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "fakeone_level_offset_3", &with_option, 2),
                     0);
    assert_true(plain > 0 && with_option == plain + 3);
    vmaf_close(vmaf);
}

CASE(given_a_score_of_its_own_that_is_no_number_then_the_run_fails)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake->fault = FAULT_OUT_OF_BOUNDS;
    fake->fault_frame = 1;
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_level", NULL), 0);
    assert_int_equal(read_frames(vmaf, 3), -EIO);
    const VmafBackendStatus status = status_of(vmaf);
    assert_int_equal(status.phase, VMAF_BACKEND_PHASE_FAILED);
    assert_non_null(strstr(status.reason, "not finite"));
    vmaf_close(vmaf);
}

CASE(given_vmaf_backend_in_the_environment_then_it_is_a_strict_choice)
{
    FakeSettings *fake = fake_reset("fakeone");
    setenv("VMAF_BACKEND", "fakeone", 1);
    VmafContext *vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 4), 0);
    assert_int_equal(atomic_load(&fake->n_frames), 4);
    vmaf_close(vmaf);

    vmaf = open_context(0); /* what the program says goes before it */
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 4), 0);
    assert_int_equal(atomic_load(&fake->n_frames), 4);
    vmaf_close(vmaf);

    setenv("VMAF_BACKEND", "nosuch", 1);
    vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_frames(vmaf, 1), -ENODEV);
    vmaf_close(vmaf);
    vmaf = open_context(0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr_fakeone", NULL), -ENODEV);
    vmaf_close(vmaf);
    unsetenv("VMAF_BACKEND");
}

CASE(given_auto_then_excluded_and_software_devices_are_left_alone)
{
    FakeSettings *one = fake_reset("fakeone"), *two = fake_reset("faketwo");
    VmafContext *vmaf = open_context(0);
    const VmafBackendTuning tuning = {.struct_size = sizeof(tuning), .join_after = 1};
    assert_int_equal(vmaf_backend_tune(vmaf, &tuning), 0);
    assert_int_equal(vmaf_backend_exclude(vmaf, "fakeone"), 0);
    assert_int_equal(vmaf_backend_exclude(vmaf, "fakebound"), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    const Clip clip = {.n_frames = 3};
    assert_int_equal(clip_read(vmaf, &clip, 0), 0);
    assert_int_equal(clip_wait(vmaf), VMAF_BACKEND_PHASE_ACTIVE);
    assert_string_equal(status_of(vmaf).name, "faketwo");
    assert_int_equal(clip_read(vmaf, &clip, 1), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    vmaf_close(vmaf);
    assert_int_equal(atomic_load(&one->n_opened), 0);
    assert_int_equal(atomic_load(&two->n_opened), 1);
}
