/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Programs that use libvmaf_hip.h over the HIP backend and a HIP runtime: with pictures in host
 * memory, and with pictures that they have on the device.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/vendor/harness.h"
#include "hip_api.h"
#include "libvmaf/libvmaf_hip.h"
#include "support/cases.h"

enum { EXIT_SKIPPED = 77, HOST_TO_DEVICE = 1 };

/* What the application calls of the runtime. */
#define RUNTIME_FUNCTIONS(X)                                                                       \
    X(hipInit, (unsigned flags))                                                                   \
    X(hipMalloc, (void **address, size_t size))                                                    \
    X(hipFree, (void *address))                                                                    \
    X(hipStreamCreate, (hipStream_t * stream))                                                     \
    X(hipStreamDestroy, (hipStream_t stream))                                                      \
    X(hipMemcpy2DAsync, (void *dst, size_t dst_pitch, const void *src, size_t src_pitch,           \
                         size_t width, size_t height, int kind, hipStream_t stream))               \
    X(hipStreamSynchronize, (hipStream_t stream))                                                  \
    X(hipDeviceSynchronize, (void))
#define DECLARE(name, parameters) static hipError_t(*p_##name) parameters;
RUNTIME_FUNCTIONS(DECLARE)

static int find_runtime(void **state)
{
    void *runtime = dlopen("libamdhip64.so.6", RTLD_NOW | RTLD_LOCAL);
    if (!runtime) {
        fprintf(stderr, "skipped: %s\n", dlerror());
        exit(EXIT_SKIPPED);
    }
#define FIND(name, parameters) *(void **)&p_##name = dlsym(runtime, #name);
    RUNTIME_FUNCTIONS(FIND)
    return p_hipInit(0);
}

static const Clip clip_of_10_bits = {
    .w = 98,
    .h = 66,
    .bpc = 10,
    .pix_fmt = VMAF_PIX_FMT_YUV420P,
    .n_frames = 4,
    .n_threads = 2,
    .features = {"psnr", "vif"},
    .keys = {"psnr_y", "psnr_cb", "psnr_cr", "VMAF_integer_feature_vif_scale0_score"}};

typedef struct Program {
    const Clip *clip;
    VmafHipState *hip;
    VmafContext *vmaf;
} Program;

static Program open_program(const Clip *clip, int device)
{
    Program program = {.clip = clip};
    const VmafHipConfiguration cfg = {.device_index = device};
    assert_int_equal(vmaf_hip_state_init(&program.hip, cfg), 0);
    program.vmaf = clip_context(clip);
    assert_int_equal(vmaf_hip_import_state(program.vmaf, program.hip), 0);
    clip_use_features(clip, program.vmaf);
    return program;
}

/* All scores are those of the CPU, and the device has computed them. */
static void finish_program(Program *program)
{
    assert_int_equal(vmaf_read_pictures(program->vmaf, NULL, NULL, 0), 0);
    clip_check(program->clip, program->vmaf);
    assert_string_equal(clip_backend_of(program->vmaf, "vif"), "hip");
    assert_int_equal(vmaf_close(program->vmaf), 0);
    vmaf_hip_state_free(&program->hip);
    assert_null(program->hip);
}

CASE(given_devices_then_they_are_listed_and_opened_by_index)
{
    const int out_of_range[] = {2, 99, -2};
    VmafHipState *opened;
    assert_int_equal(vmaf_hip_available(), 1);
    assert_int_equal(vmaf_hip_list_devices(), 2);
    for (int i = 0; i < 3; i++) {
        const VmafHipConfiguration cfg = {.device_index = out_of_range[i]};
        opened = (VmafHipState *)&opened;
        assert_int_equal(vmaf_hip_state_init(&opened, cfg), -EINVAL);
        assert_null(opened);
    }
    assert_int_equal(vmaf_hip_state_init(&opened, (VmafHipConfiguration){.flags = 1}), -EINVAL);
    assert_int_equal(vmaf_hip_state_init(NULL, (VmafHipConfiguration){0}), -EINVAL);
}

CASE(given_pictures_of_the_host_then_scores_are_those_of_the_cpu)
{
    const Clip *clip = &clip_of_10_bits;
    for (int device = -1; device < 2; device++) {
        Program program = open_program(clip, device);
        assert_int_equal(vmaf_hip_import_state(program.vmaf, program.hip), -EBUSY);
        for (unsigned f = 0; f < clip->n_frames; f++) {
            VmafPicture ref = clip_picture(clip), dist = clip_picture(clip);
            clip_draw(&ref, f, false);
            clip_draw(&dist, f, true);
            assert_int_equal(vmaf_read_pictures(program.vmaf, &ref, &dist, f), 0);
        }
        finish_program(&program);
    }
}

/* ---- Pictures on the device ---- */

