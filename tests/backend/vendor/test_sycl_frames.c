/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_sycl.h over the SYCL backend on the emulated driver: frame buffers that are filled from
 * the host and from surfaces of VA-API, dma-bufs, times of kernels. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/vendor/harness.h"
#include "libvmaf/libvmaf_sycl.h"
#include "support/cases.h"
#include "va.h"

static struct {
    VADisplay (*display)(void);
    VASurfaceID (*create)(uint32_t fourcc, uint32_t width, uint32_t height, uint64_t modifier,
                          unsigned n_objects);
    int (*write)(VASurfaceID surface, unsigned plane, const void *data);
    void (*destroy)(VASurfaceID surface);
} va;

static void find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    assert_non_null(found);
    memcpy(function, &found, sizeof(found));
}

static void load_va(void)
{
    void *library = dlopen(EMULATED_VA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    find(library, "emulated_va_display", &va.display);
    find(library, "emulated_va_create", &va.create);
    find(library, "emulated_va_write", &va.write);
    find(library, "emulated_va_destroy", &va.destroy);
}

typedef struct Run {
    const Clip *clip;
    VmafSyclState *sycl;
    VmafContext *vmaf;
} Run;

static Run open_run(const Clip *clip)
{
    Run run = {.clip = clip};
    const VmafSyclConfiguration cfg = {.device_index = -1, .enable_profiling = 1};
    assert_int_equal(vmaf_sycl_state_init(&run.sycl, cfg), 0);
    run.vmaf = clip_context(clip);
    assert_int_equal(vmaf_sycl_import_state(run.vmaf, run.sycl), 0);
    clip_use_features(clip, run.vmaf);
    assert_int_equal(vmaf_sycl_init_frame_buffers(run.vmaf, clip->w, clip->h, clip->bpc), 0);
    return run;
}

static void close_run(Run *run)
{
    assert_int_equal(vmaf_close(run->vmaf), 0);
    vmaf_sycl_state_free(&run->sycl);
}

/* From the host. */
static void upload(const Run *run, unsigned frame, int is_ref)
{
    const Clip *clip = run->clip;
    VmafPicture drawn = clip_picture(clip);
    clip_draw(&drawn, frame, !is_ref);
    assert_int_equal(vmaf_sycl_upload_plane(run->sycl, drawn.data[0], (unsigned)drawn.stride[0],
                                            is_ref, clip->w, clip->h, clip->bpc),
                     0);
    vmaf_picture_unref(&drawn);
}

/* Luma without gaps between rows, with the value in the high bits. */
static void *pack(const Clip *clip, const VmafPicture *drawn)
{
    const size_t row = (size_t)clip->w * (clip->bpc > 8 ? 2 : 1);
    uint8_t *packed = malloc(row * clip->h);
    assert_non_null(packed);
    for (unsigned y = 0; y < clip->h; y++) {
        uint8_t *to = packed + y * row;
        memcpy(to, (const uint8_t *)drawn->data[0] + y * drawn->stride[0], row);
        for (unsigned x = 0; x < clip->w && clip->bpc > 8; x++)
            ((uint16_t *)(void *)to)[x] <<= 16 - clip->bpc;
    }
    return packed;
}

/* As a decoder hands it over. */
static void import(const Run *run, unsigned frame, int is_ref)
{
    const Clip *clip = run->clip;
    VmafPicture drawn = clip_picture(clip);
    clip_draw(&drawn, frame, !is_ref);
    void *luma = pack(clip, &drawn);
    const VASurfaceID surface = va.create(clip->bpc > 8 ? VA_FOURCC_P010 : VA_FOURCC_NV12,
                                          (clip->w + 15) / 16 * 16, clip->h, 0, 1 + frame % 2);
    assert_int_not_equal(surface, 0);
    /* The surface is wider than the picture, as those of decoders are. */
    const size_t row = (size_t)clip->w * (clip->bpc > 8 ? 2 : 1);
    const size_t wide = (size_t)((clip->w + 15) / 16 * 16) * (clip->bpc > 8 ? 2 : 1);
    uint8_t *rows = calloc(clip->h, wide);
    assert_non_null(rows);
    for (unsigned y = 0; y < clip->h; y++)
        memcpy(rows + y * wide, (uint8_t *)luma + y * row, row);
    assert_int_equal(va.write(surface, 0, rows), 0);
    assert_int_equal(vmaf_sycl_import_va_surface(run->sycl, va.display(), surface, is_ref, clip->w,
                                                 clip->h, clip->bpc),
                     0);
    va.destroy(surface);
    free(rows);
    free(luma);
    vmaf_picture_unref(&drawn);
}

static void score(const Run *run)
{
    for (unsigned f = 0; f < run->clip->n_frames; f++) {
        void *ref, *dist;
        assert_int_equal(vmaf_sycl_get_frame_buffers(run->vmaf, &ref, &dist), 0);
        assert_true(ref && dist && ref != dist);
        (f % 2 ? upload : import)(run, f, 1);
        (f % 3 ? upload : import)(run, f, 0);
        assert_int_equal(vmaf_read_pictures_sycl(run->vmaf, f), 0);
    }
    assert_int_equal(vmaf_flush_sycl(run->vmaf), 0);
}

CASE(given_frame_buffers_filled_in_any_way_then_scores_are_those_of_the_cpu)
{
    for (unsigned bpc = 8; bpc <= 12; bpc += 2) {
        Clip clip = luma_clip;
        clip.bpc = bpc;
        clip.n_frames = 6;
        Run run = open_run(&clip);
        score(&run);
        clip_check(&clip, run.vmaf);
        assert_string_equal(clip_backend_of(run.vmaf, "motion"), "sycl");
        close_run(&run);
    }
}

/* The runs that a line of the table counts. */
static unsigned long runs_of(const char *table, const char *name)
{
    const char *line = strstr(table, name);
    if (!line)
        fail_msg("no %s in:\n%s", name, table);
    return strtoul(line + strlen(name), NULL, 10);
}

CASE(given_profiling_then_times_of_kernels_are_told)
{
    Clip clip = luma_clip;
    char *text;
    clip.n_frames = 4;
    Run run = open_run(&clip);
    assert_int_equal(vmaf_sycl_profiling_enable(run.sycl), 0);
    assert_int_equal(vmaf_sycl_profiling_get_string(run.sycl, NULL), -EINVAL);
    assert_int_equal(vmaf_sycl_profiling_get_string(run.sycl, &text), 0);
    assert_null(strstr(text, "motion_sad_8"));
    free(text);
    score(&run);
    assert_int_equal(vmaf_sycl_profiling_get_string(run.sycl, &text), 0);
    assert_int_equal(runs_of(text, "motion_sad_8"), clip.n_frames);
    assert_int_equal(runs_of(text, "read-back"), clip.n_frames);
    free(text);
    vmaf_sycl_profiling_disable(run.sycl);
    vmaf_sycl_profiling_print(run.sycl);
    close_run(&run);

    VmafSyclState *sycl;
    assert_int_equal(vmaf_sycl_state_init(&sycl, (VmafSyclConfiguration){.device_index = 0}), 0);
    assert_int_equal(vmaf_sycl_profiling_enable(sycl), -EINVAL);
    assert_int_equal(vmaf_sycl_profiling_get_string(sycl, &text), -EINVAL);
    assert_null(text);
    vmaf_sycl_state_free(&sycl);
}

CASE(given_times_that_were_switched_off_then_frames_are_not_counted)
{
    Clip clip = luma_clip;
    char *text;
    clip.n_frames = 3;
    Run run = open_run(&clip);
    assert_int_equal(vmaf_sycl_profiling_enable(run.sycl), 0);
    vmaf_sycl_profiling_disable(run.sycl);
    score(&run);
    assert_int_equal(vmaf_sycl_profiling_get_string(run.sycl, &text), 0);
    assert_null(strstr(text, "motion_sad_8"));
    free(text);
    close_run(&run);
}

CASE(given_surfaces_that_cannot_be_read_then_they_are_refused)
{
    const Clip *clip = &luma_clip;
    Run run = open_run(clip);
    const VASurfaceID tiled = va.create(VA_FOURCC_NV12, 96, 64, 0x0100000000000009, 1);
    const VASurfaceID deep = va.create(VA_FOURCC_P010, 96, 64, 0, 1);
    assert_int_equal(
        vmaf_sycl_import_va_surface(run.sycl, va.display(), tiled, 1, clip->w, clip->h, clip->bpc),
        -ENOTSUP);
    assert_int_equal(
        vmaf_sycl_import_va_surface(run.sycl, va.display(), deep, 1, clip->w, clip->h, clip->bpc),
        -EINVAL);
    assert_int_equal(vmaf_sycl_import_va_surface(run.sycl, va.display(), 0x7fffffff, 1, clip->w,
                                                 clip->h, clip->bpc),
                     -EINVAL);
    va.destroy(tiled);
    va.destroy(deep);
    close_run(&run);
}

int main(int argc, char **argv)
{
    const VmafSyclConfiguration cfg = {.device_index = 0};
    VmafSyclState *sycl;
    if (vmaf_sycl_state_init(&sycl, cfg)) {
        fprintf(stderr, "skipped: the emulated driver cannot run here\n");
        return 77;
    }
    vmaf_sycl_state_free(&sycl);
    load_va();
    return run_cases(argc, argv);
}
