/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stddef.h>

#include "metrics/float_vif/float_vif_internal.h"
#include "support/loops.h"
#include "support/vector_lanes.h"

typedef UnalignedLanesF32 Floats;
enum { LANES = LANES_32 };

/* Vectors of sums that stay in registers through all taps; they hide the time an addition takes. */
enum { WIDE = 8, WIDE_ROWS = LANES == 16 ? 4 : 2 };

__attribute__((always_inline)) static inline void weigh_vectors(const float *const *rows,
                                                                const float *taps, int n_taps,
                                                                size_t at, float *out,
                                                                int n_vectors)
{
    Floats sums[WIDE] = {0};
    for (int k = 0; k < n_taps; k++) {
        const Floats *row = (const Floats *)(rows[k] + at);
        UNROLL_FULLY(8)
        for (int i = 0; i < n_vectors; i++)
            sums[i] += taps[k] * row[i];
    }
    UNROLL_FULLY(8)
    for (int i = 0; i < n_vectors; i++)
        ((Floats *)(out + at))[i] = sums[i];
}

static void weighted_sum(const float *const *rows, const float *taps, int n_taps, float *out,
                         unsigned w)
{
    size_t x = 0;
    for (; x + WIDE * LANES <= w; x += WIDE * LANES)
        weigh_vectors(rows, taps, n_taps, x, out, WIDE);
    for (; x < w; x += LANES)
        weigh_vectors(rows, taps, n_taps, x, out, 1);
}

enum { GROUP = FLOAT_VIF_GROUP };

/* Adds a row to the sums from first to last; tap is that of sum 0. */
__attribute__((always_inline)) static inline void add_row(Floats sums[GROUP][WIDE_ROWS],
                                                          const float *row, const float *tap,
                                                          int first, int last, int n_vectors)
{
    UNROLL_FULLY(4)
    for (int i = 0; i < n_vectors; i++) {
        const Floats v = ((const Floats *)row)[i];
        UNROLL_FULLY(4)
        for (int r = first; r <= last; r++)
            sums[r][i] += tap[-r] * v;
    }
}

__attribute__((always_inline)) static inline void weigh_group(const float *const *rows,
                                                              const float *taps, int n_taps,
                                                              size_t at, float *const *out,
                                                              int n_vectors)
{
    Floats sums[GROUP][WIDE_ROWS] = {0};
    UNROLL_FULLY(4)
    for (int k = 0; k < GROUP - 1; k++)
        add_row(sums, rows[k] + at, taps + k, 0, k, n_vectors);
    for (int k = GROUP - 1; k < n_taps; k++)
        add_row(sums, rows[k] + at, taps + k, 0, GROUP - 1, n_vectors);
    UNROLL_FULLY(4)
    for (int first = 1; first < GROUP; first++)
        add_row(sums, rows[n_taps - 1 + first] + at, taps + n_taps - 1 + first, first, GROUP - 1,
                n_vectors);
    for (int r = 0; r < GROUP; r++) {
        UNROLL_FULLY(4)
        for (int i = 0; i < n_vectors; i++)
            ((Floats *)(out[r] + at))[i] = sums[r][i];
    }
}

static void weighted_sums(const float *const *rows, const float *taps, int n_taps,
                          float *const out[GROUP], unsigned w)
{
    size_t x = 0;
    for (; x + WIDE_ROWS * LANES <= w; x += WIDE_ROWS * LANES)
        weigh_group(rows, taps, n_taps, x, out, WIDE_ROWS);
    for (; x < w; x += LANES)
        weigh_group(rows, taps, n_taps, x, out, 1);
}

static void products(const float *restrict a, const float *restrict b, float *restrict aa,
                     float *restrict bb, float *restrict ab, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        aa[x] = a[x] * a[x];
        bb[x] = b[x] * b[x];
        ab[x] = a[x] * b[x];
    }
}

void ISA_VARIANT(float_vif_kernels_fill_filter)(FloatVifKernels *kernels)
{
    kernels->weighted_sum = weighted_sum;
    kernels->weighted_sums = weighted_sums;
    kernels->products = products;
}
