/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_wavelet_rows.h"
#include "support/vector.h"

/*
 * The wavelet transform of coarser scales by multiplications of 16 by 16 bits whose products are
 * added in pairs, which x86 does best. Four taps are two pairs. Vertically a pair is an element of
 * one row beside that of the next; horizontally it is two neighbours as they lie in memory.
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

/* A row of 32-bit coefficients in two halves. */
typedef struct SplitRow {
    int16_t *high, *low;
} SplitRow;

static SplitRow split_row(const AdmWaveletRow *row, int index)
{
    return (SplitRow){adm_workspace_row(row, 2 * index), adm_workspace_row(row, 2 * index + 1)};
}

static void mirror_split_ends(SplitRow row, AdmRange columns, int n)
{
    adm_mirror_ends(row.high, columns, n);
    adm_mirror_ends(row.low, columns, n);
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
    const AdmRange columns = adm_row_support(row, adm_range_hull(row->approx, row->detail));
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
    const AdmRange columns = adm_row_support(row, adm_range_hull(row->approx, row->detail));
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

void ISA_VARIANT(adm_functions_fill_coarse)(AdmFunctions *functions)
{
    functions->wavelet_16 = wavelet_16;
    functions->wavelet_32 = wavelet_32;
}
