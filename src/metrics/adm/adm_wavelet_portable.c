/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stddef.h>

#include "metrics/adm/adm_internal.h"
#include "support/loops.h"

/*
 * One level of the wavelet transform: a vertical pass over four rows into a low and a high row,
 * then a horizontal pass with decimation over each. For processors without other vectors than those
 * that compilers make of plain C; adm_wavelet_scalar.c says what it computes.
 */

/* Compilers that see the numbers multiply by them faster. */
static const int16_t low_pass[4] = {ADM_LOW0, ADM_LOW1, ADM_LOW2, ADM_LOW3};
static const int16_t high_pass[4] = {ADM_HIGH0, ADM_HIGH1, ADM_HIGH2, ADM_HIGH3};

/* Columns of the vertical pass that outputs need. */
static AdmRange support(const AdmWaveletRow *row, AdmRange outputs)
{
    const AdmAxis axis = {.input = row->input_columns};
    return adm_wavelet_support(&axis, outputs);
}

/* -- luma: even and odd columns apart, so that the decimation reads neighbours in memory -- */

typedef struct SplitRow {
    int16_t *even, *odd; /* columns 2 i and 2 i + 1 at i */
} SplitRow;

static size_t split_row_columns(int input_columns)
{
    return (size_t)input_columns / 2 + 2 + 2 * ADM_ROW_MARGIN;
}

static SplitRow split_row(const AdmWaveletRow *row, int index)
{
    const size_t length = split_row_columns(row->input_columns);
    int16_t *first = (int16_t *)row->workspace + 2 * (size_t)index * length + ADM_ROW_MARGIN;
    return (SplitRow){first, first + length};
}

/* Luma sample relative to mid grey: 16 bits whatever the depth. */
static inline int16_t luma(const void *row, int column, bool deep, int mid)
{
    const int sample = deep ? ((const uint16_t *)row)[column] : ((const uint8_t *)row)[column];
    return (int16_t)(sample - mid);
}

/* One column of the vertical pass. */
static inline int16_t luma_column(const AdmWaveletRow *row, int column, bool deep,
                                  const int16_t taps[4])
{
    const int depth = row->vertical_shift, mid = 1 << depth >> 1;
    int sum = mid;
    for (int k = 0; k < 4; k++)
        sum += taps[k] * luma(row->input[k], column, deep, mid);
    return (int16_t)(sum >> depth);
}

static inline __attribute__((always_inline)) void
luma_vertical(const AdmWaveletRow *row, AdmRange columns, bool deep, bool high, SplitRow out)
{
    const int depth = row->vertical_shift, mid = 1 << depth >> 1;
    const void *const row0 = row->input[0], *const row1 = row->input[1];
    const void *const row2 = row->input[2], *const row3 = row->input[3];
    int16_t *restrict even = out.even, *restrict odd = out.odd;
    const int16_t tap0 = high ? ADM_HIGH0 : ADM_LOW0, tap1 = high ? ADM_HIGH1 : ADM_LOW1;
    const int16_t tap2 = high ? ADM_HIGH2 : ADM_LOW2, tap3 = high ? ADM_HIGH3 : ADM_LOW3;

    const int pairs_end = adm_min(columns.end + 1, row->input_columns) / 2;
    VECTORS_OF(int16_t)
    for (int i = columns.begin / 2; i < pairs_end; i++) {
        const int16_t e0 = luma(row0, 2 * i, deep, mid), o0 = luma(row0, 2 * i + 1, deep, mid);
        const int16_t e1 = luma(row1, 2 * i, deep, mid), o1 = luma(row1, 2 * i + 1, deep, mid);
        const int16_t e2 = luma(row2, 2 * i, deep, mid), o2 = luma(row2, 2 * i + 1, deep, mid);
        const int16_t e3 = luma(row3, 2 * i, deep, mid), o3 = luma(row3, 2 * i + 1, deep, mid);
        even[i] = (int16_t)((e0 * tap0 + e1 * tap1 + e2 * tap2 + e3 * tap3 + mid) >> depth);
        odd[i] = (int16_t)((o0 * tap0 + o1 * tap1 + o2 * tap2 + o3 * tap3 + mid) >> depth);
    }

    const int n = row->input_columns;
    if (n % 2 != 0 && columns.end == n)
        even[n / 2] = luma_column(row, n - 1, deep, high ? high_pass : low_pass);
    if (columns.begin == 0)
        odd[-1] = odd[0];
    if (columns.end == n && n % 2 == 0) {
        even[n / 2] = odd[n / 2 - 1];
    } else if (columns.end == n) {
        odd[n / 2] = even[n / 2];
        even[n / 2 + 1] = odd[n / 2 - 1];
    }
}

static void luma_horizontal(SplitRow in, AdmRange columns, bool high, int16_t *restrict out)
{
    const int16_t *restrict even = in.even, *restrict odd = in.odd;
    enum { SHIFT = 16, HALF = 1 << (SHIFT - 1) };
    if (high) {
        VECTORS_OF(int16_t)
        for (int i = columns.begin; i < columns.end; i++)
            out[i] = (int16_t)((odd[i - 1] * ADM_HIGH0 + even[i] * ADM_HIGH1 + odd[i] * ADM_HIGH2 +
                                even[i + 1] * ADM_HIGH3 + HALF) >>
                               SHIFT);
    } else {
        VECTORS_OF(int16_t)
        for (int i = columns.begin; i < columns.end; i++)
            out[i] = (int16_t)((odd[i - 1] * ADM_LOW0 + even[i] * ADM_LOW1 + odd[i] * ADM_LOW2 +
                                even[i + 1] * ADM_LOW3 + HALF) >>
                               SHIFT);
    }
}

