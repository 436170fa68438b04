/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_COLOUR_KERNEL_H
#define METRICS_SSIMULACRA2_COLOUR_KERNEL_H

/* From linear RGB to XYB: one rounded operation after another, in the order of the metric. */
#include "dialect/binary32.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

#define HALF    F32(0x3F000000u)
#define ONE     F32(0x3F800000u)
#define QUARTER F32(0x3E800000u)

/* Three numbers of a pixel: red, green, blue, or X, Y, B. */
struct ssimulacra2_pixel {
    f32 v0, v1, v2;
};
KERNEL_STRUCT(ssimulacra2_pixel)

FN ssimulacra2_pixel add_pixels(ssimulacra2_pixel a, ssimulacra2_pixel b)
{
    a.v0 = add_f32(a.v0, b.v0);
    a.v1 = add_f32(a.v1, b.v1);
    a.v2 = add_f32(a.v2, b.v2);
    return a;
}

FN f32 refined_root(f32 y, f32 x)
{
    f32 quotient = div_f32(x, mul_f32(y, y));
    return mul_f32(add_f32(add_f32(y, y), quotient), F32(SSIMULACRA2_THIRD_BITS));
}

/* The cube root of a positive number, with the errors that the metric has. */
FN f32 cube_root(f32 x)
{
    f32 y = f32_of_bits(bits_of_f32(x) / 3u + SSIMULACRA2_ROOT_BITS);
    return refined_root(refined_root(y, x), x);
}

/* The response of a cone, from the shares of the colours in it. */
FN f32 response(ssimulacra2_pixel rgb, u32 of_r, u32 of_g, u32 of_b)
{
    f32 sum = add_f32(mul_f32(f32_of_bits(of_r), rgb.v0), mul_f32(f32_of_bits(of_g), rgb.v1));
    sum = add_f32(sum, mul_f32(f32_of_bits(of_b), rgb.v2));
    sum = add_f32(sum, F32(SSIMULACRA2_BIAS_BITS));
    return sub_f32(cube_root(sum), F32(SSIMULACRA2_BIAS_ROOT_BITS));
}

FN ssimulacra2_pixel xyb_of(ssimulacra2_pixel rgb)
{
    f32 l =
        response(rgb, SSIMULACRA2_LONG_R_BITS, SSIMULACRA2_LONG_G_BITS, SSIMULACRA2_LONG_B_BITS);
    f32 m = response(rgb, SSIMULACRA2_MEDIUM_R_BITS, SSIMULACRA2_MEDIUM_G_BITS,
                     SSIMULACRA2_MEDIUM_B_BITS);
    f32 s =
        response(rgb, SSIMULACRA2_SHORT_R_BITS, SSIMULACRA2_SHORT_G_BITS, SSIMULACRA2_SHORT_B_BITS);
    f32 opponent = mul_f32(HALF, sub_f32(l, m));
    f32 luminance = mul_f32(HALF, add_f32(l, m));
    ssimulacra2_pixel xyb;
    xyb.v0 =
        add_f32(mul_f32(opponent, F32(SSIMULACRA2_X_FACTOR_BITS)), F32(SSIMULACRA2_X_OFFSET_BITS));
    xyb.v1 = add_f32(luminance, F32(SSIMULACRA2_Y_OFFSET_BITS));
    xyb.v2 = add_f32(sub_f32(s, luminance), F32(SSIMULACRA2_B_OFFSET_BITS));
    return xyb;
}

#endif
