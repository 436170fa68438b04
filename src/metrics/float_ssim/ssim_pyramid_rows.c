/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_internal.h"
#include "metrics/float_ssim/ssim_pyramid_taps.h"

/* Columns whose intermediate results stay in the first-level cache. */
enum { BLOCK = 128 };

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Adds the products of one row, tap after tap. Inlined it would lose what restrict says, and with
 * it its vector instructions. */
__attribute__((noinline)) static void add_pyramid_row(double *restrict sums,
                                                      const float *restrict even,
                                                      const float *restrict odd,
                                                      const float *restrict taps, size_t w)
{
    const float t0 = taps[0], t1 = taps[1], t2 = taps[2], t3 = taps[3], t4 = taps[4];
    for (size_t x = 0; x < w; x++) {
        double sum = sums[x];
        sum += (double)(even[x] * t0);
        sum += (double)(odd[x] * t1);
        sum += (double)(even[x + 1] * t2);
        sum += (double)(odd[x + 1] * t3);
        sum += (double)(even[x + 2] * t4);
        sum += (double)(odd[x + 2] * t3);
        sum += (double)(even[x + 3] * t2);
        sum += (double)(odd[x + 3] * t1);
        sum += (double)(even[x + 4] * t0);
        sums[x] = sum;
    }
}

static void pyramid_block(float *restrict out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS],
                          unsigned begin, unsigned n)
{
    double sums[BLOCK] = {0};
    for (unsigned v = 0; v < SSIM_PYRAMID_TAPS; v++) {
        const float *taps = ssim_pyramid_taps[smaller(v, SSIM_PYRAMID_TAPS - 1 - v)];
        add_pyramid_row(sums, rows[v].even + begin - 2, rows[v].odd + begin - 2, taps, n);
    }
    for (unsigned x = 0; x < n; x++)
        out[x] = (float)sums[x];
}

static void pyramid_row(float *out, const SsimSplitRow rows[SSIM_PYRAMID_TAPS], unsigned w)
{
    for (unsigned begin = 0; begin < w; begin += BLOCK)
        pyramid_block(out + begin, rows, begin, smaller(w - begin, BLOCK));
}

void ISA_VARIANT(ssim_kernels_fill_pyramid)(SsimKernels *kernels)
{
    kernels->pyramid_row = pyramid_row;
}
