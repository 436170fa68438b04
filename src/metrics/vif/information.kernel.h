/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_INFORMATION_KERNEL_H
#define METRICS_VIF_INFORMATION_KERNEL_H

/*
 * The model of distortion: gain g and noise, dist = g ref + noise, of variances in 1/65536 of a
 * squared grey level. The metric defines them in binary64:
 *
 *     g = c / (v1 + E), E = 65536 * 1e-10
 *     noise = max(0, trunc(v2 - g * c)) + VIF_NOISE_VARIANCE
 *     total = noise + trunc(min(g, limit)^2 * v1)
 *
 * for the variances v1 >= VIF_NOISE_VARIANCE of the reference and v2 > 0 of the distorted picture
 * and their covariance c > 0, all below 2^31, with c^2 / v1 < 2^31.
 *
 * Both truncations are decided by integers. With c^2 = Q v1 + R, 0 <= R < v1,
 *
 *     g * c   is about c^2 / v1 -     E c^2 / v1^2
 *     g^2 v1  is about c^2 / v1 - 2 * E c^2 / v1^2
 *
 * and the rounding errors of binary64 are below 2^-19 (three to six times 2^-53 of at most 2^31,
 * and 2^-23 of the subtraction). So each lies between the integers Q and Q + 1 if R / v1 exceeds
 * the subtracted term plus 2^-19, and between Q - 1 and Q if R / v1 is below that term minus 2^-19.
 * The rest, in natural pictures at most one pixel in 30000, is computed in binary64.
 *
 * Of all this only the limited energy depends on the limit; several limits share the rest.
 */
#include "dialect/binary64.h"
#include "metrics/vif/vif_kernel.h"

/* E in units of 2^-32 lies between this and the next integer; so does 2 E. */
#define EPSILON     28147u
#define TWO_EPSILON 56294u

#define UNDECIDED 2u

struct vif_quotient {
    u32 quotient, remainder;
};
KERNEL_STRUCT(vif_quotient)

/* c^2 / v1, and how far g * c lies below the quotient: by 0 or 1 steps, or UNDECIDED. */
struct vif_explained {
    vif_quotient of_square;
    u32 noise_steps;
};
KERNEL_STRUCT(vif_explained)

/* Noise 0: undecided; otherwise it is at least VIF_NOISE_VARIANCE. */
struct vif_energies {
    u32 noise, total;
};
KERNEL_STRUCT(vif_energies)

/* By the definition, without a limit. */
struct vif_exact {
    binary64 gain;
    u32 noise, energy;
};
KERNEL_STRUCT(vif_exact)

/*
 * Long division with two digits of 16 bits, because devices divide 32 bits much faster than 64;
 * quotient and divisor below 2^31. Each digit is estimated from the upper half of the divisor,
 * whose highest bit is set: the estimate is never too small, and too large by 2 at most.
 */
FN vif_quotient divided(u64 dividend, u32 divisor)
{
    vif_quotient result;
    i32 scaling = 31 - I32(MSB32(divisor));
    u64 d = U64(divisor << scaling);
    u32 upper = U32(d >> 16);
    u64 rest = dividend << scaling;
    u32 digit = U32(rest >> 32) / upper;
    rest -= (U64(digit) * d) << 16;
    UNROLL
    for (i32 i = 0; i < 2; ++i) {
        if (I64(rest) < I64(0)) {
            rest += d << 16;
            digit -= 1u;
        }
    }
    result.quotient = digit << 16;
    digit = U32(rest >> 16) / upper;
    rest -= U64(digit) * d;
    UNROLL
    for (i32 i = 0; i < 2; ++i) {
        if (I64(rest) < I64(0)) {
            rest += d;
            digit -= 1u;
        }
    }
    result.quotient += digit;
    result.remainder = U32(rest >> scaling);
    return result;
}

/*
 * Compares c^2 / v1 less c^2 / v1^2 * loss, the loss between `loss` and `loss` + 1 in units of
 * 2^-32, with the quotient Q: above it (0), below it (1), or too near (UNDECIDED). Everything is
 * multiplied by v1 2^32: 2^-19 becomes 2^13 v1.
 */
FN u32 steps_below(vif_quotient of_square, u32 v1, u32 loss)
{
    u64 remainder = U64(of_square.remainder) << 32;
    u64 tolerance = U64(v1) << 13;
    if (remainder > (U64(of_square.quotient) + U64(1)) * U64(loss + 1u) + tolerance) {
        return 0u;
    }
    if (remainder + tolerance < U64(of_square.quotient) * U64(loss)) {
        return 1u;
    }
    return UNDECIDED;
}

