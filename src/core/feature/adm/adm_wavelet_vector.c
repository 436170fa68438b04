/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm_kernels.h"
#include "support/vector_samples.h"

/*
 * The wavelet transform by multiplications of 16 by 16 bits whose products are added in pairs.
 * Four taps are two pairs. Vertically a pair is an element of one row beside that of the next;
 * horizontally it is two neighbours as they lie in memory.
 *
 * Coefficients x of 32 bits are split into two numbers of 16 bits, which the same filter takes:
 *
 *     x = 2^16 high + low + 2^15,   -2^15 <= low < 2^15
 *
 * With A and B the filtered halves and S the sum of the taps, the filtered x is
 * 2^16 A + B + 2^15 S.
 */

/* Taps as pairs, and their sum. */
typedef struct Filter {
    Vec first, second;
    int sum;
} Filter;

static inline Filter filter_of(const int16_t taps[4])
{
    return (Filter){vec_set_pair_16(taps[0], taps[1]), vec_set_pair_16(taps[2], taps[3]),
                    taps[0] + taps[1] + taps[2] + taps[3]};
}

static inline Vec filter_pairs(Filter filter, Vec first, Vec second)
{
    return vec_add_32(vec_multiply_add(first, filter.first),
                      vec_multiply_add(second, filter.second));
}

/* Rows of 16-bit samples in the workspace: at full vectors, horizontal filters read this far. */
enum { ROW_SLACK = 2 * VEC_16 };

static int16_t *workspace_row(const AdmWaveletRow *row, int index)
{
    const size_t pitch = (size_t)row->input_columns + 2 * ADM_ROW_MARGIN + ROW_SLACK;
    return (int16_t *)row->workspace + (size_t)index * pitch + ADM_ROW_MARGIN;
}

/* Continues a row beyond the ends of the band: whole-sample symmetric at the beginning,
 * half-sample symmetric at the end. */
static void mirror_ends(int16_t *row, AdmRange columns, int n)
{
    if (columns.begin == 0)
        row[-1] = row[1];
    if (columns.end == n) {
        row[n] = row[n - 1];
        row[n + 1] = row[n - 2];
    }
}

/* Columns of the vertical pass that outputs need. */
static AdmRange support(const AdmWaveletRow *row, AdmRange outputs)
{
    const AdmAxis axis = {.input = row->input_columns};
    return adm_wavelet_support(&axis, outputs);
}

/* -- luma -- */

static inline Vec vertical_luma(Filter filter, const Vec rows[4], Vec rounding, bool deep,
                                int depth)
{
    Vec low = filter_pairs(filter, vec_interleave_low_16(rows[0], rows[1]),
                           vec_interleave_low_16(rows[2], rows[3]));
    Vec high = filter_pairs(filter, vec_interleave_high_16(rows[0], rows[1]),
                            vec_interleave_high_16(rows[2], rows[3]));
    low = vec_add_32(low, rounding);
    high = vec_add_32(high, rounding);
    if (!deep)
        return vec_pack_32s(vec_shift_right_32s(low, 8), vec_shift_right_32s(high, 8));
    /* Samples beyond the bit depth leave 16 bits: this drops the bits above. */
    low = vec_shift_left_all_32(low, 16 - depth);
    high = vec_shift_left_all_32(high, 16 - depth);
    return vec_pack_32s(vec_shift_right_32s(low, 16), vec_shift_right_32s(high, 16));
}

static inline __attribute__((always_inline)) void
vertical_luma_rows(const AdmWaveletRow *row, AdmRange columns, bool deep, bool with_high,
                   int16_t *out_low, int16_t *out_high)
{
    const int depth = row->vertical_shift, half = 1 << depth >> 1, n = row->input_columns;
    const Filter low = filter_of(adm_low_pass), high = filter_of(adm_high_pass);
    /* Bytes are not made relative to mid grey one by one. */
    const Vec mid = vec_set_16(half), high_rounding = vec_set_32(half);
    const Vec low_rounding = vec_set_32(deep ? half : half - half * low.sum);
    for (int x = columns.begin; x < columns.end; x += VEC_16) {
        /* Pictures do not fit the caches that are near. */
        const size_t offset = (size_t)x * (deep ? sizeof(uint16_t) : sizeof(uint8_t));
        for (int k = 0; k < 2; k++)
            __builtin_prefetch((const uint8_t *)row->next[k] + offset);
        Vec rows[4];
        for (int k = 0; k < 4; k++) {
            rows[k] = vec_load_samples(row->input[k], (unsigned)x, (unsigned)n, deep);
            if (deep)
                rows[k] = vec_sub_16(rows[k], mid);
        }
        vec_store(out_low + x, vertical_luma(low, rows, low_rounding, deep, depth));
        if (with_high)
            vec_store(out_high + x, vertical_luma(high, rows, high_rounding, deep, depth));
    }
    mirror_ends(out_low, columns, n);
    if (with_high)
        mirror_ends(out_high, columns, n);
}

