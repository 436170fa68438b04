/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Memory may run out while a backend is at work: in the library, on the threads that call the
 * plugin, and in the plugin. Plugins stay loaded, so that this is about devices, plans, the
 * self-test, sessions and buffers; how they are found and loaded is tried through the program.
 */

#include "support/cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/every_failure.h"
#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_cuda.h"

/* Of the allocations, every so many fails. The self-test takes most of a run: the scenarios that
 * share it skip more. */
static unsigned step = 1;

enum { N_FRAMES = 3 };

static const Clip clip = {
    .w = 64, .h = 48, .bpc = 8, .pix_fmt = VMAF_PIX_FMT_YUV420P, .n_frames = N_FRAMES};
static bool said_so; /* the context's status had a reason of memory */

static void listen(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    if (vmaf && !vmaf_backend_status(vmaf, &status))
        said_so = status.error == -ENOMEM || (status.reason && strstr(status.reason, "memory"));
}

static int fetch(VmafContext *vmaf, bool pooled, VmafPicture *pic)
{
    return pooled ? vmaf_cuda_fetch_preallocated_picture(vmaf, pic)
                  : vmaf_picture_alloc(pic, clip.pix_fmt, clip.bpc, clip.w, clip.h);
}

/* In rows, without memory of its own. */
static void fill_on_device(const VmafPicture *pic, unsigned frame, unsigned k)
{
    const MembufExtension *device = membuf_of("cuda");
    uint8_t row[256];
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            for (unsigned x = 0; x < pic->w[p]; x++)
                row[x] = (uint8_t)(x * x * (k + 3) + y * 7 + frame * 31);
            const int64_t offset = (int64_t)y * pic->stride[p];
            assert_int_equal(
                device->write((uint64_t)(uintptr_t)pic->data[p] + (uint64_t)offset, row, pic->w[p]),
                0);
        }
    }
}

static int read_one(VmafContext *vmaf, int method, unsigned frame)
{
    const bool pooled = method != VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE;
    VmafPicture pair[2] = {{.ref = NULL}, {.ref = NULL}};
    int err = 0;
    for (unsigned k = 0; k < 2 && !err; k++) {
        err = fetch(vmaf, pooled, &pair[k]);
        if (!err && method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE)
            fill_on_device(&pair[k], frame, k);
        else if (!err)
            clip_draw(&pair[k], frame, k);
    }
    if (!err)
        err = vmaf_read_pictures(vmaf, &pair[0], &pair[1], frame);
    for (unsigned k = 0; k < 2; k++)
        vmaf_picture_unref(&pair[k]);
    return err;
}

static int ask(VmafContext *vmaf, Outcome *outcome)
{
    static const char *const keys[] = {"psnr_y", "VMAF_integer_feature_vif_scale0_score"};
    int err = 0;
    for (unsigned k = 0; k < 2 && !err; k++) {
        double score;
        err = vmaf_feature_score_at_index(vmaf, keys[k], &score, N_FRAMES - 1);
        if (!err)
            outcome_keep(outcome, score);
    }
    return err;
}

static void score(Outcome *outcome, int method, unsigned n_threads)
{
    VmafContext *vmaf = NULL;
    VmafCudaState *cuda = NULL;
    VmafConfiguration cfg = {.log_level = VMAF_LOG_LEVEL_NONE, .n_threads = n_threads};
    VmafCudaPictureConfiguration pictures = {.pic_prealloc_method = method};
    pictures.pic_params.w = clip.w;
    pictures.pic_params.h = clip.h;
    pictures.pic_params.bpc = clip.bpc;
    pictures.pic_params.pix_fmt = clip.pix_fmt;
    said_so = false;
    STEP(vmaf_init(&vmaf, cfg));
    if (method == VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE) {
        STEP(vmaf_backend_select(vmaf, "cuda", -1));
    } else {
        STEP(vmaf_cuda_state_init(&cuda, (VmafCudaConfiguration){NULL}));
        STEP(vmaf_cuda_import_state(vmaf, cuda));
        STEP(vmaf_cuda_preallocate_pictures(vmaf, pictures));
    }
    STEP(vmaf_use_feature(vmaf, "psnr", NULL));
    STEP(vmaf_use_feature(vmaf, "vif", NULL));
    for (unsigned f = 0; f < N_FRAMES; f++)
        STEP(read_one(vmaf, method, f));
    STEP(vmaf_read_pictures(vmaf, NULL, NULL, 0));
    STEP(ask(vmaf, outcome));
done:
    listen(vmaf);
    if (vmaf)
        vmaf_close(vmaf);
    vmaf_cuda_state_free(cuda);
}

static void pictures_of_the_host(Outcome *outcome)
{
    score(outcome, VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE, 0);
}

static void pictures_of_the_host_with_workers(Outcome *outcome)
{
    score(outcome, VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE, 2);
}

static void pictures_of_the_device(Outcome *outcome)
{
    score(outcome, VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE, 0);
}

static void pinned_pictures(Outcome *outcome)
{
    score(outcome, VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED, 0);
}

/* A backend that could not go on has a reason, whatever the call returned. */
static bool is_honest(const Outcome *outcome)
{
    return outcome->err == -ENOMEM || said_so;
}

CASE(given_a_session_then_it_opens_and_works_or_fails_cleanly)
{
    every_failure_run(pictures_of_the_host, is_honest, step);
    every_failure_run(pictures_of_the_host_with_workers, is_honest, 3 * step);
}

CASE(given_buffers_then_they_are_made_and_read_or_refused_cleanly)
{
    every_failure_run(pictures_of_the_device, is_honest, 3 * step);
    every_failure_run(pinned_pictures, is_honest, 3 * step);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    step = (unsigned)strtoul(argv[1], NULL, 10);
    return run_cases(argc - 1, argv + 1);
}
