/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "clips.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/libvmaf_ext.h"

/* At least a cache line of common machines, and the widest vectors. */
enum { ALIGNMENT = 64 };

static size_t round_up(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void store_row(unsigned char *row, const uint16_t *samples, unsigned width, unsigned depth)
{
    if (depth > 8)
        memcpy(row, samples, width * sizeof *samples);
    else
        for (unsigned x = 0; x < width; ++x)
            row[x] = (unsigned char)samples[x];
}

static int make_plane(const SynthClip *synth, unsigned frame, unsigned plane, ptrdiff_t stride,
                      uint16_t *samples, void **data)
{
    const unsigned width = synth_plane_width(synth, plane);
    const unsigned height = synth_plane_height(synth, plane);
    unsigned char *rows = aligned_alloc(ALIGNMENT, (size_t)stride * height);
    if (!rows)
        return -ENOMEM;
    *data = rows;
    const int err = synth_plane(synth, frame, plane, samples);
    for (unsigned y = 0; !err && y < height; ++y)
        store_row(rows + (ptrdiff_t)y * stride, samples + (size_t)y * width, width, synth->depth);
    return err;
}

int bench_clips_make(BenchClips *clips, unsigned width, unsigned height, unsigned depth)
{
    memset(clips, 0, sizeof *clips);
    clips->synth = (SynthClip){
        .scene = SYNTH_TEXTURE,
        .distortion = SYNTH_DISTORT_IDENTICAL,
        .strength = 2,
        .width = width,
        .height = height,
        .format = SYNTH_420,
        .depth = depth,
        .frames = BENCH_DISTINCT_FRAMES,
        .seed = 1,
    };
    for (unsigned p = 0; p < 3; ++p)
        clips->stride[p] =
            (ptrdiff_t)round_up(synth_plane_width(&clips->synth, p) * (depth > 8 ? 2U : 1U));

    uint16_t *samples = malloc((size_t)width * height * sizeof *samples);
    int err = samples ? 0 : -ENOMEM;
    SynthClip synth = clips->synth;
    for (unsigned side = 0; side < 2; ++side) {
        for (unsigned t = 0; !err && t < BENCH_DISTINCT_FRAMES; ++t)
            for (unsigned p = 0; !err && p < 3; ++p)
                err =
                    make_plane(&synth, t, p, clips->stride[p], samples, &clips->planes[side][t][p]);
        synth.distortion = SYNTH_DISTORT_HADAMARD;
    }
    free(samples);
    if (err)
        bench_clips_release(clips);
    return err;
}

void bench_clips_release(BenchClips *clips)
{
    for (unsigned side = 0; side < 2; ++side)
        for (unsigned t = 0; t < BENCH_DISTINCT_FRAMES; ++t)
            for (unsigned p = 0; p < 3; ++p)
                free(clips->planes[side][t][p]);
    memset(clips, 0, sizeof *clips);
}

static int wrap(const BenchClips *clips, unsigned side, unsigned t, VmafPicture *picture)
{
    return vmaf_picture_wrap(picture, VMAF_PIX_FMT_YUV420P, clips->synth.depth, clips->synth.width,
                             clips->synth.height, clips->planes[side][t], clips->stride, NULL,
                             NULL);
}

unsigned bench_clips_index(unsigned index)
{
    const unsigned period = 2 * BENCH_DISTINCT_FRAMES - 2;
    const unsigned phase = index % period;
    return phase < BENCH_DISTINCT_FRAMES ? phase : period - phase;
}

int bench_clips_pair(const BenchClips *clips, unsigned index, VmafPicture *ref, VmafPicture *dis)
{
    const unsigned t = bench_clips_index(index);
    int err = wrap(clips, 0, t, ref);
    if (err)
        return err;
    err = wrap(clips, 1, t, dis);
    if (err)
        vmaf_picture_unref(ref);
    return err;
}

int bench_clips_feed(const BenchClips *clips, VmafContext *context, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; ++i) {
        VmafPicture ref, dis;
        int err = bench_clips_pair(clips, i, &ref, &dis);
        if (err)
            return err;
        err = vmaf_read_pictures(context, &ref, &dis, i);
        if (err) {
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dis);
            return err;
        }
    }
    return 0;
}
