/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Parts of a run that a backend computes: their records are those of the CPU, also of the first
 * frames, whose neighbours are pairs before the part. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/engine/harness.h"
#include "support/cases.h"

enum { N_FRAMES = 8, RECORDS_MAX = 1024 };

typedef struct Kept {
    size_t n_bytes;
    unsigned n;
    unsigned char data[N_FRAMES][RECORDS_MAX];
} Kept;

static int keep(void *cookie, const VmafStoredFrame *frame)
{
    Kept *kept = cookie;
    assert_true(frame->index < N_FRAMES && frame->n_bytes <= RECORDS_MAX);
    memcpy(kept->data[frame->index], frame->data, frame->n_bytes);
    kept->n_bytes = frame->n_bytes;
    kept->n++;
    return 0;
}

static void read_context(VmafContext *vmaf, unsigned frame)
{
    VmafPicture ref = clip_picture(frame, false), dist = clip_picture(frame, true);
    assert_int_equal(vmaf_read_context(vmaf, &ref, &dist), 0);
}

/* Frames from `from` to `to`, which is excluded, with the pairs before them. */
static void run_part(const Clip *clip, unsigned from, unsigned to, Kept *kept)
{
    VmafContext *vmaf = clip_open(clip);
    unsigned lead_in;
    assert_int_equal(vmaf_keep_records(vmaf, keep, kept, 1), 0);
    assert_int_equal(vmaf_lead_in(vmaf, &lead_in), 0);
    for (unsigned i = from > lead_in ? from - lead_in : 0; i < from; i++)
        read_context(vmaf, i);
    for (unsigned i = from; i < to; i++) {
        assert_int_equal(clip_read(vmaf, clip, i), 0);
        if (i == from && clip->wait_at)
            assert_int_equal(clip_wait(vmaf), VMAF_BACKEND_PHASE_ACTIVE);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_close(vmaf), 0);
}

static void expect_records_of_the_cpu(const Clip *clip, const Kept *kept)
{
    static Kept expected;
    const Clip cpu = {.backend = "cpu", .five_frames = clip->five_frames, .no_vif = clip->no_vif};
    memset(&expected, 0, sizeof(expected));
    run_part(&cpu, 0, N_FRAMES, &expected);
    assert_int_equal(kept->n, N_FRAMES);
    assert_int_equal(kept->n_bytes, expected.n_bytes);
    assert_memory_equal(kept->data, expected.data, sizeof(expected.data));
}

CASE(given_a_backend_then_any_cut_keeps_the_records_of_the_cpu)
{
    static Kept kept;
    for (int five_frames = 0; five_frames < 2; five_frames++) {
        for (unsigned cut = 1; cut < N_FRAMES; cut++) {
            FakeSettings *fake = fake_reset("fakeone");
            const Clip clip = {.backend = "fakeone",
                               .n_threads = cut % 3,
                               .five_frames = five_frames,
                               .spot_check = 1};
            memset(&kept, 0, sizeof(kept));
            run_part(&clip, 0, cut, &kept);
            assert_int_equal(atomic_load(&fake->n_contexts), 0);
            run_part(&clip, cut, N_FRAMES, &kept);
            assert_int_equal(atomic_load(&fake->n_contexts), five_frames && cut > 1 ? 2 : 1);
            assert_int_equal(atomic_load(&fake->n_frames), N_FRAMES);
            expect_records_of_the_cpu(&clip, &kept);
        }
    }
}

/* Which part of the frames it gets is chance. */
CASE(given_a_backend_that_joins_then_the_records_are_those_of_the_cpu)
{
    static Kept kept;
    static const char *const considered[] = {"fakeone", NULL};
    for (unsigned cut = 1; cut < N_FRAMES; cut += 3) {
        (void)fake_reset("fakeone");
        const Clip clip = {
            .considered = considered, .n_threads = 1, .five_frames = true, .wait_at = 1};
        memset(&kept, 0, sizeof(kept));
        run_part(&clip, 0, cut, &kept);
        run_part(&clip, cut, N_FRAMES, &kept);
        expect_records_of_the_cpu(&clip, &kept);
    }
}

/* The CPU finds the neighbours of frames that it takes over. */
CASE(given_a_backend_that_is_lost_in_a_part_then_the_cpu_takes_over)
{
    static Kept kept;
    static const char *const considered[] = {"fakeone", NULL};
    FakeSettings *fake = fake_reset("fakeone");
    fake->fault = FAULT_COLLECT_LOST;
    const Clip clip = {.considered = considered, .n_threads = 1, .five_frames = true};
    memset(&kept, 0, sizeof(kept));
    run_part(&clip, 0, 3, &kept);
    run_part(&clip, 3, N_FRAMES, &kept);
    expect_records_of_the_cpu(&clip, &kept);
}

/* ---- scores that a backend finishes ---- */

