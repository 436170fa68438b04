/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <stdbool.h>

#include "metrics/adm/adm_internal.h"
#include "support/loops.h"

/* Decoupling, as adm_decouple_scalar.c defines it, for compilers that make vectors of plain C. */

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
    AdmKernels scalar;
    adm_kernels_fill_decouple_scalar(&scalar);
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

void adm_kernels_fill_decouple_portable(AdmKernels *kernels)
{
    kernels->decouple_16 = decouple_16;
    kernels->decouple_32 = decouple_32;
}
