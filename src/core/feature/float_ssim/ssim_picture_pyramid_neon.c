/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/ssim_kernels.h"
#include "feature/float_ssim/ssim_neon.h"
#include "feature/float_ssim/ssim_pyramid_taps.h"

/* ssim_picture_pyramid.c for NEON; which is also where the method is explained. */

enum { RADIUS = SSIM_PYRAMID_RADIUS, BAND = SSIM_PYRAMID_BAND, BLOCK = SSIM_PYRAMID_BLOCK };
enum { COLUMNS = BLOCK + SSIM_PADDING, OVERLAP = SSIM_PYRAMID_RADIUS };

/* Sums of columns; column i is two before output i. */
typedef struct ColumnSums {
    double of[RADIUS + 1][BAND][COLUMNS] __attribute__((aligned(64)));
} ColumnSums;

/* A column of taps, which is symmetric: rows 0 to 3, and row 4, the centre. */
typedef struct Taps {
    float32x4_t outer;
    float32x2_t centre;
} Taps;

static inline Taps load_taps(int u)
{
    float rows[RADIUS + 1];
    for (int v = 0; v <= RADIUS; v++)
        rows[v] = ssim_pyramid_taps[v][u];
    Taps taps = {vld1q_f32(rows), vdup_n_f32(rows[RADIUS])};
    KEEP_IN_REGISTER(taps.outer);
    KEEP_IN_REGISTER(taps.centre);
    return taps;
}

/* Every other sample of 2 LANES. */
static inline float32x4_t load_half(const float *row, bool odd)
{
    const float32x4_t first = vld1q_f32(row), second = vld1q_f32(row + LANES);
    return odd ? vuzp2q_f32(first, second) : vuzp1q_f32(first, second);
}

/* Sums over columns of taps u, of n columns of samples. */
__attribute__((always_inline)) static inline void sum_columns(double sums[BAND][COLUMNS],
                                                              const float *const rows[2 * BAND],
                                                              ptrdiff_t first, double *in_progress,
                                                              size_t n, int u)
{
    const Taps taps = load_taps(u);
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
            const float32x4_t a = load_half(rows[2 * s] + at, u % 2);
            const float32x4_t b = load_half(rows[2 * s + 1] + at, u % 2);
            Sums *finished = &outputs[s], *second = &outputs[(s + 1) % BAND];
            Sums *third = &outputs[(s + 2) % BAND], *fourth = &outputs[(s + 3) % BAND];
            Sums *begun = &outputs[(s + 4) % BAND];
            const Sums a0 = widen(vmulq_laneq_f32(a, taps.outer, 0));
            const Sums a2 = widen(vmulq_laneq_f32(a, taps.outer, 2));
            const Sums b1 = widen(vmulq_laneq_f32(b, taps.outer, 1));
            const Sums b3 = widen(vmulq_laneq_f32(b, taps.outer, 3));
            store_sums(&sums[s][x], add(*finished, a0));
            *begun = add(a0, b1);
            *second = add(add(*second, a2), b1);
            *fourth = add(add(*fourth, a2), b3);
            *third = add(add(*third, widen(vmulq_lane_f32(a, taps.centre, 0))), b3);
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
        Sums sum = add(load_sums(c0 + x), load_sums(c0 + x + 4));
        sum = add(sum, add(load_sums(c1 + x), load_sums(c1 + x + 3)));
        sum = add(sum, add(load_sums(c2 + x + 1), load_sums(c2 + x + 3)));
        sum = add(sum, add(load_sums(c3 + x + 1), load_sums(c3 + x + 2)));
        store_rounded(out + x, add(sum, load_sums(c4 + x + 2)));
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

void ssim_kernels_fill_picture_pyramid_neon(SsimKernels *kernels)
{
    kernels->picture_pyramid = picture_pyramid;
}
