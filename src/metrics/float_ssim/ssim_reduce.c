/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_reduce.h"

#include <errno.h>

#include "metrics/common/mirror.h"
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

void ssim_reduce(SsimReducer *reducer, const SsimKernels *kernels, const SsimImage *in,
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
            add_samples(
                reducer->columns,
                ssim_image_row(in, kernels, mirror_half_sample((int)row, in->h), reducer->samples),
                share, in->w);
        }
        add_columns(out + y * stride, reducer->columns, in->w, factor);
    }
}
