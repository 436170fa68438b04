/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Floating-point VIF of one scale: for each pixel what it adds to the numerator and to the
 * denominator, for one or two sets of parameters. SAMPLE_BITS is explained in picture.h; REACH, 8
 * or 32, is the largest radius of the window.
 *
 * A group covers 112 x 8 pixels, or 56 x 16, and sees one window farther. Images are filtered one
 * after the other, the pictures and their three products: a lane walks down a column, BLOCK rows at
 * a time, then along seven neighbours in a row. The order of taps is that of the sums. A block has
 * taps of 0 before and after the window, which change no sum: products with them are zeros, and a
 * sum is never -0, as it begins with +0.
 *
 * With n taps a pixel takes 10 n additions and products and about 40 operations more, a division in
 * binary64 among them. It writes 8 bytes for each set of parameters.
 *
 * VARIANT 8 SAMPLE=u8 SAMPLE_BITS=8 REACH=8
 * VARIANT 16 SAMPLE=u16 SAMPLE_BITS=16 REACH=8
 * VARIANT 32 SAMPLE=f32 SAMPLE_BITS=32 REACH=8
 * VARIANT 8_wide SAMPLE=u8 SAMPLE_BITS=8 REACH=32
 * VARIANT 16_wide SAMPLE=u16 SAMPLE_BITS=16 REACH=32
 * VARIANT 32_wide SAMPLE=f32 SAMPLE_BITS=32 REACH=32
 * NATIVE
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "metrics/float_vif/float_vif_kernel.h"
#include "metrics/float_vif/information.kernel.h"
#include "metrics/float_vif/picture.kernel.h"

#define STRIPS     FLOAT_VIF_STRIPS(REACH)
#define NEIGHBOURS FLOAT_VIF_NEIGHBOURS
#define COLUMNS    FLOAT_VIF_TILE_COLUMNS(REACH)
#define ROWS       FLOAT_VIF_TILE_ROWS(REACH)
#define PIXELS     (ROWS * COLUMNS)

/* Rows that a lane filters at a time, and neighbours in a row. In integers operations are long: as
 * few copies as possible, and samples are multiplied for two rows at least. */
#if defined(NATIVE_F32)
#define BLOCK 8
#define SPAN  NEIGHBOURS
#else
#define BLOCK 2
#define SPAN  1
#endif

/* The block's taps for sample k of its 2 * p.radius + count, from those for the one before. */
#define NEXT_TAPS(weight, k, count)                                                                \
    UNROLL                                                                                         \
    for (i32 j = (count)-1; j > 0; --j) {                                                          \
        weight[j] = weight[j - 1];                                                                 \
    }                                                                                              \
    weight[0] = F32(0u);                                                                           \
    if ((k) <= 2 * p.radius) {                                                                     \
        weight[0] = AT(taps, k);                                                                   \
    }

/* Images by number; where their moments are kept. */
#define REF                 0
#define DIST                1
#define REF_DIST            2
#define REF_REF             3
#define DIST_DIST           4
#define IMAGES              5
#define COVARIANCE          2
#define MOMENT(kind, pixel) AT(moments, (kind)*PIXELS + (pixel))

#define VARIANT_WORD(v, member)                                                                    \
    AT(constants, FLOAT_VIF_WINDOW_SIZE + (v)*FLOAT_VIF_VARIANT_SIZE + (member))
