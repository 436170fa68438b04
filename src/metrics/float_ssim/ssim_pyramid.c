/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_pyramid.h"

#include <errno.h>
#include <stdbool.h>

#include "metrics/common/mirror.h"
#include "support/arena.h"

enum { BAND = SSIM_PYRAMID_BAND, RADIUS = SSIM_PYRAMID_RADIUS };

struct SsimPyramid {
    SsimSplitRow rows[SSIM_PYRAMID_TAPS]; /* of a plane; row y in place y % SSIM_PYRAMID_TAPS */
    float *picture_rows[2 * BAND];        /* a band of a picture, with mirrored ends */
    double *in_progress;                  /* sums of a picture between bands */
    float *unused;                        /* a row of output outside the next scale */
    void *memory;
};

static float *take_row(Arena *arena, size_t n, size_t margin)
{
    float *row = arena_take(arena, n + 2 * margin, sizeof(*row));
    return row ? row + margin : NULL;
}

static void lay_out(SsimPyramid *pyramid, Arena *arena, unsigned w)
{
    const size_t n_half = ssim_row_size(w / 2 + 1);
    for (int i = 0; i < SSIM_PYRAMID_TAPS; i++) {
        pyramid->rows[i].even = take_row(arena, n_half, SSIM_PADDING);
        pyramid->rows[i].odd = take_row(arena, n_half, SSIM_PADDING);
    }
    for (int i = 0; i < 2 * BAND; i++)
        pyramid->picture_rows[i] = take_row(arena, ssim_row_size(w), SSIM_PYRAMID_MARGIN);
    pyramid->in_progress =
        arena_take(arena, ssim_pyramid_in_progress(ssim_pyramid_size(w)), sizeof(double));
    pyramid->unused = take_row(arena, n_half, 0);
}

int ssim_pyramid_create(SsimPyramid **created, unsigned w)
{
    SsimPyramid *pyramid = memory_alloc(1, sizeof(*pyramid));
    if (!pyramid)
        return -ENOMEM;
    Arena arena = {0};
    lay_out(pyramid, &arena, w);
    if (arena_allocate(&arena)) {
        memory_free(pyramid);
        return -ENOMEM;
    }
    lay_out(pyramid, &arena, w);
    pyramid->memory = arena.block;
    *created = pyramid;
    return 0;
}

void ssim_pyramid_destroy(SsimPyramid *pyramid)
{
    if (!pyramid)
        return;
    memory_free(pyramid->memory);
    memory_free(pyramid);
}

enum { MARGIN = RADIUS / 2 };

static void split(const SsimSplitRow *out, const float *restrict in, unsigned w)
{
    float *restrict even = out->even, *restrict odd = out->odd;
    const int n = (int)(w / 2);
    for (int i = 0; i < n; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
    for (int i = -MARGIN; i < 0; i++) {
        even[i] = in[mirror_half_sample(2 * i, w)];
        odd[i] = in[mirror_half_sample(2 * i + 1, w)];
    }
    for (int i = n; i <= n + MARGIN; i++) {
        even[i] = in[mirror_half_sample(2 * i, w)];
        odd[i] = in[mirror_half_sample(2 * i + 1, w)];
    }
}

static void reduce_plane(SsimPyramid *pyramid, const SsimKernels *kernels, const SsimImage *in,
                         float *out)
{
    const unsigned w = ssim_pyramid_size(in->w), h = ssim_pyramid_size(in->h);
    const size_t stride = ssim_row_size(w);
    unsigned next = 0; /* row that is separated next */
    for (unsigned y = 0; y < h; y++) {
        for (; next < in->h && next <= 2 * y + RADIUS; next++)
            split(&pyramid->rows[next % SSIM_PYRAMID_TAPS], ssim_image_row(in, kernels, next, NULL),
                  in->w);
        SsimSplitRow rows[SSIM_PYRAMID_TAPS];
        for (int v = 0; v < SSIM_PYRAMID_TAPS; v++) {
            const ptrdiff_t row = 2 * (ptrdiff_t)y + v - RADIUS;
            rows[v] = pyramid->rows[mirror_half_sample((int)row, in->h) % SSIM_PYRAMID_TAPS];
        }
        kernels->pyramid_row(out + y * stride, rows, w);
    }
}

static void load_picture_row(const SsimKernels *kernels, const SsimImage *in, ptrdiff_t y,
                             float *row)
{
    ssim_image_row(in, kernels, mirror_half_sample((int)y, in->h), row);
    for (int i = 1; i <= RADIUS; i++) {
        row[-i] = row[i - 1];
        row[(int)in->w - 1 + i] = row[(int)in->w - i];
    }
}

/* Row 2 y + RADIUS finishes row y of the next scale, and row -RADIUS begins the first one. */
static void reduce_picture(SsimPyramid *pyramid, const SsimKernels *kernels, const SsimImage *in,
                           float *out)
{
    const unsigned w = ssim_pyramid_size(in->w), h = ssim_pyramid_size(in->h);
    const ptrdiff_t last = 2 * ((ptrdiff_t)h - 1) + RADIUS;
    for (ptrdiff_t y = -RADIUS; y < (ptrdiff_t)h; y += BAND) {
        float *finished[BAND];
        for (int i = 0; i < BAND; i++) {
            const bool inside = y + i >= 0 && y + i < (ptrdiff_t)h;
            finished[i] = inside ? out + (size_t)(y + i) * ssim_row_size(w) : pyramid->unused;
        }
        for (int i = 0; i < 2 * BAND; i++) {
            const ptrdiff_t row = 2 * y + RADIUS + i;
            if (row >= -RADIUS && row <= last)
                load_picture_row(kernels, in, row, pyramid->picture_rows[i]);
        }
        kernels->picture_pyramid(finished, (const float *const *)pyramid->picture_rows,
                                 pyramid->in_progress, w);
    }
}

void ssim_pyramid_step(SsimPyramid *pyramid, const SsimKernels *kernels, const SsimImage *in,
                       float *out)
{
    if (in->bpc)
        reduce_picture(pyramid, kernels, in, out);
    else
        reduce_plane(pyramid, kernels, in, out);
}
