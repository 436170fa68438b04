/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/float_adm/float_adm_constants.h"
#include "metrics/float_adm/float_adm_internal.h"

/*
 * One level of the wavelet transform (Daubechies "db2"): a vertical pass over four rows into a low
 * and a high row, then a horizontal pass with decimation over each.
 */

static const float low0 = FLOAT_ADM_LOW0, low1 = FLOAT_ADM_LOW1;
static const float low2 = FLOAT_ADM_LOW2, low3 = FLOAT_ADM_LOW3;

/* The four-tap filters. The high-pass taps are the low-pass ones backwards, every other negated. */
static inline float low_pass(float x0, float x1, float x2, float x3)
{
    return low0 * x0 + low1 * x1 + low2 * x2 + low3 * x3;
}

static inline float high_pass(float x0, float x1, float x2, float x3)
{
    return low3 * x0 - low2 * x1 + low1 * x2 - low0 * x3;
}

/* Continues a row of so many columns by what a filter may read beyond its ends. */
static void mirror_ends(FloatAdmSplitRow row, int size)
{
    const int half = size / 2;
    row.odd[-1] = row.odd[0];
    if (size % 2 == 0) {
        row.even[half] = row.odd[half - 1];
    } else {
        row.odd[half] = row.even[half];
        row.even[half + 1] = row.odd[half - 1];
    }
}

static inline __attribute__((always_inline)) void convert_luma(const FloatAdmLumaRow *row,
                                                               bool deep)
{
    const uint8_t *restrict bytes = row->samples;
    const uint16_t *restrict words = row->samples;
    float *restrict even = row->output.even, *restrict odd = row->output.odd;
    const int mid = 1 << row->depth >> 1;
    const float unit = ldexpf(1.0F, 8 - row->depth);

    const int end = adm_min(row->columns.end + 1, row->size) / 2;
    for (int i = row->columns.begin / 2; i < end; i++) {
        const int left = deep ? words[2 * i] : bytes[2 * i];
        const int right = deep ? words[2 * i + 1] : bytes[2 * i + 1];
        /* Exact, as everything here. */
        even[i] = (float)(left - mid) * unit;
        odd[i] = (float)(right - mid) * unit;
    }
    if (row->size % 2) {
        const int last = deep ? words[row->size - 1] : bytes[row->size - 1];
        even[row->size / 2] = (float)(last - mid) * unit;
    }
    mirror_ends(row->output, row->size);
}

static void luma8(const FloatAdmLumaRow *row)
{
    convert_luma(row, false);
}

static void luma16(const FloatAdmLumaRow *row)
{
    convert_luma(row, true);
}

static void vertical_low(const float *restrict x0, const float *restrict x1,
                         const float *restrict x2, const float *restrict x3, int begin, int end,
                         float *restrict low)
{
    for (int i = begin; i < end; i++)
        low[i] = low_pass(x0[i], x1[i], x2[i], x3[i]);
}

static void vertical_both(const float *restrict x0, const float *restrict x1,
                          const float *restrict x2, const float *restrict x3, int begin, int end,
                          float *restrict low, float *restrict high)
{
    for (int i = begin; i < end; i++) {
        low[i] = low_pass(x0[i], x1[i], x2[i], x3[i]);
        high[i] = high_pass(x0[i], x1[i], x2[i], x3[i]);
    }
}

static void horizontal_low(const float *restrict even, const float *restrict odd, AdmRange columns,
                           float *restrict low)
{
    for (int i = columns.begin; i < columns.end; i++)
        low[i] = low_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
}

static void horizontal_high(const float *restrict even, const float *restrict odd, AdmRange columns,
                            float *restrict high)
{
    for (int i = columns.begin; i < columns.end; i++)
        high[i] = high_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
}

static void horizontal_both(const float *restrict even, const float *restrict odd, AdmRange columns,
                            float *restrict low, float *restrict high)
{
    for (int i = columns.begin; i < columns.end; i++) {
        low[i] = low_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
        high[i] = high_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
    }
}

static void split(const float *restrict row, AdmRange columns, int size, FloatAdmSplitRow output)
{
    float *restrict even = output.even, *restrict odd = output.odd;
    for (int i = columns.begin / 2; i < (columns.end + 1) / 2; i++) {
        even[i] = row[2 * i];
        odd[i] = row[2 * i + 1];
    }
    mirror_ends(output, size);
}

static void wavelet(const FloatAdmWaveletRow *row)
{
    const FloatAdmSplitRow *const x = row->input;
    const bool approx = adm_range_length(row->approx) > 0;
    const bool detail = adm_range_length(row->detail) > 0;
    const AdmRange columns = !detail   ? row->approx
                             : !approx ? row->detail
                                       : (AdmRange){adm_min(row->approx.begin, row->detail.begin),
                                                    adm_max(row->approx.end, row->detail.end)};
    const int begin = columns.begin - 1, end = columns.end + 1;
    if (detail) {
        vertical_both(x[0].even, x[1].even, x[2].even, x[3].even, begin, end, row->low.even,
                      row->high.even);
        vertical_both(x[0].odd, x[1].odd, x[2].odd, x[3].odd, begin, end, row->low.odd,
                      row->high.odd);
        horizontal_both(row->high.even, row->high.odd, row->detail, row->bands[BAND_H],
                        row->bands[BAND_D]);
    } else {
        vertical_low(x[0].even, x[1].even, x[2].even, x[3].even, begin, end, row->low.even);
        vertical_low(x[0].odd, x[1].odd, x[2].odd, x[3].odd, begin, end, row->low.odd);
    }
    if (approx && detail)
        horizontal_both(row->low.even, row->low.odd, columns, row->whole_a, row->bands[BAND_V]);
    else if (approx)
        horizontal_low(row->low.even, row->low.odd, columns, row->whole_a);
    else if (detail)
        horizontal_high(row->low.even, row->low.odd, columns, row->bands[BAND_V]);
    if (approx)
        split(row->whole_a, row->approx, row->size, row->a);
}

void ISA_VARIANT(float_adm_kernels_fill_wavelet)(FloatAdmKernels *kernels)
{
    kernels->luma8 = luma8;
    kernels->luma16 = luma16;
    kernels->wavelet = wavelet;
}