static inline Vec horizontal_luma(Filter filter, const int16_t *in)
{
    const Vec sum = filter_pairs(filter, vec_load(in - 1), vec_load(in + 1));
    return vec_shift_right_32s(vec_add_32(sum, vec_set_32(1 << 15)), 16);
}

static void horizontal_luma_row(const int16_t *in, AdmRange columns, const int16_t taps[4],
                                int16_t *out)
{
    const Filter filter = filter_of(taps);
    for (int i = columns.begin; i < columns.end; i += VEC_16)
        vec_store(out + i, vec_pack_natural_32s(horizontal_luma(filter, in + 2 * i),
                                                horizontal_luma(filter, in + 2 * i + VEC_16)));
}

static inline __attribute__((always_inline)) void wavelet_luma(const AdmWaveletRow *row, bool deep)
{
    int16_t *low = workspace_row(row, 0), *high = workspace_row(row, 1);
    const AdmRange columns = support(row, adm_range_hull(row->approx, row->detail));
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

/* -- coarser scales -- */

/* A row of 32-bit coefficients in two halves. */
typedef struct SplitRow {
    int16_t *high, *low;
} SplitRow;

static SplitRow split_row(const AdmWaveletRow *row, int index)
{
    return (SplitRow){workspace_row(row, 2 * index), workspace_row(row, 2 * index + 1)};
}

static void mirror_split_ends(SplitRow row, AdmRange columns, int n)
{
    mirror_ends(row.high, columns, n);
    mirror_ends(row.low, columns, n);
}

/* Two vectors of coefficients, in either order: only packing follows. */
typedef struct Halves {
    Vec high, low;
} Halves;

static inline Halves split(Vec a, Vec b)
{
    return (Halves){
        vec_pack_32s(vec_shift_right_32s(a, 16), vec_shift_right_32s(b, 16)),
        vec_xor(vec_pack_32s(vec_shift_right_32s(vec_shift_left_32(a, 16), 16),
                             vec_shift_right_32s(vec_shift_left_32(b, 16), 16)),
                vec_set_16(-32768)),
    };
}

/* Sums of filtered halves A and B, scaled to 2^-16 or 2^-15 and rounded. */
static inline Vec join_16(Vec high, Vec low, int tap_sum)
{
    const Vec carry = vec_shift_right_32s(vec_add_32(low, vec_set_32(1 << 15)), 16);
    return vec_add_32(vec_add_32(high, vec_set_32(tap_sum / 2)), carry);
}

static inline Vec join_15(Vec high, Vec low, int tap_sum)
{
    const Vec carry = vec_shift_right_32s(vec_add_32(low, vec_set_32(1 << 14)), 15);
    return vec_add_32(vec_add_32(vec_add_32(high, high), vec_set_32(tap_sum)), carry);
}

static inline __attribute__((always_inline)) void
horizontal_row(SplitRow in, AdmRange columns, const int16_t taps[4], int shift, int32_t *out)
{
    const Filter filter = filter_of(taps);
    for (int i = columns.begin; i < columns.end; i += VEC_32) {
        const int x = 2 * i;
        const Vec high = filter_pairs(filter, vec_load(in.high + x - 1), vec_load(in.high + x + 1));
        const Vec low = filter_pairs(filter, vec_load(in.low + x - 1), vec_load(in.low + x + 1));
        vec_store(out + i,
                  shift == 16 ? join_16(high, low, filter.sum) : join_15(high, low, filter.sum));
    }
}

static inline __attribute__((always_inline)) void
horizontal_rows(const AdmWaveletRow *row, SplitRow low, SplitRow high, int shift)
{
    horizontal_row(low, row->approx, adm_low_pass, shift, row->a);
    horizontal_row(low, row->detail, adm_high_pass, shift, row->detail_rows[BAND_V]);
    horizontal_row(high, row->detail, adm_low_pass, shift, row->detail_rows[BAND_H]);
    horizontal_row(high, row->detail, adm_high_pass, shift, row->detail_rows[BAND_D]);
}

static void horizontal_32(const AdmWaveletRow *row, AdmRange columns, SplitRow low, SplitRow high)
{
    mirror_split_ends(low, columns, row->input_columns);
    mirror_split_ends(high, columns, row->input_columns);
    if (row->horizontal_shift == 16)
        horizontal_rows(row, low, high, 16);
    else
        horizontal_rows(row, low, high, 15);
}

static void wavelet_16(const AdmWaveletRow *row)
{
    const int16_t *const *rows = (const int16_t *const *)row->input;
    const SplitRow outs[2] = {split_row(row, 0), split_row(row, 1)};
    const Filter filters[2] = {filter_of(adm_low_pass), filter_of(adm_high_pass)};
    const AdmRange columns = support(row, adm_range_hull(row->approx, row->detail));
    for (int x = columns.begin; x < columns.end; x += VEC_16) {
        const Vec row0 = vec_load(rows[0] + x), row1 = vec_load(rows[1] + x);
        const Vec row2 = vec_load(rows[2] + x), row3 = vec_load(rows[3] + x);
        for (int k = 0; k < 2; k++) {
            const Halves halves = split(filter_pairs(filters[k], vec_interleave_low_16(row0, row1),
                                                     vec_interleave_low_16(row2, row3)),
                                        filter_pairs(filters[k], vec_interleave_high_16(row0, row1),
                                                     vec_interleave_high_16(row2, row3)));
            vec_store(outs[k].high + x, halves.high);
            vec_store(outs[k].low + x, halves.low);
        }
    }
    horizontal_32(row, columns, outs[0], outs[1]);
}

/* Pairs of the halves of coefficients of two rows. */
static inline Halves pairs_of(const int32_t *first_row, const int32_t *second_row)
{
    const Vec first = vec_load(first_row), second = vec_load(second_row);
    return (Halves){
        vec_blend_16(vec_shift_right_32u(first, 16), second),
        vec_xor(vec_blend_16(first, vec_shift_left_32(second, 16)), vec_set_16(-32768)),
    };
}

static void wavelet_32(const AdmWaveletRow *row)
{
    const int32_t *const *rows = (const int32_t *const *)row->input;
    const SplitRow outs[2] = {split_row(row, 0), split_row(row, 1)};
    const Filter filters[2] = {filter_of(adm_low_pass), filter_of(adm_high_pass)};
    const AdmRange columns = support(row, adm_range_hull(row->approx, row->detail));
    for (int x = columns.begin; x < columns.end; x += VEC_16) {
        Vec filtered[2][2];
        for (int i = 0; i < 2; i++) {
            const int column = x + i * VEC_32;
            const Halves first = pairs_of(rows[0] + column, rows[1] + column);
            const Halves second = pairs_of(rows[2] + column, rows[3] + column);
            for (int k = 0; k < 2; k++)
                filtered[k][i] =
                    join_16(filter_pairs(filters[k], first.high, second.high),
                            filter_pairs(filters[k], first.low, second.low), filters[k].sum);
        }
        for (int k = 0; k < 2; k++) {
            const Halves halves = split(filtered[k][0], filtered[k][1]);
            vec_store(outs[k].high + x, vec_natural_after_pack(halves.high));
            vec_store(outs[k].low + x, vec_natural_after_pack(halves.low));
        }
    }
    horizontal_32(row, columns, outs[0], outs[1]);
}

void ISA_VARIANT(adm_kernels_fill_wavelet)(AdmKernels *kernels)
{
    kernels->wavelet_luma8 = wavelet_luma8;
    kernels->wavelet_luma16 = wavelet_luma16;
    kernels->wavelet_16 = wavelet_16;
    kernels->wavelet_32 = wavelet_32;
}
