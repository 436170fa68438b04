/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One device that two backends see: "twinone" and "twintwo"; "twoother" has another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

static Outcome outcome;

CASE(given_a_device_that_is_lost_then_no_other_backend_uses_it)
{
    FakeSettings *one = fake_reset("twinone"), *two = fake_reset("twintwo");
    FakeSettings *other = fake_reset("twoother");
    one->fault = FAULT_COLLECT_LOST;
    one->fault_frame = 3;
    const Clip clip = {.n_frames = 300, .n_threads = 1, .wait_at = 1, .feed_us = 500};
    clip_run_true(&clip, &outcome);
    assert_int_equal(outcome.n_events, 1);
    assert_int_equal(atomic_load(&two->n_sessions), 0);
    assert_int_equal(atomic_load(&other->n_sessions), 1);
}

CASE(given_no_memory_for_a_session_then_no_other_backend_tries_that_device)
{
    FakeSettings *one = fake_reset("twinone"), *two = fake_reset("twintwo");
    FakeSettings *other = fake_reset("twoother");
    one->session_result = -2; /* VMAF_BACKEND_OUT_OF_MEMORY */
    const Clip clip = {.n_frames = 60, .n_threads = 1, .wait_at = 1};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(atomic_load(&two->n_sessions), 0);
    assert_int_equal(atomic_load(&other->n_sessions), 1);
}

/* It is the driver of the one that is at fault, not the device. */
CASE(given_a_backend_that_does_not_start_then_the_other_one_uses_the_device)
{
    FakeSettings *one = fake_reset("twinone"), *two = fake_reset("twintwo");
    one->plan_result = -4;
    const Clip clip = {.n_frames = 60, .n_threads = 1, .wait_at = 1};
    clip_run(&clip, &outcome);
    assert_int_equal(outcome.error, 0);
    assert_int_equal(atomic_load(&two->n_sessions), 1);
}

CASE(given_two_backends_then_capabilities_say_that_the_device_is_the_same)
{
    char *document;
    assert_int_equal(vmaf_capabilities_json(&document, 0), 0);
    assert_non_null(strstr(document, "\"same_device_as\": \"twinone:0\""));
    assert_null(strstr(document, "\"same_device_as\": \"twintwo:0\""));
    assert_null(strstr(document, "\"same_device_as\": \"twoother:0\""));
    free(document);

    VmafComputeDevice device = {.struct_size = sizeof(device)};
    assert_int_equal(vmaf_backend_device_info("twintwo", 0, &device), 0);
    assert_string_equal(device.same_as, "twinone");
    assert_int_equal(device.same_as_index, 0);
    assert_string_equal(device.pci, "00000000:01:00.0");
    assert_int_equal(vmaf_backend_device_info("twinone", 0, &device), 0);
    assert_null(device.same_as);
    assert_int_equal(vmaf_backend_device_info("twoother", 0, &device), 0);
    assert_null(device.same_as);
}
