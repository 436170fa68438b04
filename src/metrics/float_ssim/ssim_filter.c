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

/*
 * The next scale of a picture. Samples are not negative; products are multiples of 2^-43, and the
 * sums of their magnitudes are below 2^9. So sums in binary64 are exact and can be made in the
 * order that is convenient: columns first, for each column of taps that differs from the others,
 * each sample multiplied only once with every tap it meets there.
 */

enum { RADIUS = SSIM_PYRAMID_RADIUS, BAND = SSIM_PYRAMID_BAND, BLOCK = SSIM_PYRAMID_BLOCK };
enum { COLUMNS = BLOCK + SSIM_PADDING, OVERLAP = SSIM_PYRAMID_RADIUS };

/* Sums of columns; column i is two before output i. */
typedef struct ColumnSums {
    double of[RADIUS + 1][BAND][COLUMNS] __attribute__((aligned(64)));
} ColumnSums;

SUMS_INLINE Sums weighted(Samples samples, const Taps *taps, int v)
{
    return widened(multiply(samples, taps, v, false));
}

/* Sums over columns of taps u, of n columns of samples. */
SUMS_INLINE void sum_columns(double sums[BAND][COLUMNS], const float *const rows[2 * BAND],
                             ptrdiff_t first, double *in_progress, size_t n, int u)
{
    const Taps taps = load_taps(&ssim_pyramid_taps[0][u], RADIUS + 1, RADIUS + 1);
    for (size_t x = 0; x < n; x += LANES) {
        /* The output row that is finished by step s is that in place s. */
        Sums outputs[BAND];
        double *kept = in_progress + x * (BAND - 1);
#pragma GCC unroll 4
        for (int i = 0; i < BAND - 1; i++)
            outputs[i] = load_sums(kept + i * LANES);
#pragma GCC unroll 5
        for (int s = 0; s < BAND; s++) {
            const ptrdiff_t at = first + 2 * (ptrdiff_t)x;
            const Samples a = load_half(rows[2 * s] + at, u % 2);
            const Samples b = load_half(rows[2 * s + 1] + at, u % 2);
            Sums *finished = &outputs[s], *second = &outputs[(s + 1) % BAND];
            Sums *third = &outputs[(s + 2) % BAND], *fourth = &outputs[(s + 3) % BAND];
            Sums *begun = &outputs[(s + 4) % BAND];
            const Sums a0 = weighted(a, &taps, 0), a2 = weighted(a, &taps, 2);
            *finished = add_weighted(*finished, a0, &taps, 0);
            store_sums(&sums[s][x], *finished);
            *begun = begin_weighted(a0, &taps, 0);
            *second = add_weighted(*second, a2, &taps, 2);
            *fourth = add_weighted(*fourth, a2, &taps, 2);
            *third = add_weighted(*third, weighted(a, &taps, 4), &taps, 4);
            const Sums b1 = weighted(b, &taps, 1), b3 = weighted(b, &taps, 3);
            *second = add_weighted(*second, b1, &taps, 1);
            *begun = add_weighted(*begun, b1, &taps, 1);
            *third = add_weighted(*third, b3, &taps, 3);
            *fourth = add_weighted(*fourth, b3, &taps, 3);
            COMPUTE_NOW(*begun);
            COMPUTE_NOW(*second);
            COMPUTE_NOW(*third);
            COMPUTE_NOW(*fourth);
        }
#pragma GCC unroll 4
        for (int i = 0; i < BAND - 1; i++)
            store_sums(kept + i * LANES, outputs[i]);
    }
}

static void combine_columns(float *out, const ColumnSums *sums, int row, size_t n)
{
    const double *c0 = sums->of[0][row], *c1 = sums->of[1][row], *c2 = sums->of[2][row];
    const double *c3 = sums->of[3][row], *c4 = sums->of[4][row];
    for (size_t x = 0; x < n; x += LANES) {
        Sums sum = add_sums(sums_at(c0 + x), sums_at(c0 + x + 4));
        sum = add_sums(sum, add_sums(sums_at(c1 + x), sums_at(c1 + x + 3)));
        sum = add_sums(sum, add_sums(sums_at(c2 + x + 1), sums_at(c2 + x + 3)));
        sum = add_sums(sum, add_sums(sums_at(c3 + x + 1), sums_at(c3 + x + 2)));
        store_rounded(out + x, add_sums(sum, sums_at(c4 + x + 2)));
    }
}

static void picture_pyramid(float *const out[BAND], const float *const rows[2 * BAND],
                            double *in_progress, unsigned w)
{
    enum { KEPT = COLUMNS * (BAND - 1) };
    ColumnSums sums;
    for (unsigned begin = 0; begin < w; begin += BLOCK, in_progress += (RADIUS + 1) * KEPT) {
        const size_t n_outputs = w - begin < BLOCK ? w - begin : BLOCK;
        const size_t n = (n_outputs + LANES - 1) / LANES * LANES;
        const ptrdiff_t first = 2 * (ptrdiff_t)begin - RADIUS;
        sum_columns(sums.of[0], rows, first, in_progress, n + OVERLAP, 0);
        sum_columns(sums.of[1], rows, first, in_progress + KEPT, n + OVERLAP, 1);
        sum_columns(sums.of[2], rows, first, in_progress + 2 * KEPT, n + OVERLAP, 2);
        sum_columns(sums.of[3], rows, first, in_progress + 3 * KEPT, n + OVERLAP, 3);
        sum_columns(sums.of[4], rows, first, in_progress + 4 * KEPT, n + OVERLAP, 4);
        for (int row = 0; row < BAND; row++)
            combine_columns(out[row] + begin, &sums, row, n);
    }
}

void ISA_VARIANT(ssim_kernels_fill_filter)(SsimKernels *kernels)
{
    kernels->lanes = LANES;
    kernels->deal = deal;
    kernels->filter_row = filter_row;
    kernels->filter_product = filter_product;
    kernels->filter_columns = filter_columns;
    kernels->picture_pyramid = picture_pyramid;
}
