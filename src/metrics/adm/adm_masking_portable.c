/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_internal.h"
#include "support/loops.h"

/* Contrast masking, as adm_masking_scalar.c defines it, for compilers that make vectors of plain C.
 */

static inline uint32_t magnitude(int32_t x)
{
    return x < 0 ? 0U - (uint32_t)x : (uint32_t)x;
}

/* The columns with a contribution to those of the row. */
static AdmRange contributing(const AdmMasking *row)
{
    return (AdmRange){adm_max(0, row->columns.begin - 1),
                      adm_min(row->band_columns, row->columns.end + 1)};
}

/* Sums contributions over three columns. Left of the band its column 1 is repeated, right of it
 * the last one. */
static void sum_columns(const AdmMasking *row)
{
    int32_t *restrict terms = row->workspace, *restrict sums = row->neighbours;
    const AdmRange columns = row->columns;
    if (columns.begin == 0)
        terms[-1] = terms[1];
    if (columns.end == row->band_columns)
        terms[columns.end] = terms[columns.end - 1];
    for (int x = columns.begin; x < columns.end; x++)
        sums[x] = (int32_t)((uint32_t)terms[x - 1] + (uint32_t)terms[x] + (uint32_t)terms[x + 1]);
}

/* -- scale 0 -- */

/* A 16-bit unsigned weight as a signed factor, and a mask of the 65536 that it lacks. */
typedef struct Weight16 {
    int16_t factor, upper;
} Weight16;

static Weight16 weight16(uint32_t weight)
{
    return (Weight16){(int16_t)weight, (int16_t)(weight >> 15 & 1 ? -1 : 0)};
}

/* Weighted coefficient, in 27 fractional bits (29 in the diagonal band). */
static inline int32_t weighted_16(int16_t y, Weight16 weight)
{
    return y * weight.factor + (y & weight.upper) * 65536;
}

enum { BLOCK = 256 };

/*
 * Products of 16-bit numbers, in two halves. They are stored before anything is done with them, and
 * a weight is stored for every column: otherwise Clang computes in 32 bits from there on, and makes
 * the product of a number that was extended before the loop from two of 64 bits.
 */
typedef struct Products {
    int16_t high[BLOCK];
    uint16_t low[BLOCK];
} Products;

typedef struct Weights16 {
    int16_t factors[BLOCK];
    int16_t upper;
} Weights16;

static void spread_weight(Weights16 *weights, uint32_t weight)
{
    const Weight16 one = weight16(weight);
    weights->upper = one.upper;
    for (int x = 0; x < BLOCK; x++)
        weights->factors[x] = one.factor;
}

static void multiply(const int16_t *restrict signal, int n, const Weights16 *restrict weights,
                     Products *restrict out)
{
    VECTORS_OF(int16_t)
    for (int x = 0; x < n; x++) {
        const int32_t product = signal[x] * weights->factors[x];
        out->high[x] = (int16_t)((product >> 16) + (signal[x] & weights->upper));
        out->low[x] = (uint16_t)product;
    }
}

/* Magnitudes of the weighted coefficients of a signal, rounded to 12 fractional bits. */
static void strengths(const int16_t *restrict signal, int n, int band,
                      const Weights16 *restrict weights, uint16_t *restrict out)
{
    Products products;
    const int16_t *restrict high = products.high;
    const uint16_t *restrict low = products.low;
    _Static_assert(ADM_ROUNDING_D == 65535 && ADM_ROUNDING_HV == 16384, "as the halves are added");
    multiply(signal, n, weights, &products);
    if (band == BAND_D) {
        /* (product + 65535) >> 17, which is no slip of ours: the reference values round so. */
        VECTORS_OF(int16_t)
        for (int x = 0; x < n; x++) {
            const int16_t c = (int16_t)((int16_t)(high[x] + (low[x] != 0)) >> 1);
            const int16_t negative = (int16_t)-c;
            out[x] = (uint16_t)(c > negative ? c : negative);
        }
    } else {
        /* (product + 16384) >> 15 */
        VECTORS_OF(int16_t)
        for (int x = 0; x < n; x++) {
            const int16_t c = (int16_t)(2 * high[x] + (low[x] >> 15) + (low[x] >> 14 & 1));
            const int16_t negative = (int16_t)-c;
            out[x] = (uint16_t)(c > negative ? c : negative);
        }
    }
}

/*
 * The lower 16 bits of (gain c + 2048) >> 12 for gains of 4369 and 8738: numerators over 4096 of
 * 1/30 and 1/15 in 5 more fractional bits. What they are more than once and twice 4096 goes through
 * the halves of one product, 273 c in 4 more bits, of which the other is twice as much.
 */
static void contributions(const uint16_t *restrict c, int n, int16_t *restrict neighbour,
                          int16_t *restrict centre)
{
    enum { REST = (ADM_NEIGHBOUR_PART_16 - 4096) << 4 };
    _Static_assert(ADM_CENTRE_PART_16 == 2 * ADM_NEIGHBOUR_PART_16, "one product serves both");
    uint16_t high[BLOCK], low[BLOCK];
    VECTORS_OF(int16_t)
    for (int x = 0; x < n; x++) {
        high[x] = (uint16_t)((uint32_t)c[x] * REST >> 16);
        low[x] = (uint16_t)((uint32_t)c[x] * REST);
    }
    VECTORS_OF(int16_t)
    for (int x = 0; x < n; x++) {
        const uint16_t whole = (uint16_t)(c[x] + high[x]);
        const uint16_t rounded = (uint16_t)(whole + (low[x] >> 15));
        neighbour[x] = (int16_t)rounded;
        centre[x] = (int16_t)(whole + rounded + (low[x] >> 14 & 1));
    }
}

