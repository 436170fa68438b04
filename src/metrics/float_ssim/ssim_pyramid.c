/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdbool.h>

#include "metrics/common/rows.h"
#include "metrics/float_ssim/ssim_internal.h"
#include "support/arena.h"
#include "support/memory.h"

/*
 * An output sample is the sum of factor^2 samples, each divided by factor^2 and rounded to
 * binary32. The sum in binary64 is exact, and so are sums over the rows of a column that are made
 * first.
 */
struct SsimReducer {
    double *columns; /* sums over the rows that an output row covers */
    float *samples;
    void *memory;
};

int ssim_reducer_create(SsimReducer **created, unsigned w)
{
    const size_t n = ssim_row_size(w);
    size_t size;
    if (!n || !size_mul(n, sizeof(double) + sizeof(float), &size))
        return -ENOMEM;
    SsimReducer *reducer = memory_alloc(1, sizeof(*reducer));
    if (!reducer)
        return -ENOMEM;
    reducer->memory = memory_alloc(1, size);
    if (!reducer->memory) {
        memory_free(reducer);
        return -ENOMEM;
    }
    reducer->columns = reducer->memory;
    reducer->samples = (float *)(reducer->columns + n);
    *created = reducer;
    return 0;
}

void ssim_reducer_destroy(SsimReducer *reducer)
{
    if (!reducer)
        return;
    memory_free(reducer->memory);
    memory_free(reducer);
}

static void add_samples(double *restrict columns, const float *restrict samples, float share,
                        unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        columns[x] += (double)(samples[x] * share);
}

/* Means of `factor` columns each, the first `before` of them before the kept column. */
static void add_columns(float *restrict out, const double *restrict columns, unsigned w,
                        unsigned factor)
{
    const unsigned before = factor / 2;
    const unsigned w_out = ssim_reduced_size(w, factor);
    for (unsigned x = 0; x < w_out; x++) {
        const ptrdiff_t first = (ptrdiff_t)x * factor - before;
        double sum = 0;
        if (first >= 0 && first + factor <= w) {
            for (unsigned u = 0; u < factor; u++)
                sum += columns[first + u];
        } else {
            for (unsigned u = 0; u < factor; u++)
                sum += columns[mirror_half_sample((int)first + (int)u, w)];
        }
        out[x] = (float)sum;
    }
}

void ssim_reduce(SsimReducer *reducer, const SsimFunctions *functions, const SsimImage *in,
                 unsigned factor, float *out)
{
    const float share = ssim_reduction_share(factor);
    const unsigned h = ssim_reduced_size(in->h, factor);
    const size_t stride = ssim_row_size(ssim_reduced_size(in->w, factor));
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < in->w; x++)
            reducer->columns[x] = 0;
        for (unsigned v = 0; v < factor; v++) {
            const ptrdiff_t row = (ptrdiff_t)y * factor - factor / 2 + v;
            add_samples(reducer->columns,
                        ssim_image_row(in, functions, mirror_half_sample((int)row, in->h),
                                       reducer->samples),
                        share, in->w);
        }
        add_columns(out + y * stride, reducer->columns, in->w, factor);
    }
}

/* -- pyramids -- */

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

static void reduce_plane(SsimPyramid *pyramid, const SsimFunctions *functions, const SsimImage *in,
                         float *out)
{
    const unsigned w = ssim_pyramid_size(in->w), h = ssim_pyramid_size(in->h);
    const size_t stride = ssim_row_size(w);
    unsigned next = 0; /* row that is separated next */
    for (unsigned y = 0; y < h; y++) {
        for (; next < in->h && next <= 2 * y + RADIUS; next++)
            split(&pyramid->rows[next % SSIM_PYRAMID_TAPS],
                  ssim_image_row(in, functions, next, NULL), in->w);
        SsimSplitRow rows[SSIM_PYRAMID_TAPS];
        for (int v = 0; v < SSIM_PYRAMID_TAPS; v++) {
            const ptrdiff_t row = 2 * (ptrdiff_t)y + v - RADIUS;
            rows[v] = pyramid->rows[mirror_half_sample((int)row, in->h) % SSIM_PYRAMID_TAPS];
        }
        functions->pyramid_row(out + y * stride, rows, w);
    }
}

static void load_picture_row(const SsimFunctions *functions, const SsimImage *in, ptrdiff_t y,
                             float *row)
{
    ssim_image_row(in, functions, mirror_half_sample((int)y, in->h), row);
    for (int i = 1; i <= RADIUS; i++) {
        row[-i] = row[i - 1];
        row[(int)in->w - 1 + i] = row[(int)in->w - i];
    }
}

/* Row 2 y + RADIUS finishes row y of the next scale, and row -RADIUS begins the first one. */
static void reduce_picture(SsimPyramid *pyramid, const SsimFunctions *functions,
                           const SsimImage *in, float *out)
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
                load_picture_row(functions, in, row, pyramid->picture_rows[i]);
        }
        functions->picture_pyramid(finished, (const float *const *)pyramid->picture_rows,
                                   pyramid->in_progress, w);
    }
}

void ssim_pyramid_step(SsimPyramid *pyramid, const SsimFunctions *functions, const SsimImage *in,
                       float *out)
{
    if (in->bpc)
        reduce_picture(pyramid, functions, in, out);
    else
        reduce_plane(pyramid, functions, in, out);
}
