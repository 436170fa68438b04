/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Software devices, which "auto" passes over: asked for once in a process, and not opened. */

#include "backend/engine/harness.h"
#include "libvmaf/backend.h"
#include "support/cases.h"

static enum VmafBackendPhase score(const Clip *clip)
{
    VmafContext *vmaf = clip_open(clip);
    assert_int_equal(vmaf_backend_exclude(vmaf, "fakeone"), 0);
    assert_int_equal(vmaf_backend_exclude(vmaf, "faketwo"), 0);
    assert_int_equal(clip_read(vmaf, clip, 0), 0);
    const enum VmafBackendPhase phase = clip_wait(vmaf);
    assert_int_equal(clip_read(vmaf, clip, 1), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_close(vmaf), 0);
    return phase;
}

CASE(given_only_a_software_device_then_it_is_remembered_and_not_opened)
{
    FakeSettings *fake = fake_reset("fakebound");
    fake->device_kind = VMAF_BACKEND_DEVICE_SOFTWARE;
    const Clip clip = {.backend = "auto", .n_frames = 2, .n_threads = 1};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(score(&clip), VMAF_BACKEND_PHASE_CPU);
        assert_int_equal(atomic_load(&fake->n_probes), 1);
        assert_int_equal(atomic_load(&fake->n_opened), 0);
    }
    static const char *const wanted[] = {"fakebound", NULL};
    const Clip asked = {.backend = "auto", .considered = wanted, .n_frames = 2, .n_threads = 1};
    assert_int_equal(score(&asked), VMAF_BACKEND_PHASE_ACTIVE);
    assert_int_equal(atomic_load(&fake->n_opened), 1);
}
