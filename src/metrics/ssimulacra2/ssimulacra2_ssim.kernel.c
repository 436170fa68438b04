/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The map of structural dissimilarity and its fourth powers, for ordered sums. */
/* NATIVE */
#define WX 64
#define WY 4
#include "dialect/kernel.h"
#include "dialect/binary64.h"
#include "metrics/ssimulacra2/map.kernel.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

/* No weight is given to dark or bright surroundings: means enter by their difference. The product
 * of the numerator is exact. */
FN f64 dissimilarity(f32 u, f32 v, f32 uu, f32 vv, f32 uv)
{
    f32 c2 = F32(SSIMULACRA2_C2_BITS);
    f32 one = F32(0x3F800000u);
    f32 difference = sub_f32(u, v);
    f32 means = sub_f32(one, mul_f32(difference, difference));
    f32 covariance = sub_f32(uv, mul_f32(u, v));
    f32 structure = add_f32(add_f32(covariance, covariance), c2);
    f32 variance = add_f32(sub_f32(uu, mul_f32(u, u)), sub_f32(vv, mul_f32(v, v)));
    f64 numerator = mul_f64(f64_of_f32(means), f64_of_f32(structure));
    f64 similarity = div_f64(numerator, f64_of_f32(add_f32(variance, c2)));
    return max_f64(F64_BITS(0u, 0u), sub_f64(ONE_F64, similarity));
}

KERNEL_BEGIN
KERNEL_IN(0, f32, mean_ref)
KERNEL_IN(1, f32, mean_dist)
KERNEL_IN(2, f32, ref_ref)
KERNEL_IN(3, f32, dist_dist)
KERNEL_IN(4, f32, ref_dist)
KERNEL_OUT(5, f64, terms)
KERNEL_OUT(6, f64, fourth_powers)
KERNEL_ARGS(7, ssimulacra2_map_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * SSIMULACRA2_MAP_COLUMNS + LX;
        i32 y = GY * SSIMULACRA2_MAP_ROWS + LY;
        if (x < p.w && y < p.h) {
            i32 i = y * p.w + x;
            f64 d = dissimilarity(AT(mean_ref, i), AT(mean_dist, i), AT(ref_ref, i),
                                  AT(dist_dist, i), AT(ref_dist, i));
            if ((p.wanted & SSIMULACRA2_WANTS_TERMS) != 0) {
                AT(terms, i) = d;
            }
            if ((p.wanted & SSIMULACRA2_WANTS_FOURTH) != 0) {
                AT(fourth_powers, i) = fourth_power(d);
            }
        }
    }
KERNEL_END
