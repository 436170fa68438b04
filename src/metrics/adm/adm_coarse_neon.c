/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <arm_neon.h>
#include <stddef.h>

#include "metrics/adm/adm_wavelet_rows.h"

/*
 * The wavelet transform of coarser scales with NEON, which multiplies 32 by 32 bits and adds the
 * products in 64 bits. Loads that take even and odd columns apart make the decimation of the
 * horizontal pass.
 */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { COLUMNS_16 = 8, COLUMNS_32 = 4 }; /* of a vector */

static int32_t *workspace_row(const AdmWaveletRow *row, int index)
{
    const size_t pitch = (size_t)row->input_columns + 2 + 2 * ADM_ROW_MARGIN;
    return (int32_t *)row->workspace + (size_t)index * pitch + ADM_ROW_MARGIN;
}

/* See adm_mirror_ends. */
static void mirror_ends(int32_t *row, AdmRange columns, int n)
{
    if (columns.begin == 0)
        row[-1] = row[1];
    if (columns.end == n) {
        row[n] = row[n - 1];
        row[n + 1] = row[n - 2];
    }
}

/* Sums of 8 columns, the first four in `low`. */
typedef struct Sums {
    int32x4_t low, high;
} Sums;

ALWAYS_INLINE Sums filter_16(int16x8_t x0, int16x8_t x1, int16x8_t x2, int16x8_t x3, int16x4_t taps)
{
    Sums sums = {vmull_lane_s16(vget_low_s16(x0), taps, 0), vmull_high_lane_s16(x0, taps, 0)};
    sums.low = vmlal_lane_s16(sums.low, vget_low_s16(x1), taps, 1);
    sums.high = vmlal_high_lane_s16(sums.high, x1, taps, 1);
    sums.low = vmlal_lane_s16(sums.low, vget_low_s16(x2), taps, 2);
    sums.high = vmlal_high_lane_s16(sums.high, x2, taps, 2);
    sums.low = vmlal_lane_s16(sums.low, vget_low_s16(x3), taps, 3);
    sums.high = vmlal_high_lane_s16(sums.high, x3, taps, 3);
    return sums;
}

static inline int32x4_t load_taps_32(const int16_t taps[4])
{
    return vmovl_s16(vld1_s16(taps));
}

/* Sums of 4 columns in 64 bits, rounded and shifted. */
ALWAYS_INLINE int32x4_t filter_32(int32x4_t x0, int32x4_t x1, int32x4_t x2, int32x4_t x3,
                                  int32x4_t taps, int shift)
{
    int64x2_t low = vmull_laneq_s32(vget_low_s32(x0), taps, 0);
    int64x2_t high = vmull_high_laneq_s32(x0, taps, 0);
    low = vmlal_laneq_s32(low, vget_low_s32(x1), taps, 1);
    high = vmlal_high_laneq_s32(high, x1, taps, 1);
    low = vmlal_laneq_s32(low, vget_low_s32(x2), taps, 2);
    high = vmlal_high_laneq_s32(high, x2, taps, 2);
    low = vmlal_laneq_s32(low, vget_low_s32(x3), taps, 3);
    high = vmlal_high_laneq_s32(high, x3, taps, 3);
    return shift == 16 ? vrshrn_high_n_s64(vrshrn_n_s64(low, 16), high, 16)
                       : vrshrn_high_n_s64(vrshrn_n_s64(low, 15), high, 15);
}

ALWAYS_INLINE void horizontal_row(const int32_t *in, AdmRange columns, const int16_t taps[4],
                                  int shift, int32_t *out)
{
    const int32x4_t filter = load_taps_32(taps);
    for (ptrdiff_t i = columns.begin; i < columns.end; i += COLUMNS_32) {
        const int32x4x2_t left = vld2q_s32(in + 2 * i - 1), right = vld2q_s32(in + 2 * i + 1);
        vst1q_s32(out + i,
                  filter_32(left.val[0], left.val[1], right.val[0], right.val[1], filter, shift));
    }
}

ALWAYS_INLINE void horizontal_rows(const AdmWaveletRow *row, const int32_t *low,
                                   const int32_t *high, int shift)
{
    horizontal_row(low, row->approx, adm_low_pass, shift, row->a);
    horizontal_row(low, row->detail, adm_high_pass, shift, row->detail_rows[BAND_V]);
    horizontal_row(high, row->detail, adm_low_pass, shift, row->detail_rows[BAND_H]);
    horizontal_row(high, row->detail, adm_high_pass, shift, row->detail_rows[BAND_D]);
}

static void horizontal_32(const AdmWaveletRow *row, AdmRange columns, int32_t *low, int32_t *high)
{
    mirror_ends(low, columns, row->input_columns);
    mirror_ends(high, columns, row->input_columns);
    if (row->horizontal_shift == 16)
        horizontal_rows(row, low, high, 16);
    else
        horizontal_rows(row, low, high, 15);
}

static void wavelet_16(const AdmWaveletRow *row)
{
    const int16_t *const rows[4] = {row->input[0], row->input[1], row->input[2], row->input[3]};
    const int16x4_t low_pass = vld1_s16(adm_low_pass), high_pass = vld1_s16(adm_high_pass);
    int32_t *low = workspace_row(row, 0), *high = workspace_row(row, 1);
    const AdmRange columns = adm_row_support(row, adm_range_hull(row->approx, row->detail));
    for (ptrdiff_t x = columns.begin; x < columns.end; x += COLUMNS_16) {
        const int16x8_t row0 = vld1q_s16(rows[0] + x), row1 = vld1q_s16(rows[1] + x);
        const int16x8_t row2 = vld1q_s16(rows[2] + x), row3 = vld1q_s16(rows[3] + x);
        const Sums low_sums = filter_16(row0, row1, row2, row3, low_pass);
        const Sums high_sums = filter_16(row0, row1, row2, row3, high_pass);
        vst1q_s32(low + x, low_sums.low);
        vst1q_s32(low + x + COLUMNS_32, low_sums.high);
        vst1q_s32(high + x, high_sums.low);
        vst1q_s32(high + x + COLUMNS_32, high_sums.high);
    }
    horizontal_32(row, columns, low, high);
}

static void wavelet_32(const AdmWaveletRow *row)
{
    const int32_t *const rows[4] = {row->input[0], row->input[1], row->input[2], row->input[3]};
    const int32x4_t low_pass = load_taps_32(adm_low_pass), high_pass = load_taps_32(adm_high_pass);
    int32_t *low = workspace_row(row, 0), *high = workspace_row(row, 1);
    const AdmRange columns = adm_row_support(row, adm_range_hull(row->approx, row->detail));
    for (ptrdiff_t x = columns.begin; x < columns.end; x += COLUMNS_32) {
        const int32x4_t row0 = vld1q_s32(rows[0] + x), row1 = vld1q_s32(rows[1] + x);
        const int32x4_t row2 = vld1q_s32(rows[2] + x), row3 = vld1q_s32(rows[3] + x);
        vst1q_s32(low + x, filter_32(row0, row1, row2, row3, low_pass, 16));
        vst1q_s32(high + x, filter_32(row0, row1, row2, row3, high_pass, 16));
    }
    horizontal_32(row, columns, low, high);
}

void ISA_VARIANT(adm_functions_fill_coarse)(AdmFunctions *functions)
{
    functions->wavelet_16 = wavelet_16;
    functions->wavelet_32 = wavelet_32;
}
