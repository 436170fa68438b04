/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_internal.h"
#include "metrics/common/mirror.h"

/*
 * One level of the wavelet transform as it is defined: four rows are filtered vertically, and of
 * what that gives, which is continued by mirrors beyond its ends, four columns horizontally. One
 * column in two is kept. Numbers wrap in the width that they are kept in.
 */

typedef int32_t ColumnFunction(const AdmWaveletRow *row, int column, const int16_t taps[4]);

static int64_t weighted(const int64_t x[4], const int16_t taps[4])
{
    return x[0] * taps[0] + x[1] * taps[1] + x[2] * taps[2] + x[3] * taps[3];
}

/* -- vertically -- */

/* Samples relative to mid grey. */
static int32_t filter_luma(const int sample[4], int depth, const int16_t taps[4])
{
    int64_t relative[4];
    for (int k = 0; k < 4; k++)
        relative[k] = (int16_t)(sample[k] - (1 << depth >> 1));
    return (int16_t)adm_round_shift_signed((uint64_t)weighted(relative, taps), depth);
}

static int32_t column_of_luma8(const AdmWaveletRow *row, int column, const int16_t taps[4])
{
    int sample[4];
    for (int k = 0; k < 4; k++)
        sample[k] = ((const uint8_t *)row->input[k])[column];
    return filter_luma(sample, row->vertical_shift, taps);
}

static int32_t column_of_luma16(const AdmWaveletRow *row, int column, const int16_t taps[4])
{
    int sample[4];
    for (int k = 0; k < 4; k++)
        sample[k] = ((const uint16_t *)row->input[k])[column];
    return filter_luma(sample, row->vertical_shift, taps);
}

static int32_t column_of_16(const AdmWaveletRow *row, int column, const int16_t taps[4])
{
    int64_t x[4];
    for (int k = 0; k < 4; k++)
        x[k] = ((const int16_t *)row->input[k])[column];
    return (int32_t)weighted(x, taps);
}

static int32_t column_of_32(const AdmWaveletRow *row, int column, const int16_t taps[4])
{
    int64_t x[4];
    for (int k = 0; k < 4; k++)
        x[k] = ((const int32_t *)row->input[k])[column];
    return (int32_t)adm_round_shift_signed((uint64_t)weighted(x, taps), row->vertical_shift);
}

/* -- horizontally -- */

static int32_t coefficient(const AdmWaveletRow *row, int i, ColumnFunction *column,
                           const int16_t vertical[4], const int16_t horizontal[4])
{
    int64_t x[4];
    for (int k = 0; k < 4; k++)
        x[k] = column(row, (int)mirror_whole_and_half(2 * i - 1 + k, (unsigned)row->input_columns),
                      vertical);
    return (int32_t)adm_round_shift_signed((uint64_t)weighted(x, horizontal),
                                           row->horizontal_shift);
}

static void filter_16(const AdmWaveletRow *row, AdmRange columns, ColumnFunction *column,
                      const int16_t vertical[4], const int16_t horizontal[4], int16_t *out)
{
    for (int i = columns.begin; i < columns.end; i++)
        out[i] = (int16_t)coefficient(row, i, column, vertical, horizontal);
}

static void filter_32(const AdmWaveletRow *row, AdmRange columns, ColumnFunction *column,
                      const int16_t vertical[4], const int16_t horizontal[4], int32_t *out)
{
    for (int i = columns.begin; i < columns.end; i++)
        out[i] = coefficient(row, i, column, vertical, horizontal);
}

static void bands_16(const AdmWaveletRow *row, ColumnFunction *column)
{
    void *const *detail = row->detail_rows;
    filter_16(row, row->approx, column, adm_low_pass, adm_low_pass, row->a);
    filter_16(row, row->detail, column, adm_low_pass, adm_high_pass, detail[BAND_V]);
    filter_16(row, row->detail, column, adm_high_pass, adm_low_pass, detail[BAND_H]);
    filter_16(row, row->detail, column, adm_high_pass, adm_high_pass, detail[BAND_D]);
}

static void bands_32(const AdmWaveletRow *row, ColumnFunction *column)
{
    void *const *detail = row->detail_rows;
    filter_32(row, row->approx, column, adm_low_pass, adm_low_pass, row->a);
    filter_32(row, row->detail, column, adm_low_pass, adm_high_pass, detail[BAND_V]);
    filter_32(row, row->detail, column, adm_high_pass, adm_low_pass, detail[BAND_H]);
    filter_32(row, row->detail, column, adm_high_pass, adm_high_pass, detail[BAND_D]);
}

static void wavelet_luma8(const AdmWaveletRow *row)
{
    bands_16(row, column_of_luma8);
}

static void wavelet_luma16(const AdmWaveletRow *row)
{
    bands_16(row, column_of_luma16);
}

static void wavelet_16(const AdmWaveletRow *row)
{
    bands_32(row, column_of_16);
}

static void wavelet_32(const AdmWaveletRow *row)
{
    bands_32(row, column_of_32);
}

void adm_kernels_fill_wavelet_scalar(AdmKernels *kernels)
{
    kernels->wavelet_luma8 = wavelet_luma8;
    kernels->wavelet_luma16 = wavelet_luma16;
}

void adm_kernels_fill_coarse_scalar(AdmKernels *kernels)
{
    kernels->wavelet_16 = wavelet_16;
    kernels->wavelet_32 = wavelet_32;
}
