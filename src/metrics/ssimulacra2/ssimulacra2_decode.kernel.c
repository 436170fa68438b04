/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * From samples of a picture, SAMPLE, u8 or u16, to XYB, and to linear RGB of half the size. Chroma
 * is that of the nearest sample.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "metrics/ssimulacra2/colour.kernel.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

/* What luma and chroma say about a pixel, and the numbers that turn it into RGB. */
struct ssimulacra2_yuv {
    f32 y, u, v;
    f32 r_of_v, g_of_u, g_of_v, b_of_u;
};
KERNEL_STRUCT(ssimulacra2_yuv)

FN f32 clip_to_unit(f32 v)
{
    return is_less_f32(v, F32(0u)) != 0 ? F32(0u) : min_f32(ONE, v);
}

FN ssimulacra2_pixel gamma_rgb_of(ssimulacra2_yuv c)
{
    ssimulacra2_pixel rgb;
    rgb.v0 = clip_to_unit(add_f32(c.y, mul_f32(c.r_of_v, c.v)));
    rgb.v1 = clip_to_unit(add_f32(add_f32(c.y, mul_f32(c.g_of_u, c.u)), mul_f32(c.g_of_v, c.v)));
    rgb.v2 = clip_to_unit(add_f32(c.y, mul_f32(c.b_of_u, c.u)));
    return rgb;
}

/* Where a number of 0 to 1 lies in the transfer function, in segments. */
FN f32 position_of(f32 v)
{
    return mul_f32(v, f32_of_u32(U32(SSIMULACRA2_TRANSFER_SIZE - 1)));
}

/* The transfer function in the segment with this value and this slope. */
FN f32 interpolated(f32 position, u32 value, u32 slope)
{
    f32 rest = sub_f32(position, f32_of_i32(i32_of_f32(position)));
    return add_f32(f32_of_bits(value), mul_f32(f32_of_bits(slope), rest));
}

#define NUMBER(place) f32_of_bits(AT(table, place))
#define CHROMA(plane, at)                                                                          \
    mul_f32(                                                                                       \
        sub_f32(mul_f32(f32_of_u32(U32(AT(plane, at))), NUMBER(SSIMULACRA2_TABLE_UNIT)), HALF),    \
        NUMBER(SSIMULACRA2_TABLE_CHROMA_SCALE))
#define LINEAR(position)                                                                           \
    interpolated(position, AT(table, 2 * i32_of_f32(position)),                                    \
                 AT(table, 2 * i32_of_f32(position) + 1))

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, luma)
KERNEL_IN(1, SAMPLE, cb)
KERNEL_IN(2, SAMPLE, cr)
KERNEL_IN(3, u32, table)
KERNEL_OUT(4, f32, out_x)
KERNEL_OUT(5, f32, out_y)
KERNEL_OUT(6, f32, out_b)
KERNEL_OUT(7, f32, next)
KERNEL_ARGS(8, ssimulacra2_decode_args, p)
KERNEL_BODY
#define LOAD_PIXEL(rgb, column, row)                                                               \
    i32 chroma = I32(U32(row) * U32(p.chroma_h) / U32(p.h)) * p.chroma_stride +                    \
                 I32(U32(column) * U32(p.chroma_w) / U32(p.w));                                    \
    ssimulacra2_yuv yuv;                                                                           \
    yuv.y = mul_f32(f32_of_u32(U32(AT(luma, (row)*p.stride + (column)))),                          \
                    NUMBER(SSIMULACRA2_TABLE_UNIT));                                               \
    yuv.y = mul_f32(sub_f32(yuv.y, NUMBER(SSIMULACRA2_TABLE_LUMA_OFFSET)),                         \
                    NUMBER(SSIMULACRA2_TABLE_LUMA_SCALE));                                         \
    yuv.u = CHROMA(cb, chroma);                                                                    \
    yuv.v = CHROMA(cr, chroma);                                                                    \
    yuv.r_of_v = NUMBER(SSIMULACRA2_TABLE_R_OF_V);                                                 \
    yuv.g_of_u = NUMBER(SSIMULACRA2_TABLE_G_OF_U);                                                 \
    yuv.g_of_v = NUMBER(SSIMULACRA2_TABLE_G_OF_V);                                                 \
    yuv.b_of_u = NUMBER(SSIMULACRA2_TABLE_B_OF_U);                                                 \
    rgb = gamma_rgb_of(yuv);                                                                       \
    f32 position_r = position_of(rgb.v0);                                                          \
    f32 position_g = position_of(rgb.v1);                                                          \
    f32 position_b = position_of(rgb.v2);                                                          \
    rgb.v0 = LINEAR(position_r);                                                                   \
    rgb.v1 = LINEAR(position_g);                                                                   \
    rgb.v2 = LINEAR(position_b);
#include "metrics/ssimulacra2/colour_blocks.kernel.h"
KERNEL_END
