/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_sycl.h, and libvmaf_hip.h, over backends with device memory in plain memory. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_sycl.h"
#include "support/cases.h"

typedef struct Run {
    const Clip *clip;
    VmafSyclState *sycl;
    VmafContext *vmaf;
} Run;

static Run open_run(const Clip *clip)
{
    Run run = {.clip = clip};
    const VmafSyclConfiguration cfg = {.device_index = 0, .enable_profiling = 1};
    assert_int_equal(vmaf_sycl_state_init(&run.sycl, cfg), 0);
    run.vmaf = clip_context(clip);
    assert_int_equal(vmaf_sycl_import_state(run.vmaf, run.sycl), 0);
    clip_use_features(clip, run.vmaf);
    return run;
}

static void close_run(Run *run)
{
    assert_int_equal(vmaf_close(run->vmaf), 0);
    vmaf_sycl_state_free(&run->sycl);
    assert_null(run->sycl);
    assert_true(membuf_is_clean("sycl"));
}

static size_t row_size(const Clip *clip)
{
    return (size_t)clip->w * (clip->bpc > 8 ? 2 : 1);
}

/* As the decoders of P010 and P012 write it: the value in the highest bits. */
static void write_surface(const Clip *clip, uint64_t surface, unsigned frame, bool distorted)
{
    const MembufExtension *device = membuf_of("sycl");
    VmafPicture drawn = clip_picture(clip);
    clip_draw(&drawn, frame, distorted);
    for (unsigned y = 0; y < clip->h; y++) {
        uint8_t *row = (uint8_t *)drawn.data[0] + y * drawn.stride[0];
        for (unsigned x = 0; x < clip->w && clip->bpc > 8; x++)
            ((uint16_t *)(void *)row)[x] <<= 16 - clip->bpc;
        assert_int_equal(device->write(surface + y * row_size(clip), row, row_size(clip)), 0);
    }
    vmaf_picture_unref(&drawn);
}

/* Fills one of the two buffers: in place, from host memory, or from a surface. */
static void fill(const Run *run, unsigned way, unsigned frame, bool is_ref)
{
    const Clip *clip = run->clip;
    const MembufExtension *device = membuf_of("sycl");
    void *buffers[2];
    if (way == 0) {
        assert_int_equal(vmaf_sycl_get_frame_buffers(run->vmaf, &buffers[1], &buffers[0]), 0);
        clip_write_plane(clip, "sycl", 0, (uint64_t)(uintptr_t)buffers[is_ref],
                         (ptrdiff_t)row_size(clip), frame, !is_ref);
    } else if (way == 1) {
        VmafPicture drawn = clip_picture(clip);
        clip_draw(&drawn, frame, !is_ref);
        assert_int_equal(vmaf_sycl_upload_plane(run->sycl, drawn.data[0], (unsigned)drawn.stride[0],
                                                is_ref, clip->w, clip->h, clip->bpc),
                         0);
        vmaf_picture_unref(&drawn);
    } else {
        uint64_t surface = device->allocate(row_size(clip) * clip->h);
        write_surface(clip, surface, frame, !is_ref);
        assert_int_equal(vmaf_sycl_import_va_surface(run->sycl, (void *)(uintptr_t)surface, 1,
                                                     is_ref, clip->w, clip->h, clip->bpc),
                         0);
        device->release(surface); /* it was copied */
    }
}

CASE(given_frame_buffers_filled_in_any_way_then_scores_are_those_of_the_cpu)
{
    for (unsigned i = 0; i < 6; i++) {
        Clip clip = luma_clip;
        clip.n_threads = i % 3;
        clip.bpc = i < 3 ? 8 : 12;
        if (i == 5)
            clip.features[0] = "motion:motion_five_frame_window";
        Run run = open_run(&clip);
        assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, clip.w, clip.h, clip.bpc), 0);
        alarm(1800);
        for (unsigned f = 0; f < clip.n_frames; f++) {
            fill(&run, (f + i) % 3, f, true);
            fill(&run, f % 3, f, false);
            assert_int_equal(vmaf_read_pictures_sycl(run.vmaf, f), 0);
            if (f % 4 == 3)
                assert_int_equal(vmaf_sycl_wait_compute(run.vmaf), 0);
        }
        assert_int_equal(vmaf_flush_sycl(run.vmaf), 0);
        alarm(0);
        assert_int_equal(vmaf_flush_sycl(run.vmaf), -EINVAL);
        Scores scores;
        clip_ask(&clip, run.vmaf, &scores);
        assert_string_equal(clip_backend_of(run.vmaf, "motion"), "sycl");
        close_run(&run);
        if (i < 5)
            assert_true(clip_is_true(&clip, &scores));
    }
}

