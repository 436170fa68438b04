/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A program in the manner of FFmpeg's filter libvmaf_cuda, over the CUDA backend and a CUDA driver:
 * the order of its calls, its context, and how it copies the pictures that it has on the device.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/vendor/harness.h"
#include "cuda_api.h"
#include "libvmaf/libvmaf_cuda.h"
#include "support/cases.h"

enum { EXIT_SKIPPED = 77, MEMORY_HOST = 1, MEMORY_DEVICE = 2 };

/* What the filter calls of the driver. */
#define DRIVER_FUNCTIONS(X)                                                                        \
    X(cuInit, (unsigned flags))                                                                    \
    X(cuDeviceGet, (CUdevice * device, int ordinal))                                               \
    X(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))                      \
    X(cuCtxDestroy_v2, (CUcontext context))                                                        \
    X(cuCtxPushCurrent_v2, (CUcontext context))                                                    \
    X(cuCtxPopCurrent_v2, (CUcontext * context))                                                   \
    X(cuCtxGetCurrent, (CUcontext * context))                                                      \
    X(cuMemAllocPitch_v2,                                                                          \
      (CUdeviceptr * address, size_t * pitch, size_t width, size_t height, unsigned element))      \
    X(cuMemFree_v2, (CUdeviceptr address))                                                         \
    X(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy))                                                  \
    X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream))                            \
    X(cuStreamSynchronize, (CUstream stream))
#define DECLARE(name, parameters) static CUresult(*p_##name) parameters;
DRIVER_FUNCTIONS(DECLARE)

static CUcontext application;

static int find_driver(void **state)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CUdevice device;
    CUcontext popped;
    if (!driver) {
        fprintf(stderr, "skipped: %s\n", dlerror());
        exit(EXIT_SKIPPED);
    }
#define FIND(name, parameters) *(void **)&p_##name = dlsym(driver, #name);
    DRIVER_FUNCTIONS(FIND)
    return p_cuInit(0) || p_cuDeviceGet(&device, 0) || p_cuCtxCreate_v2(&application, 0, device) ||
           p_cuCtxPopCurrent_v2(&popped);
}

static int leave_driver(void **state)
{
    return (int)p_cuCtxDestroy_v2(application);
}

static void enter(void)
{
    assert_int_equal(p_cuCtxPushCurrent_v2(application), CUDA_SUCCESS);
}

