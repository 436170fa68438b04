/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_internal.h"
#include "metrics/float_ssim/ssim_sums.h"

/*
 * The Gaussian window, along rows and along columns.
 *
 * Each sample is taken up once: it is multiplied with the six different taps, and the products go
 * to the eleven outputs that are in progress, in registers. That needs the next sample of every
 * lane to be in the next vector, hence the dealt rows.
 */

/* From the border to the centre. */
enum { HALF = SSIM_TAPS / 2 };
static const float window[HALF + 1] = {SSIM_WINDOW(SSIM_NUMBER)};

/*
 * Adds step's samples to the outputs in progress. The output that began k steps ago is in place
 * (step - k) % SSIM_TAPS and gets its product with tap k; that of the last tap is finished then.
 */
SUMS_INLINE void take_up(Sums outputs[SSIM_TAPS], Samples samples, const Taps *taps, int step,
                         bool is_signed)
{
    Products next = multiply(samples, taps, 0, is_signed); /* for processors that wait for it */
#pragma GCC unroll 6
    for (int k = 0; k <= HALF; k++) {
        const Sums product = widened(next);
        if (k < HALF)
            next = multiply(samples, taps, k + 1, is_signed);
        Sums *early = &outputs[(step + SSIM_TAPS - k) % SSIM_TAPS];
        Sums *late = &outputs[(step + 1 + k) % SSIM_TAPS];
        *early = k == 0 ? product : add_sums(*early, product);
        COMPUTE_NOW(*early);
        if (k < HALF)
            *late = add_sums(*late, product);
        COMPUTE_NOW(*late);
    }
}

static inline Sums finished(const Sums outputs[SSIM_TAPS], int step)
{
    return outputs[(step + 1) % SSIM_TAPS];
}

SUMS_INLINE void filter_dealt(float *restrict out, const uint64_t *a, const uint64_t *b, size_t n,
                              bool is_signed)
{
    const Taps taps = load_taps(window, HALF + 1, 1);
    Sums outputs[SSIM_TAPS] = {0};
    for (size_t i = 0; i < n; i += SSIM_TAPS) {
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            const size_t at = i + (size_t)step;
            Samples samples = load_dealt(a, at);
            if (b)
                samples = multiply_samples(samples, load_dealt(b, at));
            take_up(outputs, samples, &taps, step, is_signed);
            store_rounded(out + at * LANES, finished(outputs, step));
        }
    }
}

static void filter_row(float *out, const uint64_t *in, size_t n, bool is_signed)
{
    if (SIGNS_MATTER && is_signed)
        filter_dealt(out, in, NULL, n, true);
    else
        filter_dealt(out, in, NULL, n, false);
}

static void filter_product(float *out, const uint64_t *a, const uint64_t *b, size_t n,
                           bool is_signed)
{
    if (SIGNS_MATTER && is_signed)
        filter_dealt(out, a, b, n, true);
    else
        filter_dealt(out, a, b, n, false);
}

SUMS_INLINE void filter_band(float *restrict rows, size_t stride, double *restrict in_progress,
                             size_t n, bool is_signed)
{
    const Taps taps = load_taps(window, HALF + 1, 1);
    for (size_t i = 0; i < n; i++) {
        float *column = rows + i * LANES;
        double *kept = in_progress + i * SSIM_IN_PROGRESS * LANES;
        Sums outputs[SSIM_TAPS];
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            outputs[k + 1] = load_sums(kept + k * LANES);
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            float *at = column + (size_t)step * stride;
            take_up(outputs, load_samples(at), &taps, step, is_signed);
            store_rounded(at, finished(outputs, step));
        }
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            store_sums(kept + k * LANES, outputs[k + 1]);
    }
}

static void filter_columns(float *rows, size_t stride, double *in_progress, size_t n,
                           bool is_signed)
{
    if (SIGNS_MATTER && is_signed)
        filter_band(rows, stride, in_progress, n, true);
    else
        filter_band(rows, stride, in_progress, n, false);
}

static void deal(uint64_t *out, const float *in, size_t segment, size_t n)
{
    for (size_t i = 0; i < n; i += 4)
        deal_four(out, i, in + i, segment);
}

void ISA_VARIANT(ssim_kernels_fill_filter)(SsimKernels *kernels)
{
    kernels->lanes = LANES;
    kernels->deal = deal;
    kernels->filter_row = filter_row;
    kernels->filter_product = filter_product;
    kernels->filter_columns = filter_columns;
}