CASE(given_a_feature_of_chroma_then_frame_buffers_are_refused)
{
    Run run = open_run(&small_clip);
    assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, 96, 64, 8), 0);
    fill(&run, 1, 0, true);
    fill(&run, 1, 0, false);
    assert_int_equal(vmaf_read_pictures_sycl(run.vmaf, 0), -EINVAL);
    close_run(&run);
}

CASE(given_frame_buffers_in_the_wrong_order_then_calls_are_refused)
{
    void *ref, *dist;
    uint8_t luma[90 * 64];
    Run run = open_run(&luma_clip);
    assert_int_equal(vmaf_sycl_get_frame_buffers(run.vmaf, &ref, &dist), -EINVAL);
    assert_int_equal(vmaf_read_pictures_sycl(run.vmaf, 0), -EINVAL);
    assert_int_equal(vmaf_sycl_upload_plane(run.sycl, luma, 90, 1, 90, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, 0, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, 90, 64, 17), -EINVAL);
    assert_int_equal(vmaf_sycl_init_frame_buffers(NULL, 90, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, 90, 64, 8), 0);
    assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, 90, 64, 8), -EBUSY);
    assert_int_equal(vmaf_read_pictures_sycl(run.vmaf, 0), -EINVAL); /* nobody has filled it */
    assert_int_equal(vmaf_sycl_get_frame_buffers(run.vmaf, NULL, &dist), -EINVAL);
    assert_int_equal(vmaf_sycl_upload_plane(run.sycl, luma, 90, 1, 90, 62, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_upload_plane(run.sycl, luma, 90, 1, 90, 64, 10), -EINVAL);
    assert_int_equal(vmaf_sycl_upload_plane(run.sycl, luma, 89, 1, 90, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_upload_plane(run.sycl, NULL, 90, 1, 90, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_upload_plane(NULL, luma, 90, 1, 90, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_import_va_surface(run.sycl, NULL, 1, 1, 90, 64, 8), -EINVAL);
    assert_int_equal(vmaf_sycl_import_va_surface(run.sycl, luma, 1, 1, 90, 64, 8), -EINVAL);
    close_run(&run);
}

static int preallocate(const Run *run, int method)
{
    VmafSyclPictureConfiguration cfg = {.pic_params = {CLIP_FORMAT(run->clip)},
                                        .pic_prealloc_method = method};
    return vmaf_sycl_preallocate_pictures(run->vmaf, cfg);
}

CASE(given_preallocated_pictures_then_scores_are_those_of_the_cpu)
{
    for (int method = VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE;
         method <= VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST; method++) {
        bool on_device = method == VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE;
        Run run = open_run(&small_clip);
        VmafPicture ref, dist;
        assert_int_equal(vmaf_sycl_picture_fetch(run.vmaf, &ref), -EINVAL); /* of no format yet */
        assert_int_equal(preallocate(&run, method), 0);
        assert_int_equal(preallocate(&run, method),
                         method == VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE ? 0 : -EBUSY);
        alarm(1800);
        for (unsigned f = 0; f < small_clip.n_frames; f++) {
            VmafPicture *const pair[2] = {&ref, &dist};
            for (int i = 0; i < 2; i++) {
                assert_int_equal(vmaf_sycl_picture_fetch(run.vmaf, pair[i]), 0);
                if (on_device)
                    clip_write(&small_clip, "sycl", pair[i], f, i == 1);
                else
                    clip_draw(pair[i], f, i == 1);
            }
            assert_int_equal(vmaf_read_pictures(run.vmaf, &ref, &dist, f), 0);
        }
        assert_int_equal(vmaf_flush_sycl(run.vmaf), 0);
        alarm(0);
        clip_check(&small_clip, run.vmaf);
        close_run(&run);
    }
}

CASE(given_a_dmabuf_then_its_memory_is_mapped)
{
    VmafSyclState *sycl;
    enum { SIZE = 8192 };
    int fd = memfd_create("vendor", MFD_CLOEXEC);
    assert_true(fd >= 0 && ftruncate(fd, SIZE) == 0 && pwrite(fd, "hello", 5, 5000) == 5);
    assert_int_equal(vmaf_sycl_state_init(&sycl, (VmafSyclConfiguration){.device_index = -1}), 0);
    void *first, *second;
    assert_int_equal(vmaf_sycl_dmabuf_import(sycl, fd, SIZE, &first), 0);
    assert_int_equal(vmaf_sycl_dmabuf_import(sycl, fd, SIZE, &second), 0);
    assert_memory_equal((char *)first + 5000, "hello", 5);
    assert_int_equal(membuf_of("sycl")->n_buffers(), 2);
    vmaf_sycl_dmabuf_free(sycl, first);
    vmaf_sycl_dmabuf_free(sycl, &fd); /* nothing of ours */
    assert_int_equal(membuf_of("sycl")->n_buffers(), 1);
    assert_memory_equal((char *)second + 5000, "hello", 5);
    assert_int_equal(vmaf_sycl_dmabuf_import(sycl, -1, SIZE, &first), -EINVAL);
    assert_int_equal(vmaf_sycl_dmabuf_import(sycl, fd, 0, &first), -EINVAL);
    assert_null(first);
    assert_int_equal(vmaf_sycl_dmabuf_import(sycl, fd, SIZE, NULL), -EINVAL);
    close(fd);
    vmaf_sycl_state_free(&sycl); /* and the second with it */
    assert_true(membuf_is_clean("sycl"));
}

CASE(given_devices_then_they_are_listed_and_opened_by_index)
{
    VmafSyclState *sycl = (VmafSyclState *)&sycl;
    VmafHipState *hip = (VmafHipState *)&hip;
    const int out_of_range[] = {1, 99, -2};
    for (unsigned i = 0; i < 3; i++) {
        const VmafSyclConfiguration cfg = {.device_index = out_of_range[i]};
        assert_int_equal(vmaf_sycl_state_init(&sycl, cfg), -ENODEV);
        assert_null(sycl);
        const VmafHipConfiguration hip_cfg = {.device_index = out_of_range[i]};
        assert_int_equal(vmaf_hip_state_init(&hip, hip_cfg), -EINVAL);
        assert_null(hip);
    }
    assert_int_equal(vmaf_hip_state_init(&hip, (VmafHipConfiguration){.flags = 1}), -EINVAL);
    assert_int_equal(vmaf_sycl_state_init(NULL, (VmafSyclConfiguration){0}), -EINVAL);
    assert_int_equal(vmaf_hip_available(), 1);
    assert_int_equal(vmaf_hip_list_devices(), 1);

    char text[4096] = "";
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = memfd_create("stdout", MFD_CLOEXEC);
    dup2(file, STDOUT_FILENO);
    int n = vmaf_sycl_list_devices();
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    assert_true(pread(file, text, sizeof(text) - 1, 0) > 0);
    close(saved);
    close(file);
    assert_int_equal(n, 1);
    assert_int_equal(strncmp(text, "Available SYCL GPU devices:\n  [0] ", 34), 0);
}

CASE(given_a_state_then_no_times_of_kernels_are_invented)
{
    Run run = open_run(&luma_clip);
    char *text = (char *)&run;
    assert_int_equal(vmaf_sycl_profiling_enable(run.sycl), -ENOTSUP);
    assert_int_equal(vmaf_sycl_profiling_get_string(run.sycl, &text), -ENOTSUP);
    assert_null(text);
    assert_int_equal(vmaf_sycl_profiling_get_string(run.sycl, NULL), -EINVAL);
    vmaf_sycl_profiling_print(run.sycl);
    vmaf_sycl_profiling_disable(run.sycl);
    close_run(&run);
}

CASE(given_hip_then_it_scores_host_pictures)
{
    VmafHipState *hip;
    assert_int_equal(vmaf_hip_state_init(&hip, (VmafHipConfiguration){.device_index = 0}), 0);
    VmafContext *vmaf = clip_context(&small_clip);
    assert_int_equal(vmaf_hip_import_state(vmaf, NULL), -EINVAL);
    assert_int_equal(vmaf_hip_import_state(vmaf, hip), 0);
    assert_int_equal(vmaf_hip_import_state(vmaf, hip), -EBUSY);
    clip_use_features(&small_clip, vmaf);
    clip_read(&small_clip, vmaf);
    clip_check(&small_clip, vmaf);
    assert_string_equal(clip_backend_of(vmaf, "psnr"), "hip");
    assert_int_equal(vmaf_close(vmaf), 0);
    vmaf_hip_state_free(&hip);
    assert_null(hip);
}