/* A frame of the application: planes behind each other, and the stream that fills it. */
typedef struct Frame {
    unsigned char *memory;
    hipStream_t stream;
    unsigned *released;
} Frame;

static void release(void *cookie)
{
    const Frame *frame = cookie;
    __atomic_fetch_add(frame->released, 1, __ATOMIC_SEQ_CST);
}

enum { PITCH = 512 };

/* Queues the copy of a drawn picture on the frame's stream, and hands it over at once. */
static VmafPicture import_frame(const Program *program, Frame *frame, VmafPicture *drawn)
{
    VmafPicture picture;
    VmafPictureImport import = {
        .struct_size = sizeof(import),
        .kind = VMAF_IMPORT_HIP_POINTER,
        CLIP_FORMAT(program->clip),
        .n_handles = 3,
        .wait = {.kind = VMAF_SYNC_HIP_STREAM, .handle = (uintptr_t)frame->stream},
        .signal = {.kind = VMAF_SYNC_HIP_STREAM, .handle = (uintptr_t)frame->stream},
        .release = release,
        .cookie = frame,
    };
    for (unsigned p = 0; p < 3; p++) {
        unsigned char *plane = frame->memory + (size_t)p * PITCH * program->clip->h;
        assert_int_equal(p_hipMemcpy2DAsync(plane, PITCH, drawn->data[p], (size_t)drawn->stride[p],
                                            2 * (size_t)drawn->w[p], drawn->h[p], HOST_TO_DEVICE,
                                            frame->stream),
                         hipSuccess);
        import.handles[p] = (uintptr_t)plane;
        import.stride[p] = PITCH;
    }
    assert_int_equal(vmaf_picture_import(program->vmaf, &picture, &import), 0);
    return picture;
}

CASE(given_pictures_on_the_device_then_they_are_read_after_what_fills_them)
{
    const Clip *clip = &clip_of_10_bits;
    Frame frames[2] = {{0}};
    VmafPicture drawn[2 * CLIP_MAX_FRAMES];
    unsigned released = 0;
    Program program = open_program(clip, 0);
    for (int side = 0; side < 2; side++) {
        frames[side].released = &released;
        assert_int_equal(p_hipStreamCreate(&frames[side].stream), hipSuccess);
        assert_int_equal(p_hipMalloc((void **)&frames[side].memory, (size_t)3 * PITCH * clip->h),
                         hipSuccess);
    }
    /* The same memory for every frame: it is overwritten once the stream may go on. */
    for (unsigned f = 0; f < clip->n_frames; f++) {
        VmafPicture pics[2];
        for (int side = 0; side < 2; side++) {
            drawn[2 * f + (unsigned)side] = clip_picture(clip);
            clip_draw(&drawn[2 * f + (unsigned)side], f, side == 1);
            pics[side] = import_frame(&program, &frames[side], &drawn[2 * f + (unsigned)side]);
        }
        assert_int_equal(vmaf_read_pictures(program.vmaf, &pics[0], &pics[1], f), 0);
        while (__atomic_load_n(&released, __ATOMIC_SEQ_CST) < 2 * (f + 1)) {
            double score; /* waits for the frame */
            assert_int_equal(vmaf_feature_score_at_index(program.vmaf, clip->keys[0], &score, f),
                             0);
        }
    }
    finish_program(&program);
    assert_int_equal(released, 2 * clip->n_frames);
    for (unsigned i = 0; i < 2 * clip->n_frames; i++)
        vmaf_picture_unref(&drawn[i]);
    for (int side = 0; side < 2; side++) {
        assert_int_equal(p_hipStreamSynchronize(frames[side].stream), hipSuccess);
        assert_int_equal(p_hipFree(frames[side].memory), hipSuccess);
        assert_int_equal(p_hipStreamDestroy(frames[side].stream), hipSuccess);
    }
}

CASE(given_memory_that_is_not_the_devices_then_the_import_is_refused)
{
    const Clip *clip = &clip_of_10_bits;
    unsigned char host[64];
    VmafPicture picture;
    Program program = open_program(clip, -1);
    const VmafPictureImport import = {
        .struct_size = sizeof(import),
        .kind = VMAF_IMPORT_HIP_POINTER,
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
        .bpc = clip->bpc,
        .w = clip->w,
        .h = clip->h,
        .n_handles = 1,
        .handles = {(uintptr_t)host},
        .stride = {PITCH},
    };
    assert_int_equal(vmaf_picture_import(program.vmaf, &picture, &import), -EINVAL);
    const VmafBackendStatus status = clip_status(program.vmaf);
    assert_non_null(status.reason);
    assert_non_null(strstr(status.reason, "refuses a HIP pointer"));
    assert_int_equal(vmaf_close(program.vmaf), 0);
    vmaf_hip_state_free(&program.hip);
}

CASES_SHARE(find_runtime, NULL);
