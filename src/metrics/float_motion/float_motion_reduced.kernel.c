/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Absolute differences between two filtered pictures that are reduced to half their size, in
 * binary32: a lane computes one. Places are those of the columns, then those of the rows.
 *
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "metrics/float_motion/float_motion_kernel.h"

struct corner_weights {
    f32 a, b, c, d; /* upper left, upper right, lower left, lower right */
};
KERNEL_STRUCT(corner_weights)

FN corner_weights weights_of(f32 dx, f32 dy)
{
    corner_weights weights;
    f32 one = F32(0x3f800000u);
    f32 to_left = sub_f32(one, dx), to_top = sub_f32(one, dy);
    weights.a = mul_f32(to_top, to_left);
    weights.b = mul_f32(to_top, dx);
    weights.c = mul_f32(dy, to_left);
    weights.d = mul_f32(dy, dx);
    return weights;
}

FN f32 between(corner_weights weights, f32 a, f32 b, f32 c, f32 d)
{
    f32 sum = add_f32(mul_f32(weights.a, a), mul_f32(weights.b, b));
    sum = add_f32(sum, mul_f32(weights.c, c));
    return add_f32(sum, mul_f32(weights.d, d));
}

KERNEL_BEGIN
KERNEL_IN(0, f32, earlier)
KERNEL_IN(1, f32, ref)
KERNEL_IN(2, reduced_place, places)
KERNEL_OUT(3, f32, differences)
KERNEL_ARGS(4, float_motion_reduced_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * WX + LX;
        i32 y = GY * WY + LY;
        if (x < p.w_reduced && y < p.h_reduced) {
            i32 row = p.w_reduced + y;
            corner_weights weights = weights_of(f32_of_bits(AT(places, x).fraction),
                                                f32_of_bits(AT(places, row).fraction));
            u32 above = AT(places, row).first * U32(p.w);
            u32 below = AT(places, row).second * U32(p.w);
            u32 left = AT(places, x).first;
            u32 right = AT(places, x).second;
            f32 a = between(weights, AT(earlier, above + left), AT(earlier, above + right),
                            AT(earlier, below + left), AT(earlier, below + right));
            f32 b = between(weights, AT(ref, above + left), AT(ref, above + right),
                            AT(ref, below + left), AT(ref, below + right));
            AT(differences, U32(y * p.w_reduced + x)) = abs_f32(sub_f32(a, b));
        }
    }
KERNEL_END
