/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>

#include "metrics/adm/adm_internal.h"
#include "metrics/common/rows.h"

/* The row functions of ADM as they are defined: the truth for all others. */

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

/*
 * Decoupling of detail loss and additive impairment (Li et al., section III), as it is defined:
 * what is left of a reference coefficient o in the distorted coefficient t is r = k o with k = t /
 * o limited to 0..1. Where the distorted detail points in the same direction as the reference, that
 * is, is the reference with more contrast, r may exceed o by a factor up to the gain limit. The
 * rest of the distorted coefficient, t - r, is the impairment.
 */

/*
 * True if the angle between the vectors (oh, ov) and (th, tv) is below one degree, by their inner
 * product and squared lengths. Each is rounded to binary32 once. Coefficients of samples beyond the
 * bit depth may make squared lengths wrap.
 */
static bool is_near(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    const float same_direction = ADM_SAME_DIRECTION / 0x1p24F;
    const float inner = (float)(oh * th + ov * tv);
    const float ref_energy = (float)(int64_t)((uint64_t)(oh * oh) + (uint64_t)(ov * ov));
    const float dist_energy = (float)(int64_t)((uint64_t)(th * th) + (uint64_t)(tv * tv));
    return inner >= 0.0F &&
           (double)inner * inner >= (double)same_direction * ref_energy * dist_energy;
}

static int64_t magnitude_64(int64_t x)
{
    return x < 0 ? -x : x;
}

/* t / o in 15 fractional bits, from the upper 15 bits of o; at most 1. */
static int64_t ratio(int32_t o, int32_t t)
{
    int64_t divisor = magnitude_64(o);
    int exponent = 0;
    while (divisor >> exponent >= 32768)
        exponent++;
    divisor = (int64_t)adm_round_shift((uint64_t)divisor, exponent);
    const int64_t reciprocal = ((int64_t)1 << 30) / divisor;
    const uint64_t k = adm_round_shift((uint64_t)(reciprocal * magnitude_64(t)), 15 + exponent);
    return k < 32768 ? (int64_t)k : 32768;
}

static int32_t rest_of(int32_t o, int32_t t, bool near, double gain_limit)
{
    if (o == 0 || t == 0 || (o < 0) != (t < 0))
        return 0;
    const int64_t r = (ratio(o, t) * o + 16384) >> 15;
    if (!near)
        return (int32_t)r;
    const double limit = (double)r * gain_limit;
    if (o > 0)
        return (int32_t)(limit < t ? limit : t);
    return (int32_t)(limit > t ? limit : t);
}

static void decouple_16(const AdmDecouple *row)
{
    const int16_t *const *o = (const int16_t *const *)row->ref;
    const int16_t *const *t = (const int16_t *const *)row->dist;
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const bool near = is_near(o[BAND_H][x], o[BAND_V][x], t[BAND_H][x], t[BAND_V][x]);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int16_t r = (int16_t)rest_of(o[b][x], t[b][x], near, row->gain_limit);
            ((int16_t *)row->rest[b])[x] = r;
            ((int16_t *)row->addition[b])[x] = (int16_t)(t[b][x] - r);
        }
    }
}

static void decouple_32(const AdmDecouple *row)
{
    const int32_t *const *o = (const int32_t *const *)row->ref;
    const int32_t *const *t = (const int32_t *const *)row->dist;
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const bool near = is_near(o[BAND_H][x], o[BAND_V][x], t[BAND_H][x], t[BAND_V][x]);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32_t r = rest_of(o[b][x], t[b][x], near, row->gain_limit);
            ((int32_t *)row->rest[b])[x] = r;
            ((int32_t *)row->addition[b])[x] = t[b][x] - r;
        }
    }
}

/*
 * Contrast masking (Li et al., section IV), as it is defined: each weighted coefficient of the
 * masking signal raises the visibility threshold at its own place and at the eight places around
 * it, in all three bands. What of the target signal exceeds the threshold is cubed and summed. All
 * of it is modulo 2^32.
 *
 * The threshold is a sum over the bands, so the bands are added first, and the 3 x 3 box is split
 * into a row of three (here) and a column of three (in the energy).
 */

static uint32_t magnitude(int32_t x)
{
    return x < 0 ? 0U - (uint32_t)x : (uint32_t)x;
}

/* What a coefficient contributes to the threshold of its neighbours, and to its own. */
typedef struct Parts {
    uint32_t neighbour, own;
} Parts;

typedef Parts PartsFunction(const AdmMasking *row, int band, int column);

/* Left of a band its column 1 is repeated, right of it the last one. */
static Parts parts_of_column(const AdmMasking *row, PartsFunction *parts, int column)
{
    Parts sum = {0, 0};
    for (int b = 0; b < ADM_BANDS; b++) {
        const Parts more =
            parts(row, b, (int)mirror_whole_and_half(column, (unsigned)row->band_columns));
        sum.neighbour += more.neighbour;
        sum.own += more.own;
    }
    return sum;
}

static void masking(const AdmMasking *row, PartsFunction *parts)
{
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const Parts left = parts_of_column(row, parts, x - 1);
        const Parts here = parts_of_column(row, parts, x);
        const Parts right = parts_of_column(row, parts, x + 1);
        row->neighbours[x] = (int32_t)(left.neighbour + here.neighbour + right.neighbour);
        row->centre[x] = (int32_t)(here.own - here.neighbour);
    }
}

