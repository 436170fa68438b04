/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ORDERED_SUM_H
#define METRICS_COMMON_ORDERED_SUM_H

/*
 * Computes sums of floating-point numbers, whose order is part of a metric, in any order.
 *
 * As long as a sum stays between two powers of two, it is a multiple of a unit in the last place. A
 * term then adds as many units as it has when rounded, whatever the sum was, with one exception: a
 * term halfway between two numbers of units is rounded to the side that makes the sum even. Without
 * such terms, units can be counted in any order, many at a time. Once a sum is large relative to
 * its terms, such terms are rare, and so are powers of two that it passes; where one occurs, a run
 * of terms has to be added one after another.
 *
 * The units of a term are its effect on the bits of the power of two below the sum, which is even.
 * If it has the same effect on the next number, which is odd, it is not the exception.
 *
 * Kernels count the same units, with both signs and exceptions as well: kernels/reduce/
 * ordered_units.h, and docs/kernels.md, "Ordered sums", has the proof.
 *
 * Terms are not negative. Functions return false, and leave the sum unchanged, if a run has to be
 * added in order, or if terms are infinite or not numbers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "metrics/common/ordered_sum_kernel.h"

/* Number of terms whose units can be counted without overflow. */
enum { ORDERED_SUM_CHUNK_F32 = 256, ORDERED_SUM_CHUNK_F64 = 1024 };

static inline uint32_t ordered_sum_bits_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline float ordered_sum_from_bits_f32(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline bool ordered_sum_f32(float *sum, const float *terms, size_t n)
{
    const uint32_t bits = ordered_sum_bits_f32(*sum),
                   fraction = (UINT32_C(1) << ORDERED_SUM_FRACTION_F32) - 1;
    const uint32_t power = bits & ~fraction;
    const float even = ordered_sum_from_bits_f32(power), odd = ordered_sum_from_bits_f32(power + 1);
    uint64_t units = bits & fraction;
    for (size_t begin = 0; begin < n; begin += ORDERED_SUM_CHUNK_F32) {
        const size_t left = n - begin;
        const size_t size = left < ORDERED_SUM_CHUNK_F32 ? left : ORDERED_SUM_CHUNK_F32;
        uint32_t total = 0, all = power, exceptions = 0;
        for (size_t i = begin; i < begin + size; i++) {
            const uint32_t moved = ordered_sum_bits_f32(even + terms[i]);
            total += moved;
            all |= moved;
            exceptions |= (ordered_sum_bits_f32(odd + terms[i]) - moved) ^ 1;
        }
        units += (uint32_t)(total - (uint32_t)size * power);
        if (exceptions || (all & ~fraction) != power || units > fraction)
            return false;
    }
    *sum = ordered_sum_from_bits_f32(power | (uint32_t)units);
    return true;
}

static inline uint64_t ordered_sum_bits_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static inline double ordered_sum_from_bits_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline bool ordered_sum_f64(double *sum, const double *terms, size_t n)
{
    const uint64_t bits = ordered_sum_bits_f64(*sum),
                   fraction = (UINT64_C(1) << ORDERED_SUM_FRACTION_F64) - 1;
    const uint64_t power = bits & ~fraction;
    const double even = ordered_sum_from_bits_f64(power),
                 odd = ordered_sum_from_bits_f64(power + 1);
    uint64_t units = bits & fraction;
    for (size_t begin = 0; begin < n; begin += ORDERED_SUM_CHUNK_F64) {
        const size_t left = n - begin;
        const size_t size = left < ORDERED_SUM_CHUNK_F64 ? left : ORDERED_SUM_CHUNK_F64;
        uint64_t total = 0, all = power, exceptions = 0;
        for (size_t i = begin; i < begin + size; i++) {
            const uint64_t moved = ordered_sum_bits_f64(even + terms[i]);
            total += moved;
            all |= moved;
            exceptions |= (ordered_sum_bits_f64(odd + terms[i]) - moved) ^ 1;
        }
        units += (uint64_t)(total - (uint64_t)size * power);
        if (exceptions || (all & ~fraction) != power || units > fraction)
            return false;
    }
    *sum = ordered_sum_from_bits_f64(power | (uint64_t)units);
    return true;
}

#endif
