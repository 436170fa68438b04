/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_VIF_INFORMATION_KERNEL_H
#define METRICS_FLOAT_VIF_INFORMATION_KERNEL_H

/*
 * What a pixel adds to the numerator and to the denominator, from its variances and covariance by
 * the model of distortion dist = gain ref + noise. Operations are single ones in the order of the
 * metric, rounded to binary32 but where binary64 is named.
 */
#include "dialect/binary32.h"
#include "dialect/binary64.h"
#include "metrics/float_vif/float_vif_kernel.h"

#define NUM 0
#define DEN 1

#define ONE     F32(0x3f800000u)
#define EPSILON F32(FLOAT_VIF_EPSILON_BITS)

/* Indices are unknown at compile time: a loop of few turns, but of long operations. */
#define LOG2_TERMS 8
KERNEL_TABLE(u32, log2_coefficients, LOG2_TERMS) = {
    FLOAT_VIF_LOG2_8_BITS, FLOAT_VIF_LOG2_7_BITS, FLOAT_VIF_LOG2_6_BITS, FLOAT_VIF_LOG2_5_BITS,
    FLOAT_VIF_LOG2_4_BITS, FLOAT_VIF_LOG2_3_BITS, FLOAT_VIF_LOG2_2_BITS, FLOAT_VIF_LOG2_1_BITS,
};

/* What holds for all variants. */
struct float_vif_pixel {
    f32 ref_variance, dist_variance, covariance;
    f32 gain, residue; /* the gain has no limit yet */
};
KERNEL_STRUCT(float_vif_pixel)

/* The words of a variant; see float_vif_kernel.h. */
struct float_vif_variant {
    f32 gain_limit, inverse_noise, flat_factor, threshold;
    f64 noise;
};
KERNEL_STRUCT(float_vif_variant)

/* Variances below epsilon count as none. A negative gain has a negative covariance, with which the
 * pixel adds 0. */
FN float_vif_pixel float_vif_model(f32 ref_variance, f32 dist_variance, f32 covariance)
{
    float_vif_pixel pixel;
    pixel.ref_variance = max_f32(ref_variance, F32(0u));
    pixel.dist_variance = max_f32(dist_variance, F32(0u));
    pixel.covariance = covariance;
    pixel.gain = F32(0u);
    pixel.residue = pixel.dist_variance;
    if (is_less_f32(pixel.ref_variance, EPSILON) != 0) {
        pixel.ref_variance = F32(0u);
    } else if (is_less_f32(pixel.dist_variance, EPSILON) == 0) {
        pixel.gain = div_f32(covariance, add_f32(pixel.ref_variance, EPSILON));
        pixel.residue = sub_f32(pixel.dist_variance, mul_f32(pixel.gain, covariance));
    }
    pixel.residue = max_f32(pixel.residue, EPSILON);
    return pixel;
}

/* 1 + part / whole in binary64, rounded to binary32. */
FN f32 one_and_ratio(f32 part, f64 whole)
{
    f64 one = F64_BITS(0x3ff00000u, 0u);
    return f32_of_f64(add_f64(one, div_f64(f64_of_f32(part), whole)));
}

/* The logarithm to base 2 of a positive number, or of what division by zero gives. */
FN f32 float_vif_log2(f32 x)
{
    u32 bits = bits_of_f32(x);
    f32 t = sub_f32(f32_of_bits((bits & 0x7fffffu) | 0x3f800000u), ONE);
    f32 sum = F32(0u);
    for (i32 k = 0; k < LOG2_TERMS; ++k) {
        sum = add_f32(mul_f32(sum, t), f32_of_bits(log2_coefficients[k]));
    }
    sum = add_f32(mul_f32(sum, t), F32(0u));
    return add_f32(f32_of_i32(I32((bits >> 23) & 0xffu) - 127), sum);
}

/* What the pixel adds to one of both. */
FN f32 float_vif_part(float_vif_pixel pixel, float_vif_variant variant, i32 part)
{
    if (is_less_f32(pixel.ref_variance, variant.threshold) != 0) {
        return part == DEN ? ONE : sub_f32(ONE, mul_f32(pixel.dist_variance, variant.flat_factor));
    }
    if (part == NUM && is_less_f32(pixel.covariance, F32(0u)) != 0) {
        return F32(0u);
    }
    f32 argument = add_f32(ONE, mul_f32(pixel.ref_variance, variant.inverse_noise));
    if (part == NUM || is_less_f32(F32(0u), variant.inverse_noise) == 0) {
        f32 signal = pixel.ref_variance;
        f64 noise = variant.noise;
        if (part == NUM) {
            f32 gain = min_f32(pixel.gain, variant.gain_limit);
            signal = mul_f32(mul_f32(gain, gain), signal);
            noise = add_f64(f64_of_f32(pixel.residue), noise);
        }
        argument = one_and_ratio(signal, noise);
    }
    return float_vif_log2(argument);
}

#endif