static VmafContext *open_level(const char *backend)
{
    const Clip clip = {.backend = backend};
    VmafContext *vmaf = clip_open(&clip);
    assert_int_equal(vmaf_use_feature(vmaf, "fakeone_level", NULL), 0);
    return vmaf;
}

static int state_format(VmafContext *vmaf)
{
    return vmaf_records_format(vmaf, VMAF_PIX_FMT_YUV420P, 8, CLIP_WIDTH, CLIP_HEIGHT);
}

/* Stored frames up to `to`, which is excluded. */
static void feed(VmafContext *vmaf, const Kept *kept, unsigned to)
{
    for (unsigned i = 0; i < to; i++) {
        const VmafStoredFrame frame = {sizeof(frame), i, kept->data[i], kept->n_bytes};
        assert_int_equal(vmaf_read_record(vmaf, &frame), 0);
    }
}

static VmafContext *open_with_stored(const Clip *clip, const Kept *kept, unsigned to)
{
    char *layout;
    VmafContext *vmaf = clip_open(clip);
    assert_int_equal(state_format(vmaf), 0);
    assert_int_equal(vmaf_records_layout(vmaf, &layout), 0);
    assert_int_equal(vmaf_read_records_from(vmaf, layout, NULL), 0);
    free(layout);
    feed(vmaf, kept, to);
    return vmaf;
}

static double level_of(VmafContext *vmaf, unsigned index)
{
    double score = -1;
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "fakeone_level", &score, index), 0);
    return score;
}

CASE(given_a_feature_of_the_backend_then_its_scores_are_stored)
{
    static Kept kept;
    const Clip clip = {.backend = "fakeone"};
    char *layout;
    (void)fake_reset("fakeone");
    memset(&kept, 0, sizeof(kept));

    VmafContext *vmaf = open_level("fakeone");
    assert_int_equal(vmaf_keep_records(vmaf, keep, &kept, 0), 0);
    assert_int_equal(state_format(vmaf), 0);
    assert_int_equal(vmaf_records_layout(vmaf, &layout), 0);
    assert_non_null(strstr(layout, "\"feature\":\"fakeone_level\",\"kind\":\"scores\""));
    double expected[N_FRAMES];
    for (unsigned i = 0; i < N_FRAMES; i++)
        assert_int_equal(clip_read(vmaf, &clip, i), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    for (unsigned i = 0; i < N_FRAMES; i++)
        expected[i] = level_of(vmaf, i);
    assert_int_equal(vmaf_close(vmaf), 0);

    vmaf = open_level("fakeone");
    assert_int_equal(state_format(vmaf), 0);
    assert_int_equal(vmaf_read_records_from(vmaf, layout, NULL), 0);
    feed(vmaf, &kept, N_FRAMES);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    for (unsigned i = 0; i < N_FRAMES; i++)
        assert_true(level_of(vmaf, i) == expected[i]);
    assert_int_equal(vmaf_close(vmaf), 0);
    free(layout);
}

/* The device is opened, but nothing is computed where all frames come with their records. */
CASE(given_stored_frames_alone_then_no_backend_is_started)
{
    static Kept kept;
    const Clip clip = {.backend = "fakeone"};
    FakeSettings *fake = fake_reset("fakeone");
    memset(&kept, 0, sizeof(kept));
    run_part(&clip, 0, N_FRAMES, &kept);
    assert_int_equal(atomic_load(&fake->n_sessions), 1);

    VmafContext *vmaf = open_with_stored(&clip, &kept, N_FRAMES);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(atomic_load(&fake->n_sessions), 1);
    assert_int_equal(vmaf_close(vmaf), 0);
}

/* The rest of a run that was interrupted goes on with a backend. */
CASE(given_stored_frames_then_a_backend_goes_on)
{
    static Kept kept;
    static Outcome outcome;
    const Clip clip = {
        .backend = "fakeone", .n_frames = N_FRAMES, .n_threads = 1, .five_frames = true};
    for (unsigned cut = 1; cut < N_FRAMES; cut++) {
        (void)fake_reset("fakeone");
        memset(&kept, 0, sizeof(kept));
        run_part(&clip, 0, cut, &kept);
        VmafContext *vmaf = open_with_stored(&clip, &kept, cut);
        for (unsigned i = cut > 2 ? cut - 2 : 0; i < cut; i++)
            read_context(vmaf, i);
        for (unsigned i = cut; i < N_FRAMES; i++)
            assert_int_equal(clip_read(vmaf, &clip, i), 0);
        memset(&outcome, 0, sizeof(outcome));
        clip_end(vmaf, &clip, &outcome);
        assert_int_equal(outcome.error, 0);
        assert_int_equal(outcome.status.frames_by_backend, N_FRAMES - cut);
        assert_true(clip_equal(&clip, &outcome, clip_truth(&clip)));
    }
}
