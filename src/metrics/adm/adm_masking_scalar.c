/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_internal.h"
#include "metrics/common/mirror.h"

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

void adm_kernels_fill_masking_scalar(AdmKernels *kernels)
{
    kernels->masking_16 = masking_16;
    kernels->masking_32 = masking_32;
    kernels->energy_16 = energy_16;
    kernels->energy_32 = energy_32;
    kernels->cubes_16 = cubes_16;
    kernels->cubes_32 = cubes_32;
}