static inline __attribute__((always_inline)) void wavelet_luma(const AdmWaveletRow *row, bool deep)
{
    const AdmRange columns = adm_range_hull(row->approx, row->detail);
    const SplitRow low = split_row(row, 0), high = split_row(row, 1);

    luma_vertical(row, support(row, columns), deep, false, low);
    luma_horizontal(low, row->approx, false, row->a);
    if (adm_range_length(row->detail) > 0) {
        luma_vertical(row, support(row, row->detail), deep, true, high);
        luma_horizontal(low, row->detail, true, row->detail_rows[BAND_V]);
        luma_horizontal(high, row->detail, false, row->detail_rows[BAND_H]);
        luma_horizontal(high, row->detail, true, row->detail_rows[BAND_D]);
    }
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

static int32_t *plain_row(const AdmWaveletRow *row, int index)
{
    const size_t length = (size_t)row->input_columns + 2 + 2 * ADM_ROW_MARGIN;
    return (int32_t *)row->workspace + (size_t)index * length + ADM_ROW_MARGIN;
}

/* Continues a row beyond the ends of the band: whole-sample symmetric at the beginning,
 * half-sample symmetric at the end. */
static void mirror_ends(int32_t *row, AdmRange columns, int n)
{
    if (columns.begin == 0)
        row[-1] = row[1];
    if (columns.end == n) {
        row[n] = row[n - 1];
        row[n + 1] = row[n - 2];
    }
}

static inline int32_t filter(const int32_t x[4], const int16_t taps[4], int shift)
{
    const int64_t sum = (int64_t)x[0] * taps[0] + (int64_t)x[1] * taps[1] +
                        (int64_t)x[2] * taps[2] + (int64_t)x[3] * taps[3];
    return (int32_t)((sum + ((int64_t)1 << shift >> 1)) >> shift);
}

static void horizontal_32(const AdmWaveletRow *row, const int32_t *low, const int32_t *high)
{
    const int shift = row->horizontal_shift;
    int32_t *a = row->a, *h = row->detail_rows[BAND_H];
    int32_t *v = row->detail_rows[BAND_V], *d = row->detail_rows[BAND_D];
    for (int i = row->approx.begin; i < row->approx.end; i++)
        a[i] = filter(low + 2 * i - 1, low_pass, shift);
    for (int i = row->detail.begin; i < row->detail.end; i++) {
        v[i] = filter(low + 2 * i - 1, high_pass, shift);
        h[i] = filter(high + 2 * i - 1, low_pass, shift);
        d[i] = filter(high + 2 * i - 1, high_pass, shift);
    }
}

static void wavelet_16(const AdmWaveletRow *row)
{
    const int16_t *const row0 = row->input[0], *const row1 = row->input[1];
    const int16_t *const row2 = row->input[2], *const row3 = row->input[3];
    int32_t *restrict low = plain_row(row, 0), *restrict high = plain_row(row, 1);
    const AdmRange columns = support(row, adm_range_hull(row->approx, row->detail));
    for (int x = columns.begin; x < columns.end; x++) {
        low[x] = row0[x] * ADM_LOW0 + row1[x] * ADM_LOW1 + row2[x] * ADM_LOW2 + row3[x] * ADM_LOW3;
        high[x] =
            row0[x] * ADM_HIGH0 + row1[x] * ADM_HIGH1 + row2[x] * ADM_HIGH2 + row3[x] * ADM_HIGH3;
    }
    mirror_ends(low, columns, row->input_columns);
    mirror_ends(high, columns, row->input_columns);
    horizontal_32(row, low, high);
}

static void wavelet_32(const AdmWaveletRow *row)
{
    const int32_t *const row0 = row->input[0], *const row1 = row->input[1];
    const int32_t *const row2 = row->input[2], *const row3 = row->input[3];
    int32_t *restrict low = plain_row(row, 0), *restrict high = plain_row(row, 1);
    const AdmRange columns = support(row, adm_range_hull(row->approx, row->detail));
    for (int x = columns.begin; x < columns.end; x++) {
        const int32_t samples[4] = {row0[x], row1[x], row2[x], row3[x]};
        low[x] = filter(samples, low_pass, row->vertical_shift);
        high[x] = filter(samples, high_pass, row->vertical_shift);
    }
    mirror_ends(low, columns, row->input_columns);
    mirror_ends(high, columns, row->input_columns);
    horizontal_32(row, low, high);
}

void adm_kernels_fill_wavelet_portable(AdmKernels *kernels)
{
    kernels->wavelet_luma8 = wavelet_luma8;
    kernels->wavelet_luma16 = wavelet_luma16;
}

void adm_kernels_fill_coarse_portable(AdmKernels *kernels)
{
    kernels->wavelet_16 = wavelet_16;
    kernels->wavelet_32 = wavelet_32;
}
