/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "metrics/adm/adm_internal.h"
#include "support/loops.h"

/* The row functions of ADM in plain C that compilers make vectors of. */

/*
 * One level of the wavelet transform: a vertical pass over four rows into a low and a high row,
 * then a horizontal pass with decimation over each. For processors without other vectors than those
 * that compilers make of plain C; adm_scalar.c says what it computes.
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

/* Decoupling, as adm_scalar.c defines it, for compilers that make vectors of plain C. */

static const float same_direction = ADM_SAME_DIRECTION / 0x1p24F;

/*
 * True if the angle between the vectors (oh, ov) and (th, tv) is below one degree, by their inner
 * product and squared lengths. The integers are rounded to binary32 once.
 */
static inline bool is_near(float inner, float ref_energy, float dist_energy)
{
    const double squared_inner = (double)inner * inner;
    const double scaled_ref = (double)same_direction * ref_energy;
    return (inner >= 0.0F) & (squared_inner >= scaled_ref * dist_energy);
}

static inline bool is_enhancement(int64_t oh, int64_t ov, int64_t th, int64_t tv)
{
    /* Sums of squares fit for all coefficients of pictures; samples above the peak value of the
     * bit depth may bring others, which must do no harm. */
    return is_near((float)(oh * th + ov * tv),
                   (float)(int64_t)((uint64_t)(oh * oh) + (uint64_t)(ov * ov)),
                   (float)(int64_t)((uint64_t)(th * th) + (uint64_t)(tv * tv)));
}

static inline uint32_t magnitude(int32_t x)
{
    return x < 0 ? 0U - (uint32_t)x : (uint32_t)x;
}

/* r = k o, with k = t / o in 15 fractional bits from the upper 15 bits of o. */
static inline int32_t rest_of(int32_t o, int32_t t, bool near, double gain_limit)
{
    if (o == 0 || t == 0 || (o ^ t) < 0)
        return 0;
    uint32_t divisor = magnitude(o);
    int exponent = 0;
    if (divisor >= 32768) {
        exponent = 32 - 15 - __builtin_clz(divisor);
        divisor = (divisor + (1U << exponent >> 1)) >> exponent;
    }
    /* The integer quotient: no quotient of numbers this small lies so close below an integer that
     * binary64 would round it up. Division of integers is slow on older processors. */
    const uint64_t reciprocal = (uint32_t)((double)(1 << 30) / divisor);
    const uint64_t ratio = adm_round_shift(reciprocal * magnitude(t), 15 + exponent);
    const int64_t k = ratio < 32768 ? (int64_t)ratio : 32768;
    const int64_t r = (k * o + 16384) >> 15;
    if (!near)
        return (int32_t)r;
    const double limit = (double)r * gain_limit;
    if (o > 0)
        return (int32_t)(limit < t ? limit : t);
    return (int32_t)(limit > t ? limit : t);
}

static void decouple_32(const AdmDecouple *row)
{
    const int32_t *const ref[ADM_BANDS] = {row->ref[0], row->ref[1], row->ref[2]};
    const int32_t *const dist[ADM_BANDS] = {row->dist[0], row->dist[1], row->dist[2]};
    for (int x = row->columns.begin; x < row->columns.end; x++) {
        const bool near =
            is_enhancement(ref[BAND_H][x], ref[BAND_V][x], dist[BAND_H][x], dist[BAND_V][x]);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32_t t = dist[b][x];
            const int32_t r = rest_of(ref[b][x], t, near, row->gain_limit);
            ((int32_t *)row->rest[b])[x] = r;
            ((int32_t *)row->addition[b])[x] = t - r;
        }
    }
}

static void decouple_large_columns(const AdmDecouple *row, AdmRange columns)
{
    AdmFunctions scalar;
    adm_functions_fill_scalar(&scalar);
    AdmDecouple part = *row;
    part.columns = columns;
    scalar.decouple_16(&part);
}

enum { BLOCK = 256 };

/* A gain limit for a block. What is the same for all columns is stored for each of them: of what
 * Clang extends before the loop it makes products and comparisons of 32 bits. */
typedef struct GainLimit {
    double gain;
    bool is_integer;
    int16_t factor[BLOCK];
    int16_t most[BLOCK]; /* with the factor at most INT16_MAX, and more than any coefficient of a
                          * picture with this gain */
} GainLimit;

static void spread_gain(GainLimit *limit, double gain)
{
    limit->gain = gain;
    limit->is_integer = gain == (int)gain;
    const int16_t factor = (int16_t)adm_max(1, (int)gain), most = (int16_t)(INT16_MAX / factor);
    for (int x = 0; x < BLOCK; x++) {
        limit->factor[x] = factor;
        limit->most[x] = most;
    }
}

