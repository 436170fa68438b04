/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Contexts that end, or are inherited by a forked process, while backends are at work. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

/* The thread sanitizer does not let a forked process start threads. */
#ifdef __SANITIZE_THREAD__
enum { THREADS_AFTER_FORK = 0 };
#else
enum { THREADS_AFTER_FORK = 1 };
#endif

static Outcome outcome;

static void wait_until_closed(const FakeSettings *fake)
{
    while (atomic_load(&fake->n_devices_open))
        usleep(1000);
    assert_int_equal(atomic_load(&fake->n_open_sessions), 0);
}

CASE(given_a_driver_that_hangs_while_it_is_brought_up_then_closing_does_not)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake_reset("faketwo")->device_kind = 4;
    fake->hang_open = true;
    const Clip clip = {.n_frames = 20,
                       .n_threads = 2,
                       .n_pictures = 8,
                       .time_limit = 24 * 3600 * 1000, /* which is not waited for */
                       .never_starts = true};
    clip_run_true(&clip, &outcome);
    fake_release(fake);
    wait_until_closed(fake); /* after all */
}

CASE(given_contexts_closed_at_any_moment_of_bringing_up_then_nothing_is_left)
{
    FakeSettings *fake = fake_reset("fakeone");
    fake_reset("faketwo")->device_kind = 4;
    for (unsigned i = 0; i < 60; i++) {
        const Clip clip = {.backend = i % 2 ? "auto" : NULL, .n_threads = i % 3, .n_pictures = 12};
        VmafContext *vmaf = clip_open(&clip);
        for (unsigned f = 0; f < 1 + i % 4; f++)
            assert_int_equal(clip_read(vmaf, &clip, f), 0);
        usleep(i * 50);
        assert_int_equal(vmaf_close(vmaf), 0); /* without a flush */
    }
    wait_until_closed(fake);
}

static int exit_of_child(int (*body)(VmafContext *vmaf), VmafContext *vmaf)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(1800);
        _exit(body(vmaf));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static int inherited(VmafContext *vmaf)
{
    const Clip clip = {.n_frames = 8};
    double score;
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    if (clip_read(vmaf, &clip, 100) != -ENODEV)
        return 1;
    if (vmaf_read_pictures(vmaf, NULL, NULL, 0) != -ENODEV)
        return 2;
    if (vmaf_feature_score_at_index(vmaf, "psnr_y", &score, 0) != -ENODEV)
        return 3;
    if (vmaf_backend_status(vmaf, &status) || status.phase != VMAF_BACKEND_PHASE_FAILED)
        return 4;
    return vmaf_close(vmaf) ? 5 : 0;
}

/* In the child: a context of the CPU works, a backend that the parent uses does not. */
static int on_the_cpu(VmafContext *vmaf)
{
    const Clip clip = {.backend = "cpu", .n_frames = 8};
    clip_run(&clip, &outcome);
    return outcome.error ? 1 : 0;
}

static int scores_alone(VmafContext *vmaf)
{
    const Clip clip = {.n_frames = 40};
    const unsigned n_frames = THREADS_AFTER_FORK ? 40 : 20; /* from 32 on there is one */
    for (unsigned i = 10; i < n_frames; i++) {
        if (clip_read(vmaf, &clip, i))
            return 1;
    }
    if (vmaf_read_pictures(vmaf, NULL, NULL, 0))
        return 2;
    return vmaf_close(vmaf) ? 3 : 0;
}

CASE(given_a_fork_before_a_backend_is_used_then_the_child_goes_on)
{
    fake_reset("fakeone");
    const Clip clip = {.n_frames = 40, .join_after = 32};
    VmafContext *vmaf = clip_open(&clip);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(clip_read(vmaf, &clip, i), 0);
    assert_int_equal(exit_of_child(scores_alone, vmaf), 0);
    assert_int_equal(scores_alone(vmaf), 0);
}

CASE(given_a_fork_while_a_backend_is_used_then_the_child_gets_errors)
{
    for (int strict = 0; strict < 2; strict++) {
        for (unsigned n_threads = 0; n_threads < 3; n_threads += 2) {
            fake_reset("fakeone");
            const Clip clip = {
                .backend = strict ? "fakeone" : "auto", .n_frames = 20, .n_threads = n_threads};
            VmafContext *vmaf = clip_open(&clip);
            assert_int_equal(clip_read(vmaf, &clip, 0), 0);
            assert_int_equal(clip_wait(vmaf), VMAF_BACKEND_PHASE_ACTIVE);
            for (unsigned i = 1; i < 20; i++)
                assert_int_equal(clip_read(vmaf, &clip, i), 0);
            assert_int_equal(exit_of_child(inherited, vmaf), 0);
            assert_int_equal(exit_of_child(on_the_cpu, vmaf), 0);
            assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
            assert_int_equal(vmaf_close(vmaf), 0);
        }
    }
}

CASE(given_a_fork_after_the_backend_was_given_up_then_the_child_goes_on)
{
    fake_reset("fakeone")->plan_result = -4;
    fake_reset("faketwo")->plan_result = -4;
    const Clip clip = {.n_frames = 40};
    VmafContext *vmaf = clip_open(&clip);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(clip_read(vmaf, &clip, i), 0);
    assert_int_equal(clip_wait(vmaf), VMAF_BACKEND_PHASE_CPU);
    assert_int_equal(exit_of_child(scores_alone, vmaf), 0);
    assert_int_equal(scores_alone(vmaf), 0);
}