static uint32_t threshold(const AdmEnergy *row, int x)
{
    return (uint32_t)row->neighbours[0][x] + (uint32_t)row->neighbours[1][x] +
           (uint32_t)row->neighbours[2][x] + (uint32_t)row->centre[x];
}

/* Cube of what remains of a weighted coefficient above the threshold. */
static uint64_t visible_cube(int32_t weighted, uint32_t raised, int square_shift, int shift)
{
    const int32_t excess = (int32_t)(magnitude(weighted) - raised);
    const int64_t m = excess > 0 ? excess : 0;
    const int32_t square = (int32_t)adm_round_shift((uint64_t)(m * m), square_shift);
    return (uint64_t)adm_round_shift_signed((uint64_t)(square * m), shift);
}

/* -- scale 0 -- */

/* In 27 fractional bits, 29 in the diagonal band. */
static int32_t weighted_16(int16_t y, uint32_t weight)
{
    return y * (int32_t)(weight & UINT16_MAX);
}

/* In the diagonal band 65535 is added, one less than one half: the reference values round so. */
static Parts parts_16(const AdmMasking *row, int band, int column)
{
    const int16_t y = ((const int16_t *)row->signal[band])[column];
    const int32_t product = weighted_16(y, row->weights[band]);
    const int16_t c = (int16_t)(band == BAND_D ? (product + ADM_ROUNDING_D) >> 17
                                               : (product + ADM_ROUNDING_HV) >> 15);
    const uint32_t m = magnitude(c);
    return (Parts){
        .neighbour = (uint32_t)(int16_t)adm_round_shift(ADM_NEIGHBOUR_PART_16 * m, 12),
        .own = (uint32_t)(int16_t)adm_round_shift(ADM_CENTRE_PART_16 * m, 12),
    };
}

static void masking_16(const AdmMasking *row)
{
    masking(row, parts_16);
}

static void energy_16(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    const int16_t *const *target = (const int16_t *const *)row->target;
    uint64_t sum[ADM_BANDS] = {0};
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const uint32_t raised = threshold(row, x);
        for (int b = 0; b < ADM_BANDS; b++)
            sum[b] += visible_cube(weighted_16(target[b][x], row->weights[b]),
                                   raised << (b == BAND_D ? 12 : 10), b == BAND_D ? 30 : 29,
                                   row->shift[b]);
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = sum[b];
}

static uint64_t cubes_16(const int16_t *band, AdmRange columns)
{
    uint64_t sum = 0;
    for (int x = columns.begin; x < columns.end; x++) {
        const uint64_t m = magnitude(band[x]);
        sum += m * m * m;
    }
    return sum;
}

/* -- coarser scales -- */

static int32_t weighted_32(int32_t y, uint32_t weight)
{
    return (int32_t)(((int64_t)weight * y + ((int64_t)1 << 27)) >> 28);
}

/* The reference values have minus one half where rounding would have plus. */
static Parts parts_32(const AdmMasking *row, int band, int column)
{
    const int32_t y = ((const int32_t *)row->signal[band])[column];
    const int64_t m = magnitude(weighted_32(y, row->weights[band]));
    const int64_t half = (int64_t)1 << 31;
    return (Parts){
        .neighbour = (uint32_t)((ADM_NEIGHBOUR_PART_32 * m - half) >> 32),
        .own = (uint32_t)((ADM_CENTRE_PART_32 * m - half) >> 32),
    };
}

static void masking_32(const AdmMasking *row)
{
    masking(row, parts_32);
}

static void energy_32(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    const int32_t *const *target = (const int32_t *const *)row->target;
    uint64_t sum[ADM_BANDS] = {0};
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const uint32_t raised = threshold(row, x);
        for (int b = 0; b < ADM_BANDS; b++)
            sum[b] +=
                visible_cube(weighted_32(target[b][x], row->weights[b]), raised, 30, row->shift[b]);
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = sum[b];
}

static uint64_t cubes_32(const int32_t *band, AdmRange columns, int square_shift, int cube_shift)
{
    uint64_t sum = 0;
    for (int x = columns.begin; x < columns.end; x++) {
        const uint64_t m = magnitude(band[x]);
        sum += adm_round_shift(((m * m >> square_shift) + 1) * m, cube_shift);
    }
    return sum;
}

void adm_functions_fill_scalar(AdmFunctions *functions)
{
    *functions = (AdmFunctions){
        .wavelet_luma8 = wavelet_luma8,
        .wavelet_luma16 = wavelet_luma16,
        .decouple_16 = decouple_16,
        .decouple_32 = decouple_32,
        .masking_16 = masking_16,
        .masking_32 = masking_32,
        .energy_16 = energy_16,
        .energy_32 = energy_32,
        .cubes_16 = cubes_16,
        .cubes_32 = cubes_32,
    };
}

void adm_functions_fill_coarse_scalar(AdmFunctions *functions)
{
    functions->wavelet_16 = wavelet_16;
    functions->wavelet_32 = wavelet_32;
}