static void leave(void)
{
    CUcontext popped;
    assert_int_equal(p_cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
    assert_ptr_equal(popped, application);
}

/* ---- Frames as a decoder leaves them ---- */

typedef struct DeviceFrame {
    CUdeviceptr plane[3];
    size_t pitch[3];
} DeviceFrame;

static size_t row_size(const VmafPicture *pic, unsigned p)
{
    return (size_t)pic->w[p] * (pic->bpc > 8 ? 2 : 1);
}

static DeviceFrame allocate_frame(const Clip *clip)
{
    DeviceFrame frame = {.pitch = {0}};
    VmafPicture shape = clip_picture(clip);
    enter();
    for (unsigned p = 0; p < 3; p++)
        assert_int_equal(p_cuMemAllocPitch_v2(&frame.plane[p], &frame.pitch[p], row_size(&shape, p),
                                              shape.h[p], 4),
                         0);
    leave();
    vmaf_picture_unref(&shape);
    return frame;
}

/* Uploads as hwupload does: without waiting until all planes are on their way. */
static void upload(const Clip *clip, const DeviceFrame *frame, unsigned number, bool distorted)
{
    VmafPicture drawn = clip_picture(clip);
    clip_draw(&drawn, number, distorted);
    enter();
    for (unsigned p = 0; p < 3; p++) {
        const CUDA_MEMCPY2D copy = {.srcMemoryType = MEMORY_HOST,
                                    .srcHost = drawn.data[p],
                                    .srcPitch = (size_t)drawn.stride[p],
                                    .dstMemoryType = MEMORY_DEVICE,
                                    .dstDevice = frame->plane[p],
                                    .dstPitch = frame->pitch[p],
                                    .WidthInBytes = row_size(&drawn, p),
                                    .Height = drawn.h[p]};
        assert_int_equal(p_cuMemcpy2DAsync_v2(&copy, NULL), CUDA_SUCCESS);
    }
    assert_int_equal(p_cuStreamSynchronize(NULL), CUDA_SUCCESS);
    leave();
    vmaf_picture_unref(&drawn);
}

/* Once nothing on the legacy stream uses it. */
static void free_frame(const DeviceFrame *frame)
{
    enter();
    assert_int_equal(p_cuStreamSynchronize(NULL), CUDA_SUCCESS);
    for (unsigned p = 0; p < 3; p++)
        assert_int_equal(p_cuMemFree_v2(frame->plane[p]), CUDA_SUCCESS);
    leave();
}

/* Copies planes on the legacy stream; nothing waits for it. */
static void copy_frame(const VmafPicture *pic, const DeviceFrame *frame, unsigned n_planes)
{
    enter();
    for (unsigned p = 0; p < n_planes; p++) {
        const CUDA_MEMCPY2D copy = {.srcMemoryType = MEMORY_DEVICE,
                                    .srcDevice = frame->plane[p],
                                    .srcPitch = frame->pitch[p],
                                    .dstMemoryType = MEMORY_DEVICE,
                                    .dstDevice = (CUdeviceptr)(uintptr_t)pic->data[p],
                                    .dstPitch = (size_t)pic->stride[p],
                                    .WidthInBytes = row_size(pic, p),
                                    .Height = pic->h[p]};
        assert_int_equal(p_cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
    }
    leave();
}

/* ---- The filter ---- */

typedef struct Filter {
    const Clip *clip;
    VmafCudaState *cuda;
    VmafContext *vmaf;
    VmafModel *model;
    DeviceFrame frames[2]; /* of the program, used again and again */
} Filter;

static void use(Filter *filter, const char *model)
{
    VmafModelConfig cfg = {.name = "vmaf"};
    if (model) {
        assert_int_equal(vmaf_model_load(&filter->model, &cfg, model), 0);
        assert_int_equal(vmaf_use_features_from_model(filter->vmaf, filter->model), 0);
    }
    clip_use_features(filter->clip, filter->vmaf);
}

static Filter open_filter(const Clip *clip, const char *model,
                          enum VmafCudaPicturePreallocationMethod method)
{
    Filter filter = {.clip = clip, .vmaf = clip_context(clip)};
    VmafCudaPictureConfiguration pictures = {.pic_params = {CLIP_FORMAT(clip)},
                                             .pic_prealloc_method = method};
    const VmafCudaConfiguration device = {application};
    assert_int_equal(vmaf_cuda_state_init(&filter.cuda, device), 0);
    assert_int_equal(vmaf_cuda_import_state(filter.vmaf, filter.cuda), 0);
    assert_int_equal(vmaf_cuda_preallocate_pictures(filter.vmaf, pictures), 0);
    use(&filter, model);
    for (int side = 0; side < 2; side++)
        filter.frames[side] = allocate_frame(clip);
    return filter;
}

static void close_filter(Filter *filter)
{
    CUcontext current = application;
    assert_int_equal(vmaf_close(filter->vmaf), 0);
    for (int side = 0; side < 2; side++)
        free_frame(&filter->frames[side]);
    vmaf_model_destroy(filter->model);
    assert_int_equal(vmaf_cuda_state_free(filter->cuda), 0);
    assert_int_equal(p_cuCtxGetCurrent(&current), CUDA_SUCCESS);
    assert_null(current); /* as the program left it */
}

/* One frame through the filter; the next one overwrites the program's own frames. */
static int do_frame(const Filter *filter, unsigned number, unsigned n_planes)
{
    VmafPicture pics[2];
    for (int side = 0; side < 2; side++) {
        upload(filter->clip, &filter->frames[side], number, side == 1);
        assert_int_equal(vmaf_cuda_fetch_preallocated_picture(filter->vmaf, &pics[side]), 0);
        copy_frame(&pics[side], &filter->frames[side], n_planes);
    }
    const int err = vmaf_read_pictures(filter->vmaf, &pics[0], &pics[1], number);
    for (int side = 0; side < 2 && err; side++)
        vmaf_picture_unref(&pics[side]);
    return err;
}

/* The score of the model for each frame, of the CPU. */
static void score_on_cpu(const Clip *clip, const char *model, double scores[])
{
    Filter filter = {.clip = clip, .vmaf = clip_context(clip)};
    assert_int_equal(vmaf_backend_select(filter.vmaf, "cpu", -1), 0);
    use(&filter, model);
    clip_read(clip, filter.vmaf);
    for (unsigned f = 0; f < clip->n_frames; f++)
        assert_int_equal(vmaf_score_at_index(filter.vmaf, filter.model, &scores[f], f), 0);
    assert_int_equal(vmaf_close(filter.vmaf), 0);
    vmaf_model_destroy(filter.model);
}

/* Pictures that came down for features of the CPU. */
static unsigned downloads_of(VmafContext *vmaf)
{
    const VmafBackendStatus status = clip_status(vmaf);
    return status.downloads;
}

static void compare(const Clip *clip, const char *model, unsigned n_planes, unsigned n_downloads)
{
    double expected[CLIP_MAX_FRAMES], found;
    Scores scores;
    Filter filter = open_filter(clip, model, VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE);
    score_on_cpu(clip, model, expected);
    for (unsigned f = 0; f < clip->n_frames; f++)
        assert_int_equal(do_frame(&filter, f, n_planes), 0);
    assert_int_equal(vmaf_read_pictures(filter.vmaf, NULL, NULL, 0), 0);
    for (unsigned f = 0; f < clip->n_frames; f++) {
        assert_int_equal(vmaf_score_at_index(filter.vmaf, filter.model, &found, f), 0);
        assert_memory_equal(&found, &expected[f], sizeof(found));
    }
    clip_ask(clip, filter.vmaf, &scores);
    assert_string_equal(clip_backend_of(filter.vmaf, "adm"), "cuda");
    assert_int_equal(downloads_of(filter.vmaf), n_downloads);
    close_filter(&filter);
    assert_true(clip_is_true(clip, &scores));
}

static const Clip clip_of_8_bits = {.w = 75,
                                    .h = 51,
                                    .bpc = 8,
                                    .pix_fmt = VMAF_PIX_FMT_YUV420P,
                                    .n_frames = 3,
                                    .features = {"vif"},
                                    .keys = {"VMAF_integer_feature_vif_scale0_score"}};

CASE(given_luma_then_scores_are_those_of_the_cpu)
{
    Clip clip = clip_of_8_bits;
    compare(&clip, "vmaf_v0.6.1", 1, 0);
    clip.n_threads = 2;
    clip.bpc = 10;
    clip.w = 98;
    compare(&clip, "vmaf_v0.6.1neg", 1, 0);
}

CASE(given_features_of_the_cpu_then_pictures_are_downloaded)
{
    Clip clip = clip_of_8_bits;
    clip.features[1] = "ciede";
    clip.keys[1] = "ciede2000";
    compare(&clip, "vmaf_v0.6.1", 3, 2 * clip.n_frames);
    clip.n_threads = 2;
    clip.bpc = 12;
    compare(&clip, "vmaf_v0.6.1", 3, 2 * clip.n_frames);
}

CASE(given_all_planes_then_chroma_is_scored)
{
    Clip clip = clip_of_8_bits;
    clip.features[1] = "psnr";
    clip.keys[1] = "psnr_y";
    clip.keys[2] = "psnr_cb";
    clip.keys[3] = "psnr_cr";
    compare(&clip, "vmaf_v0.6.1", 3, 0);
    clip.bpc = 10;
    clip.pix_fmt = VMAF_PIX_FMT_YUV444P;
    compare(&clip, "vmaf_v0.6.1", 3, 0);
}

/* The newer models read chroma, and none of it comes down. */
CASE(given_a_model_that_reads_chroma_then_it_needs_all_planes)
{
    Clip clip = clip_of_8_bits;
    clip.w = 256;
    clip.h = 192;
    clip.n_frames = 2;
    Filter filter =
        open_filter(&clip, "vmaf_v1.0.16_3d0h", VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE);
    assert_int_equal(do_frame(&filter, 0, 1), -EINVAL);
    close_filter(&filter);
    compare(&clip, "vmaf_v1.0.16_3d0h", 3, 0);
}

CASE(given_memory_of_the_host_then_scores_are_those_of_the_cpu)
{
    const enum VmafCudaPicturePreallocationMethod methods[] = {
        VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST,
        VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED};
    const Clip *clip = &clip_of_8_bits;
    double expected[CLIP_MAX_FRAMES], found;
    score_on_cpu(clip, "vmaf_v0.6.1", expected);
    for (int m = 0; m < 2; m++) {
        Filter filter = open_filter(clip, "vmaf_v0.6.1", methods[m]);
        for (unsigned f = 0; f < clip->n_frames; f++) {
            VmafPicture pics[2];
            for (int side = 0; side < 2; side++) {
                assert_int_equal(vmaf_cuda_fetch_preallocated_picture(filter.vmaf, &pics[side]), 0);
                clip_draw(&pics[side], f, side == 1);
            }
            assert_int_equal(vmaf_read_pictures(filter.vmaf, &pics[0], &pics[1], f), 0);
        }
        assert_int_equal(vmaf_read_pictures(filter.vmaf, NULL, NULL, 0), 0);
        for (unsigned f = 0; f < clip->n_frames; f++) {
            assert_int_equal(vmaf_score_at_index(filter.vmaf, filter.model, &found, f), 0);
            assert_memory_equal(&found, &expected[f], sizeof(found));
        }
        close_filter(&filter);
    }
}

CASES_SHARE(find_driver, leave_driver);
