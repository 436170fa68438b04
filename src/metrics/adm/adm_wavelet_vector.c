/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_wavelet_rows.h"
#include "support/vector.h"

/* The wavelet transform of luma: coefficients and what is between the passes have 16 bits. */

enum { LOW_PASS_SUM = ADM_LOW0 + ADM_LOW1 + ADM_LOW2 + ADM_LOW3 };

static inline Vec vertical_luma(const Vec rows[4], const int16_t taps[4], bool deep, int depth)
{
    VecPair sums = vec_weighted_2(rows[0], taps[0], rows[1], taps[1]);
    sums = vec_add_weighted_2(sums, rows[2], taps[2], rows[3], taps[3]);
    /* Samples beyond the bit depth leave 16 bits: this drops the bits above. */
    return deep ? vec_narrow_rounded_all(sums, depth) : vec_pack_rounded(sums, 8);
}

/* Bytes are not made relative to mid grey one by one: the sum is, when it is rounded. The taps of
 * the high pass add up to nothing. */
static inline Vec vertical_low_pass_of_bytes(const Vec rows[4])
{
    const int half = 1 << 7;
    const Vec start = vec_set_32(half - half * LOW_PASS_SUM);
    VecPair sums =
        vec_add_weighted_2((VecPair){start, start}, rows[0], ADM_LOW0, rows[1], ADM_LOW1);
    sums = vec_add_weighted_2(sums, rows[2], ADM_LOW2, rows[3], ADM_LOW3);
    return vec_pack_shifted(sums, 8);
}

static inline __attribute__((always_inline)) void
vertical_luma_rows(const AdmWaveletRow *row, AdmRange columns, bool deep, bool with_high,
                   int16_t *out_low, int16_t *out_high)
{
    const int depth = row->vertical_shift, half = 1 << depth >> 1, n = row->input_columns;
    const Vec mid = vec_set_16(half);
    for (ptrdiff_t x = columns.begin; x < columns.end; x += VEC_16) {
        /* Pictures do not fit the caches that are near. */
        const size_t offset = (size_t)x * (deep ? sizeof(uint16_t) : sizeof(uint8_t));
        for (int k = 0; k < 2; k++)
            __builtin_prefetch((const uint8_t *)row->next[k] + offset);
        Vec rows[4];
        for (int k = 0; k < 4; k++) {
            rows[k] = vec_load_samples(row->input[k], (size_t)x, (size_t)n, deep);
            if (deep)
                rows[k] = vec_sub_16(rows[k], mid);
        }
        vec_store(out_low + x, deep ? vertical_luma(rows, adm_low_pass, deep, depth)
                                    : vertical_low_pass_of_bytes(rows));
        if (with_high)
            vec_store(out_high + x, vertical_luma(rows, adm_high_pass, deep, depth));
    }
    adm_mirror_ends(out_low, columns, n);
    if (with_high)
        adm_mirror_ends(out_high, columns, n);
}

static void horizontal_luma_row(const int16_t *in, AdmRange columns, const int16_t taps[4],
                                int16_t *out)
{
    for (ptrdiff_t i = columns.begin; i < columns.end; i += VEC_16)
        vec_store(out + i, vec_decimate_4(in + 2 * i, taps));
}

static inline __attribute__((always_inline)) void wavelet_luma(const AdmWaveletRow *row, bool deep)
{
    int16_t *low = adm_workspace_row(row, 0), *high = adm_workspace_row(row, 1);
    const AdmRange columns = adm_row_support(row, adm_range_hull(row->approx, row->detail));
    if (adm_range_length(row->detail) == 0) {
        vertical_luma_rows(row, columns, deep, false, low, high);
    } else {
        vertical_luma_rows(row, columns, deep, true, low, high);
        horizontal_luma_row(low, row->detail, adm_high_pass, row->detail_rows[BAND_V]);
        horizontal_luma_row(high, row->detail, adm_low_pass, row->detail_rows[BAND_H]);
        horizontal_luma_row(high, row->detail, adm_high_pass, row->detail_rows[BAND_D]);
    }
    horizontal_luma_row(low, row->approx, adm_low_pass, row->a);
}

static void wavelet_luma8(const AdmWaveletRow *row)
{
    wavelet_luma(row, false);
}

static void wavelet_luma16(const AdmWaveletRow *row)
{
    wavelet_luma(row, true);
}

void ISA_VARIANT(adm_kernels_fill_wavelet)(AdmKernels *kernels)
{
    kernels->wavelet_luma8 = wavelet_luma8;
    kernels->wavelet_luma16 = wavelet_luma16;
}
