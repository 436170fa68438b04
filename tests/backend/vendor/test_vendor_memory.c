/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Host memory that a device is told of: once, and not longer than it exists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/registry.h"
#include "backend/vendor/harness.h"
#include "support/cases.h"

enum { N_PICTURES = 12 };

static const MembufExtension *device;

static VmafContext *open_context(const Clip *clip)
{
    VmafContext *vmaf = clip_context(clip);
    assert_int_equal(vmaf_backend_select(vmaf, "cuda", -1), 0);
    clip_use_features(clip, vmaf);
    return vmaf;
}

static void preallocate(const Clip *clip, VmafContext *vmaf)
{
    VmafPictureConfiguration cfg = {.pic_cnt = N_PICTURES};
    cfg.pic_params.w = clip->w;
    cfg.pic_params.h = clip->h;
    cfg.pic_params.bpc = clip->bpc;
    cfg.pic_params.pix_fmt = clip->pix_fmt;
    assert_int_equal(vmaf_preallocate_pictures(vmaf, cfg), 0);
}

static void read_pair(VmafContext *vmaf, VmafPicture ref, VmafPicture dist, unsigned frame)
{
    clip_draw(&ref, frame, false);
    clip_draw(&dist, frame, true);
    assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, frame), 0);
}

static void read_pooled(VmafContext *vmaf, unsigned frame)
{
    VmafPicture ref, dist;
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &ref), 0);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &dist), 0);
    read_pair(vmaf, ref, dist, frame);
}

/* Scores and closes. */
static void finish(const Clip *clip, VmafContext *vmaf)
{
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    clip_check(clip, vmaf);
    assert_string_equal(clip_backend_of(vmaf, "psnr"), "cuda");
    assert_int_equal(vmaf_close(vmaf), 0);
}

static bool reads_frame_memory(VmafContext *vmaf)
{
    const VmafBackendStatus status = clip_status(vmaf);
    return status.reads_frame_memory;
}

CASE(given_a_pool_then_the_device_is_told_once_of_each_picture)
{
    for (unsigned n_threads = 0; n_threads < 3; n_threads++) {
        Clip clip = small_clip;
        clip.n_threads = n_threads;
        clip.n_frames = CLIP_MAX_FRAMES;
        VmafContext *vmaf = open_context(&clip);
        preallocate(&clip, vmaf);
        assert_true(reads_frame_memory(vmaf)); /* since readers begin before the first pair */
        read_pooled(vmaf, 0); /* now it is open, and has tested itself with pictures of its own */
        assert_true(reads_frame_memory(vmaf));
        const unsigned elsewhere = device->n_pictures_elsewhere();
        const unsigned told = device->n_registrations();
        for (unsigned f = 1; f < clip.n_frames; f++)
            read_pooled(vmaf, f);
        assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
        assert_int_equal(device->n_pictures_elsewhere(), elsewhere);
        assert_true(device->n_registrations() - told <= N_PICTURES);
        assert_true(device->n_ranges() > 2 && device->n_ranges() <= N_PICTURES);
        clip_check(&clip, vmaf);
        assert_int_equal(vmaf_close(vmaf), 0);
        assert_int_equal(device->n_ranges(), 0);
        assert_int_equal(device->n_ranges_left(), 0);
    }
}

/* The self-test has pictures in both kinds of memory, since they take different ways. */
CASE(given_a_session_then_it_has_tested_itself_with_memory_that_is_known)
{
    Clip clip = small_clip;
    const unsigned told = device->n_registrations(), elsewhere = device->n_pictures_elsewhere();
    VmafContext *vmaf = open_context(&clip);
    for (unsigned f = 0; f < clip.n_frames; f++)
        read_pair(vmaf, clip_picture(&clip), clip_picture(&clip), f);
    finish(&clip, vmaf);
    assert_true(device->n_registrations() - told > 2);
    assert_true(device->n_pictures_elsewhere() - elsewhere > 2 * clip.n_frames);
    /* Pictures that are used once are not worth it. */
    assert_true(device->n_registrations() - told < 2 * clip.n_frames);
}

/* ---- memory of the program ---- */

typedef struct Frame {
    VmafFrameMemory *memory;
    void *address;
} Frame;