static void masking_16(const AdmMasking *row)
{
    const AdmRange columns = contributing(row);
    Weights16 weights[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        spread_weight(&weights[b], row->weights[b]);
    for (int begin = columns.begin; begin < columns.end; begin += BLOCK) {
        const int n = adm_min(BLOCK, columns.end - begin);
        int16_t neighbour[ADM_BANDS][BLOCK], own[ADM_BANDS][BLOCK];
        for (int b = 0; b < ADM_BANDS; b++) {
            uint16_t strength[BLOCK];
            strengths((const int16_t *)row->signal[b] + begin, n, b, &weights[b], strength);
            contributions(strength, n, neighbour[b], own[b]);
        }
        int32_t *restrict terms = row->workspace + begin, *restrict centre = row->centre + begin;
        VECTORS_OF(int16_t)
        for (int x = 0; x < n; x++) {
            const int32_t neighbours =
                neighbour[BAND_H][x] + neighbour[BAND_V][x] + neighbour[BAND_D][x];
            terms[x] = neighbours;
            centre[x] = own[BAND_H][x] + own[BAND_V][x] + own[BAND_D][x] - neighbours;
        }
    }
    sum_columns(row);
}

static inline uint32_t threshold(const AdmEnergy *row, int x)
{
    return (uint32_t)row->neighbours[0][x] + (uint32_t)row->neighbours[1][x] +
           (uint32_t)row->neighbours[2][x] + (uint32_t)row->centre[x];
}

/* What remains of a weighted coefficient above the threshold. */
static inline uint32_t visible(int32_t weighted, uint32_t raised)
{
    const int32_t excess = (int32_t)(magnitude(weighted) - raised);
    return excess > 0 ? (uint32_t)excess : 0;
}

/* Sum of the cubes of magnitudes below 2^30: nothing wraps, all is unsigned. */
static uint64_t sum_of_cubes(const uint32_t *restrict magnitudes, int n, int square_shift,
                             int shift)
{
    uint32_t squares[BLOCK];
    const uint64_t square_half = (uint64_t)1 << square_shift >> 1;
    for (int x = 0; x < n; x++)
        squares[x] =
            (uint32_t)(((uint64_t)magnitudes[x] * magnitudes[x] + square_half) >> square_shift);
    const uint64_t half = (uint64_t)1 << shift >> 1;
    uint64_t sum = 0;
    for (int x = 0; x < n; x++)
        sum += ((uint64_t)squares[x] * magnitudes[x] + half) >> shift;
    return sum;
}

static void energy_16(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    uint32_t raised[BLOCK], magnitudes[BLOCK];
    uint32_t bits = 0;
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = 0;

    for (int begin = row->columns.begin; begin < row->columns.end; begin += BLOCK) {
        const int n = adm_min(BLOCK, row->columns.end - begin);
        for (int x = 0; x < n; x++)
            raised[x] = threshold(row, begin + x);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int16_t *restrict target = (const int16_t *)row->target[b] + begin;
            const Weight16 weight = weight16(row->weights[b]);
            const int up = b == BAND_D ? 12 : 10;
            for (int x = 0; x < n; x++) {
                magnitudes[x] = visible(weighted_16(target[x], weight), raised[x] << up);
                bits |= magnitudes[x];
            }
            sums[b] += sum_of_cubes(magnitudes, n, b == BAND_D ? 30 : 29, row->shift[b]);
        }
    }
    if (bits >> 30) {
        AdmKernels scalar;
        adm_kernels_fill_masking_scalar(&scalar);
        scalar.energy_16(row, sums);
    }
}

/* -- coarser scales -- */

/* Weighted coefficient, as target and as masker. */
static inline int32_t weighted_32(int32_t y, uint32_t weight)
{
    return (int32_t)(uint32_t)(((int64_t)weight * y + ((int64_t)1 << 27)) >> 28);
}

static void masking_32(const AdmMasking *row)
{
    const int32_t *const signal[ADM_BANDS] = {row->signal[0], row->signal[1], row->signal[2]};
    int32_t *restrict terms = row->workspace, *restrict centre = row->centre;
    const AdmRange columns = contributing(row);
    for (int x = columns.begin; x < columns.end; x++) {
        uint32_t neighbours = 0, own = 0;
        for (int b = 0; b < ADM_BANDS; b++) {
            /* The reference values have minus one half where rounding would have plus. */
            const int64_t c = magnitude(weighted_32(signal[b][x], row->weights[b]));
            const int64_t half = (int64_t)1 << 31;
            neighbours += (uint32_t)((ADM_NEIGHBOUR_PART_32 * c - half) >> 32);
            own += (uint32_t)((ADM_CENTRE_PART_32 * c - half) >> 32);
        }
        terms[x] = (int32_t)neighbours;
        centre[x] = (int32_t)(own - neighbours);
    }
    sum_columns(row);
}

/* For the other functions, the scalar ones are as fast. */
void adm_kernels_fill_masking_portable(AdmKernels *kernels)
{
    adm_kernels_fill_masking_scalar(kernels);
    kernels->masking_16 = masking_16;
    kernels->masking_32 = masking_32;
    kernels->energy_16 = energy_16;
}
