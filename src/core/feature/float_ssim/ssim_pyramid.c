/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/ssim_pyramid.h"

#include <errno.h>

#include "support/memory.h"

struct SsimPyramid {
    SsimSplitRow rows[SSIM_PYRAMID_TAPS]; /* row y in place y % SSIM_PYRAMID_TAPS */
    float *samples;
    void *memory;
};

enum { MARGIN = SSIM_PYRAMID_RADIUS / 2 };

int ssim_pyramid_create(SsimPyramid **created, unsigned w)
{
    const size_t n = ssim_row_size(w), n_half = ssim_row_size(w / 2 + 1) + SSIM_PADDING;
    enum { N_HALF_ROWS = 2 * SSIM_PYRAMID_TAPS };
    size_t size;
    if (!n || !size_mul(n_half, N_HALF_ROWS, &size) || !size_add(size, n, &size))
        return -ENOMEM;
    SsimPyramid *pyramid = memory_alloc(1, sizeof(*pyramid));
    if (!pyramid)
        return -ENOMEM;
    pyramid->memory = memory_alloc(size, sizeof(float));
    if (!pyramid->memory) {
        memory_free(pyramid);
        return -ENOMEM;
    }
    pyramid->samples = pyramid->memory;
    float *half_row = pyramid->samples + n + SSIM_PADDING;
    for (int i = 0; i < SSIM_PYRAMID_TAPS; i++) {
        pyramid->rows[i].even = half_row;
        pyramid->rows[i].odd = half_row + n_half;
        half_row += 2 * n_half;
    }
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

static void split(const SsimSplitRow *out, const float *restrict in, unsigned w)
{
    float *restrict even = out->even, *restrict odd = out->odd;
    const int n = (int)(w / 2);
    for (int i = 0; i < n; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
    for (int i = -MARGIN; i < 0; i++) {
        even[i] = in[ssim_mirror(2 * i, w)];
        odd[i] = in[ssim_mirror(2 * i + 1, w)];
    }
    for (int i = n; i <= n + MARGIN; i++) {
        even[i] = in[ssim_mirror(2 * i, w)];
        odd[i] = in[ssim_mirror(2 * i + 1, w)];
    }
}

void ssim_pyramid_step(SsimPyramid *pyramid, const SsimKernels *kernels, const SsimImage *in,
                       float *out)
{
    const unsigned w = ssim_pyramid_size(in->w), h = ssim_pyramid_size(in->h);
    const size_t stride = ssim_row_size(w);
    unsigned next = 0; /* row that is separated next */
    for (unsigned y = 0; y < h; y++) {
        for (; next < in->h && next <= 2 * y + SSIM_PYRAMID_RADIUS; next++)
            split(&pyramid->rows[next % SSIM_PYRAMID_TAPS],
                  ssim_image_row(in, kernels, next, pyramid->samples), in->w);
        SsimSplitRow rows[SSIM_PYRAMID_TAPS];
        for (int v = 0; v < SSIM_PYRAMID_TAPS; v++) {
            const ptrdiff_t row = 2 * (ptrdiff_t)y + v - SSIM_PYRAMID_RADIUS;
            rows[v] = pyramid->rows[ssim_mirror(row, in->h) % SSIM_PYRAMID_TAPS];
        }
        if (in->bpc)
            kernels->picture_pyramid_row(out + y * stride, rows, w);
        else
            kernels->pyramid_row(out + y * stride, rows, w);
    }
}