static Frame new_frame(void)
{
    Frame frame;
    assert_int_equal(vmaf_frame_memory_alloc(&frame.memory, 1 << 16, &frame.address), 0);
    assert_int_equal((uintptr_t)frame.address % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
    return frame;
}

static VmafPicture wrap(const Clip *clip, const Frame *frame)
{
    VmafPicture pic, plain = clip_picture(clip);
    void *data[3] = {NULL};
    for (unsigned p = 0; p < 3; p++)
        data[p] = (char *)frame->address + 16384 * p;
    assert_int_equal(vmaf_picture_wrap(&pic, clip->pix_fmt, clip->bpc, clip->w, clip->h, data,
                                       plain.stride, NULL, NULL),
                     0);
    assert_int_equal(vmaf_picture_in_frame_memory(&pic, frame->memory), 0);
    vmaf_picture_unref(&plain);
    return pic;
}

/* Frames that are freed before the context is closed, or after it. */
static void score_frames(bool early)
{
    Clip clip = small_clip;
    Frame frames[2 * CLIP_MAX_FRAMES];
    VmafContext *vmaf = open_context(&clip);
    for (unsigned f = 0; f < clip.n_frames; f++) {
        frames[2 * f] = new_frame();
        frames[2 * f + 1] = new_frame();
        read_pair(vmaf, wrap(&clip, &frames[2 * f]), wrap(&clip, &frames[2 * f + 1]), f);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(device->n_ranges(), 2 * clip.n_frames);
    for (unsigned i = 0; i < 2 * clip.n_frames && early; i++)
        vmaf_frame_memory_free(frames[i].memory);
    assert_int_equal(device->n_ranges(), early ? 0 : 2 * clip.n_frames);
    assert_int_equal(vmaf_close(vmaf), 0);
    assert_int_equal(device->n_ranges(), 0);
    for (unsigned i = 0; i < 2 * clip.n_frames && !early; i++)
        vmaf_frame_memory_free(frames[i].memory);
    assert_int_equal(device->n_ranges_left(), 0);
}

CASE(given_frame_memory_then_it_is_forgotten_before_it_is_freed)
{
    score_frames(true);
}

CASE(given_frame_memory_then_it_is_forgotten_before_the_device_is_closed)
{
    score_frames(false);
}

CASE(given_two_contexts_then_the_device_knows_their_memory_once)
{
    Clip clip = small_clip;
    const Frame ref = new_frame(), dist = new_frame();
    VmafContext *contexts[2] = {open_context(&clip), open_context(&clip)};
    VmafPicture drawn[2] = {wrap(&clip, &ref), wrap(&clip, &dist)};
    clip_draw(&drawn[0], 0, false);
    clip_draw(&drawn[1], 0, true);
    for (unsigned i = 0; i < 2; i++) {
        VmafPicture pair[2] = {wrap(&clip, &ref), wrap(&clip, &dist)};
        assert_int_equal(vmaf_read_pictures(contexts[i], &pair[0], &pair[1], 0), 0);
        vmaf_picture_unref(&drawn[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(vmaf_read_pictures(contexts[i], NULL, NULL, 0), 0);
        assert_int_equal(device->n_ranges(), 2); /* the device is open until the last has ended */
        assert_int_equal(vmaf_close(contexts[i]), 0);
    }
    assert_int_equal(device->n_ranges(), 0);
    vmaf_frame_memory_free(ref.memory);
    vmaf_frame_memory_free(dist.memory);
}

CASE(given_a_device_that_refuses_memory_then_everything_works)
{
    Clip clip = small_clip;
    device->refuse_memory(1);
    VmafContext *vmaf = open_context(&clip);
    preallocate(&clip, vmaf);
    for (unsigned f = 0; f < clip.n_frames; f++)
        read_pooled(vmaf, f);
    assert_int_equal(device->n_ranges(), 0);
    finish(&clip, vmaf);
    device->refuse_memory(0);
}

CASE(given_pictures_held_after_the_end_then_their_memory_is_theirs)
{
    Clip clip = small_clip;
    VmafPicture held;
    VmafContext *vmaf = open_context(&clip);
    preallocate(&clip, vmaf);
    assert_int_equal(vmaf_fetch_preallocated_picture(vmaf, &held), 0);
    for (unsigned f = 0; f < clip.n_frames; f++)
        read_pooled(vmaf, f);
    finish(&clip, vmaf);
    assert_int_equal(device->n_ranges(), 0);
    clip_draw(&held, 0, false);
    assert_int_equal(vmaf_picture_unref(&held), 0);
}

CASE(given_a_child_process_then_it_frees_memory_without_a_call)
{
    Clip clip = small_clip;
    const Frame ref = new_frame(), dist = new_frame();
    VmafContext *vmaf = open_context(&clip);
    read_pair(vmaf, wrap(&clip, &ref), wrap(&clip, &dist), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    device->hang_in_unregister(1);
    const pid_t child = fork();
    if (child == 0) {
        alarm(1800);
        vmaf_frame_memory_free(ref.memory);
        _exit(device->n_ranges() == 2 ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    device->hang_in_unregister(0);
    assert_int_equal(vmaf_close(vmaf), 0);
    vmaf_frame_memory_free(ref.memory);
    vmaf_frame_memory_free(dist.memory);
}

CASE(given_wrong_arguments_then_they_are_refused)
{
    VmafFrameMemory *memory;
    void *address;
    assert_int_equal(vmaf_frame_memory_alloc(&memory, 0, &address), -EINVAL);
    assert_int_equal(vmaf_frame_memory_alloc(NULL, 1, &address), -EINVAL);
    assert_int_equal(vmaf_frame_memory_alloc(&memory, 1, NULL), -EINVAL);
    assert_int_equal(vmaf_frame_memory_alloc(&memory, SIZE_MAX, &address), -ENOMEM);
    assert_null(memory);
    vmaf_frame_memory_free(NULL);
    const Frame frame = new_frame();
    VmafPicture elsewhere = clip_picture(&small_clip), none = {0};
    assert_int_equal(vmaf_picture_in_frame_memory(&elsewhere, frame.memory), -EINVAL);
    assert_int_equal(vmaf_picture_in_frame_memory(&none, frame.memory), -EINVAL);
    assert_int_equal(vmaf_picture_in_frame_memory(&elsewhere, NULL), -EINVAL);
    assert_int_equal(vmaf_picture_in_frame_memory(NULL, frame.memory), -EINVAL);
    vmaf_picture_unref(&elsewhere);
    vmaf_frame_memory_free(frame.memory);
}

/* The last one: the plugin is given up in this process. */
CASE(given_a_call_that_hangs_then_the_memory_is_freed_without_it)
{
    Clip clip = small_clip;
    const Frame ref = new_frame(), dist = new_frame();
    VmafContext *vmaf = open_context(&clip);
    read_pair(vmaf, wrap(&clip, &ref), wrap(&clip, &dist), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    device->hang_in_unregister(1);
    backend_registry_set_time_limit(200);
    vmaf_frame_memory_free(ref.memory); /* which takes as long as the time limit */
    vmaf_frame_memory_free(dist.memory);
    assert_int_equal(vmaf_close(vmaf), 0);
}

int main(int argc, char **argv)
{
    device = membuf_of("cuda");
    return run_cases(argc, argv);
}