#define VARIANT(v, member) f32_of_bits(VARIANT_WORD(v, member))

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_IN(2, u32, constants)
KERNEL_OUT(3, f32, num)
KERNEL_OUT(4, f32, den)
KERNEL_OUT(5, f32, second_num)
KERNEL_OUT(6, f32, second_den)
KERNEL_ARGS(7, float_vif_scale_args, p)
GROUP_MEMORY(i32, rows, ROWS + 2 * REACH)
GROUP_MEMORY(f32, taps, 2 * REACH + 1)
GROUP_MEMORY(f32, columns, ROWS *LANES)
GROUP_MEMORY(f32, moments, 3 * PIXELS)
KERNEL_BODY
    FIRST
    {
        if (LANE < ROWS + 2 * p.radius) {
            AT(rows, LANE) = mirrored(GY * ROWS + LANE - p.radius, p.h) * p.stride;
        }
        if (LANE <= 2 * p.radius) {
            AT(taps, LANE) = f32_of_bits(AT(constants, LANE));
        }
    }
    for (i32 image = 0; image < IMAGES; ++image) {
        THEN
        {
            i32 x = mirrored(GX * COLUMNS + LANE - p.radius, p.w);
            if (LANE < COLUMNS + 2 * p.radius) {
                for (i32 y = 0; y < ROWS; y += BLOCK) {
                    f32 sum[BLOCK];
                    f32 weight[BLOCK];
                    UNROLL
                    for (i32 j = 0; j < BLOCK; ++j) {
                        sum[j] = F32(0u);
                        weight[j] = F32(0u);
                    }
                    for (i32 k = 0; k < 2 * p.radius + BLOCK; ++k) {
                        i32 at = AT(rows, y + k) + x;
                        f32 value = F32(0u);
                        f32 factor = F32(0u);
                        if (image != DIST && image != DIST_DIST) {
                            value = LOADED(ref, at, p.depth);
                            factor = value;
                        }
                        if (image != REF && image != REF_REF) {
                            factor = LOADED(dist, p.dist + at, p.depth);
                            value = image == REF_DIST ? value : factor;
                        }
                        if (image >= IMAGES - 3) {
                            value = mul_f32(value, factor);
                        }
                        NEXT_TAPS(weight, k, BLOCK)
                        UNROLL
                        for (i32 j = 0; j < BLOCK; ++j) {
                            sum[j] = add_f32(sum[j], mul_f32(weight[j], value));
                        }
                    }
                    UNROLL
                    for (i32 j = 0; j < BLOCK; ++j) {
                        AT(columns, (y + j) * LANES + LANE) = sum[j];
                    }
                }
            }
        }
        THEN
        {
            i32 first = LANE / STRIPS * LANES + LANE % STRIPS * NEIGHBOURS;
            i32 pixel = LANE / STRIPS * COLUMNS + LANE % STRIPS * NEIGHBOURS;
            for (i32 n = 0; n < NEIGHBOURS; n += SPAN) {
                f32 sum[SPAN];
                f32 weight[SPAN];
                UNROLL
                for (i32 j = 0; j < SPAN; ++j) {
                    sum[j] = F32(0u);
                    weight[j] = F32(0u);
                }
                for (i32 k = 0; k < 2 * p.radius + SPAN; ++k) {
                    f32 value = AT(columns, first + n + k);
                    NEXT_TAPS(weight, k, SPAN)
                    UNROLL
                    for (i32 j = 0; j < SPAN; ++j) {
                        sum[j] = add_f32(sum[j], mul_f32(weight[j], value));
                    }
                }
                UNROLL
                for (i32 j = 0; j < SPAN; ++j) {
                    i32 at = pixel + n + j;
                    f32 moment = sum[j];
                    i32 kind = image;
                    if (image >= IMAGES - 3) {
                        f32 mean = MOMENT(image == DIST_DIST ? DIST : REF, at);
                        f32 other = MOMENT(image == REF_REF ? REF : DIST, at);
                        moment = sub_f32(moment, mul_f32(mean, other));
                        kind = image == REF_DIST ? COVARIANCE : image - REF_REF;
                    }
                    MOMENT(kind, at) = moment;
                }
            }
        }
    }
    THEN
    {
        for (i32 pixel = LANE; pixel < PIXELS; pixel += LANES) {
            i32 x = GX * COLUMNS + pixel % COLUMNS;
            i32 y = GY * ROWS + pixel / COLUMNS;
            if (x < p.w && y < p.h) {
                i32 at = y * p.w + x;
                float_vif_pixel model = float_vif_model(MOMENT(REF, pixel), MOMENT(DIST, pixel),
                                                        MOMENT(COVARIANCE, pixel));
                for (i32 v = 0; v < p.variants; ++v) {
                    float_vif_variant variant;
                    variant.gain_limit = VARIANT(v, FLOAT_VIF_GAIN_LIMIT);
                    variant.inverse_noise = VARIANT(v, FLOAT_VIF_INVERSE_NOISE);
                    variant.flat_factor = VARIANT(v, FLOAT_VIF_FLAT_FACTOR);
                    variant.threshold = VARIANT(v, FLOAT_VIF_THRESHOLD);
                    variant.noise = F64_BITS(VARIANT_WORD(v, FLOAT_VIF_NOISE_UPPER),
                                             VARIANT_WORD(v, FLOAT_VIF_NOISE_LOWER));
                    for (i32 part = NUM; part <= DEN; ++part) {
                        f32 result = float_vif_part(model, variant, part);
                        if (v == 0 && part == NUM) {
                            AT(num, at) = result;
                        } else if (v == 0) {
                            AT(den, at) = result;
                        } else if (part == NUM) {
                            AT(second_num, at) = result;
                        } else {
                            AT(second_den, at) = result;
                        }
                    }
                }
            }
        }
    }
KERNEL_END
