/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SIMILARITY_KERNEL_H
#define METRICS_SSIM_SIMILARITY_KERNEL_H

/*
 * The similarity of a pixel times its weight, in binary64: single rounded operations in the order
 * of the metric.
 *
 * Sums of samples are below 2^32: 65536 times 16 bits. Their products, and products of sums of
 * squares with a weight of up to 2^16, are at most (2^16 - 1)^2 2^32 < 2^64. So these are integers,
 * rounded when they become binary64 numbers, which is how a product of two such numbers is rounded.
 */
#include "dialect/binary64.h"

/* The local sums of a pixel. */
struct ssim_sums {
    u64 ref, dist, ref_ref, dist_dist, ref_dist;
    u64 weight;
};
KERNEL_STRUCT(ssim_sums)

FN f64 rounded_product(u64 a, u64 b)
{
    return binary64_of_u64(U64(0), a * b);
}

FN f64 weighted_similarity(ssim_sums sums, f64 c1, f64 c2)
{
    f64 xx = rounded_product(sums.ref, sums.ref);
    f64 xy = rounded_product(sums.ref, sums.dist);
    f64 yy = rounded_product(sums.dist, sums.dist);
    f64 variances = sub_f64(rounded_product(sums.ref_ref, sums.weight), xx);
    variances = add_f64(variances, rounded_product(sums.dist_dist, sums.weight));
    variances = sub_f64(variances, yy);
    f64 covariance = sub_f64(rounded_product(sums.ref_dist, sums.weight), xy);
    f64 luminance = mul_f64(rounded_product(sums.weight, U64(1)), add_f64(add_f64(xy, xy), c1));
    f64 numerator = mul_f64(luminance, add_f64(c2, add_f64(covariance, covariance)));
    f64 denominator = mul_f64(add_f64(add_f64(xx, yy), c1), add_f64(variances, c2));
    return div_f64(numerator, denominator);
}

#endif