/* bound[x]: reference coefficient times gain limit, where `near`, else as it is. */
static void limits_16(const int16_t *restrict ref, const int16_t *restrict near, int n,
                      const GainLimit *restrict gain, int16_t *restrict bound)
{
    if (gain->is_integer) {
        VECTORS_OF(int16_t)
        for (int x = 0; x < n; x++) {
            const int16_t most = gain->most[x], least = (int16_t)-most;
            int16_t o = ref[x] < most ? ref[x] : most;
            o = o > least ? o : least;
            const int16_t limit = (int16_t)(o * gain->factor[x]);
            bound[x] = (int16_t)((limit & near[x]) | (ref[x] & ~near[x]));
        }
        return;
    }
    for (int x = 0; x < n; x++) {
        double limit = ref[x] * gain->gain;
        limit = limit < INT16_MAX ? limit : INT16_MAX;
        limit = limit > -INT16_MAX ? limit : -INT16_MAX;
        bound[x] = near[x] ? (int16_t)limit : ref[x];
    }
}

/*
 * For reference coefficients below 2^14 the fixed-point ratio is precise enough that k o is t
 * itself wherever it is not limited (a test proves it for all values), so that no division is
 * needed: r is t clamped to the interval between 0 and o, or between 0 and o times gain limit.
 */
static void decouple_16(const AdmDecouple *row)
{
    const int16_t *const ref[ADM_BANDS] = {row->ref[0], row->ref[1], row->ref[2]};
    const int16_t *const dist[ADM_BANDS] = {row->dist[0], row->dist[1], row->dist[2]};
    int16_t near[BLOCK], limits[BLOCK];
    GainLimit gain;
    spread_gain(&gain, row->gain_limit);

    for (int begin = row->columns.begin; begin < row->columns.end; begin += BLOCK) {
        const int n = adm_min(BLOCK, row->columns.end - begin);
        int16_t large = 0;
        for (int b = 0; b < ADM_BANDS; b++) {
            const int16_t *restrict o = ref[b] + begin, *restrict t = dist[b] + begin;
            for (int x = 0; x < n; x++)
                large |=
                    (int16_t)((o[x] > 16383) | (o[x] < -16383) | (t[x] > ADM_LARGEST_LUMA_DETAIL) |
                              (t[x] < -ADM_LARGEST_LUMA_DETAIL));
        }
        if (large) {
            decouple_large_columns(row, (AdmRange){begin, begin + n});
            continue;
        }

        if (row->gain_limit > 1.0) {
            const int16_t *restrict oh = ref[BAND_H] + begin, *restrict ov = ref[BAND_V] + begin;
            const int16_t *restrict th = dist[BAND_H] + begin, *restrict tv = dist[BAND_V] + begin;
            for (int x = 0; x < n; x++) {
                const int32_t inner = oh[x] * th[x] + ov[x] * tv[x];
                const int32_t ref_energy = oh[x] * oh[x] + ov[x] * ov[x];
                const int32_t dist_energy =
                    (int32_t)((uint32_t)(th[x] * th[x]) + (uint32_t)(tv[x] * tv[x]));
                near[x] = (int16_t)-is_near((float)inner, (float)ref_energy, (float)dist_energy);
            }
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            const int16_t *restrict t = dist[b] + begin, *restrict bound = ref[b] + begin;
            int16_t *restrict r = (int16_t *)row->rest[b] + begin;
            int16_t *restrict a = (int16_t *)row->addition[b] + begin;
            if (row->gain_limit > 1.0) {
                limits_16(ref[b] + begin, near, n, &gain, limits);
                bound = limits;
            }
            VECTORS_OF(int16_t)
            for (int x = 0; x < n; x++) {
                const int16_t low = bound[x] < 0 ? bound[x] : 0;
                const int16_t high = (int16_t)(bound[x] - low);
                int16_t rest = t[x] > low ? t[x] : low;
                rest = rest < high ? rest : high;
                r[x] = rest;
                a[x] = (int16_t)(t[x] - rest);
            }
        }
    }
}

/* Contrast masking, as adm_scalar.c defines it, for compilers that make vectors of plain C.
 */

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
        AdmFunctions scalar;
        adm_functions_fill_scalar(&scalar);
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

void adm_functions_fill_coarse_portable(AdmFunctions *functions)
{
    functions->wavelet_16 = wavelet_16;
    functions->wavelet_32 = wavelet_32;
}

/* For the other functions, the scalar ones are as fast. */
void adm_functions_fill_portable(AdmFunctions *functions)
{
    adm_functions_fill_scalar(functions);
    functions->wavelet_luma8 = wavelet_luma8;
    functions->wavelet_luma16 = wavelet_luma16;
    functions->decouple_16 = decouple_16;
    functions->decouple_32 = decouple_32;
    functions->masking_16 = masking_16;
    functions->masking_32 = masking_32;
    functions->energy_16 = energy_16;
}