/*
 * trunc(limit^2 * v1), the product rounded to 53 bits before: that can lift it to the next integer,
 * from half a unit of the last place below. The exact product has 53 + 31 bits, of which at least
 * 39 are a fraction; so that half unit is one of its lower 32 bits.
 */
FN u32 limited_energy(u32 v1, vif_limit limit)
{
    u64 lower = U64(U32(limit.square_mantissa)) * U64(v1);
    u64 upper = (limit.square_mantissa >> 32) * U64(v1) + (lower >> 32);
    i32 shift = -limit.square_exponent - 32;
    i32 msb = I32(MSB32(U32(upper >> shift) | 1u));
    u64 carry = (U64(U32(lower)) + (U64(1) << max_i32(shift + msb - 21, 0))) >> 32;
    return U32((upper + carry) >> shift);
}

FN vif_exact exactly(u32 v1, u32 v2, u32 c)
{
    vif_exact result;
    binary64 epsilon;
    epsilon.mantissa = (U64(0x1b7cdfu) << 32) | U64(0xd9d7bdbbu);
    epsilon.exponent = -70;
    binary64 ref = binary64_of_u32(v1);
    binary64 dist = binary64_of_u32(v2);
    binary64 covariance = binary64_of_u32(c);
    binary64 gain = binary64_quotient(covariance, binary64_sum(ref, epsilon));
    binary64 product = binary64_product(gain, covariance);
    result.gain = gain;
    result.noise = U32(VIF_NOISE_VARIANCE);
    if (binary64_is_less(product, dist) != 0) {
        result.noise += binary64_to_u32(binary64_difference(dist, product));
    }
    result.energy = binary64_to_u32(binary64_product(binary64_product(gain, gain), ref));
    return result;
}

FN vif_energies limited_exactly(vif_exact exact, u32 v1, vif_limit limit)
{
    vif_energies result;
    binary64 bound;
    bound.mantissa = limit.mantissa;
    bound.exponent = limit.exponent;
    result.noise = exact.noise;
    if (binary64_is_less(exact.gain, bound) != 0) {
        result.total = exact.noise + exact.energy;
    } else {
        result.total = exact.noise + limited_energy(v1, limit);
    }
    return result;
}

FN vif_explained explained(u32 v1, u32 c)
{
    vif_explained result;
    result.of_square = divided(U64(c) * U64(c), v1);
    result.noise_steps = steps_below(result.of_square, v1, EPSILON);
    return result;
}

FN vif_energies decided(u32 v1, u32 v2, u32 c, vif_explained by_ref, vif_limit limit)
{
    vif_energies result;
    u32 energy_steps = 0u;
    u32 energy;
    u64 scaled = U64(c) << 24;
    if (scaled > U64(limit.limited_from) * U64(v1)) {
        energy = limited_energy(v1, limit);
    } else {
        energy_steps = steps_below(by_ref.of_square, v1, TWO_EPSILON);
        if (scaled > U64(limit.free_to) * U64(v1)) {
            energy_steps = UNDECIDED;
        }
        energy = by_ref.of_square.quotient - energy_steps;
    }
    /* v2 - g * c lies above this integer, which is negative for a covariance beyond v2. */
    i32 noise = I32(v2 - (by_ref.of_square.quotient - by_ref.noise_steps) - 1u);
    result.noise = U32(max_i32(noise, 0)) + U32(VIF_NOISE_VARIANCE);
    result.total = result.noise + energy;
    if (by_ref.noise_steps == UNDECIDED || energy_steps == UNDECIDED) {
        result.noise = 0u;
    }
    return result;
}

/*
 * The logarithm to base 2 in units of 1/2048 is that of the 16 leading bits i of its argument:
 * 2048 times the number of the highest bit, and (steps[i / 8 - 4096] + i % 8) / 8 rounded down, for
 * the table vif_log_steps of the definition.
 */
FN u32 leading_bits(u32 x)
{
    return (x << (31 - I32(MSB32(x | 1u)))) >> 16;
}

#define LOG(steps, x)                                                                              \
    ((U32(MSB32((x) | 1u)) << 11) +                                                                \
     ((U32(AT(steps, I32((leading_bits(x) >> 3) & U32(VIF_LOG_STEPS - 1)))) +                      \
       (leading_bits(x) & 7u)) >>                                                                  \
      3))

#endif
