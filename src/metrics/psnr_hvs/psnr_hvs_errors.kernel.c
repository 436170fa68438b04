/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * PSNR-HVS-M: the weighted squared errors of the coefficients of blocks, one block after the other,
 * for an ordered sum. Samples are SAMPLE, u8 or u16, in memory.
 *
 * Eight lanes transform a block. Then each of the sums that tell how much a block masks, which have
 * an order, is a lane's, and lanes next to each other do the same for other blocks.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 * NATIVE
 */
#define WX 256
#define WY 1
#include "dialect/kernel.h"
#include "dialect/binary32.h"
#include "metrics/psnr_hvs/psnr_hvs_kernel.h"

#define N           PSNR_HVS_BLOCK
#define HALF_BLOCK  (N / 2)
#define N_PICTURES  2
#define N_QUADRANTS 4
/* Blocks in group memory are an element longer, so that lanes which walk through blocks use
 * different banks. */
#define TILE_BLOCK (PSNR_HVS_COEFFICIENTS + 1)
#define TILE_SIZE  (PSNR_HVS_GROUP * TILE_BLOCK)

/* -- both pictures' values in one word -- */

FN u32 pack(i32 ref, i32 dist)
{
    return (U32(ref) & 0xFFFFu) | (U32(dist) << 16);
}

/* Picture 0 is the reference. */
FN i32 unpack(u32 both, i32 picture)
{
    return I32(both << (16 * (1 - picture))) >> 16;
}

/* -- transform -- */

struct psnr_hvs_line {
    i32 v0, v1, v2, v3, v4, v5, v6, v7;
};
KERNEL_STRUCT(psnr_hvs_line)

FN i32 half_of(i32 x)
{
    return (x - (x >> 31)) >> 1;
}

FN i32 times(i32 x, i32 k)
{
    return MAD24(x, k, 16384) >> 15;
}

FN psnr_hvs_line dct(psnr_hvs_line x)
{
    i32 a = x.v0, b = x.v7, c = x.v2, d = x.v5, e = x.v1, f = x.v6, g = x.v3, h = x.v4;
    PSNR_HVS_DCT(i32, half_of, times)
    psnr_hvs_line y;
    y.v0 = a;
    y.v1 = b;
    y.v2 = c;
    y.v3 = d;
    y.v4 = e;
    y.v5 = f;
    y.v6 = g;
    y.v7 = h;
    return y;
}

/* Eight elements, `step` apart. */
#define LOAD_LINE(line, element)                                                                   \
    line.v0 = element(0);                                                                          \
    line.v1 = element(1);                                                                          \
    line.v2 = element(2);                                                                          \
    line.v3 = element(3);                                                                          \
    line.v4 = element(4);                                                                          \
    line.v5 = element(5);                                                                          \
    line.v6 = element(6);                                                                          \
    line.v7 = element(7);
#define STORE_LINES(tile, at, step, ref, dist)                                                     \
    AT(tile, at) = pack(ref.v0, dist.v0);                                                          \
    AT(tile, (at) + (step)) = pack(ref.v1, dist.v1);                                               \
    AT(tile, (at) + 2 * (step)) = pack(ref.v2, dist.v2);                                           \
    AT(tile, (at) + 3 * (step)) = pack(ref.v3, dist.v3);                                           \
    AT(tile, (at) + 4 * (step)) = pack(ref.v4, dist.v4);                                           \
    AT(tile, (at) + 5 * (step)) = pack(ref.v5, dist.v5);                                           \
    AT(tile, (at) + 6 * (step)) = pack(ref.v6, dist.v6);                                           \
    AT(tile, (at) + 7 * (step)) = pack(ref.v7, dist.v7);

/* -- masking -- */

/* What the lanes of a row of blocks compute, by LANE / PSNR_HVS_GROUP: of each picture the energy
 * of the coefficients, the deviations in the whole block, and those in two quadrants. */
#define ENERGY    0
#define WHOLE     N_PICTURES
#define QUADRANTS (2 * N_PICTURES)

/* How much error the contrast of a block hides. Sums of squared deviations are in units of 2^-12
 * and, for the quadrants, which come one row after the other, of 2^-8. */
FN f32 masking(f32 energy, f32 whole, f32 q0, f32 q1, f32 q2, f32 q3, f32 whole_scale,
               f32 quadrant_scale)
{
    f32 variance = mul_f32(scale_f32(whole, -12), whole_scale);
    q0 = mul_f32(scale_f32(q0, -8), quadrant_scale);
    q1 = mul_f32(scale_f32(q1, -8), quadrant_scale);
    q2 = mul_f32(scale_f32(q2, -8), quadrant_scale);
    q3 = mul_f32(scale_f32(q3, -8), quadrant_scale);
    f32 sum = add_f32(add_f32(add_f32(q0, q2), q1), q3); /* down, then across */
    f32 texture = is_less_f32(F32(0u), variance) != 0 ? div_f32(sum, variance) : F32(0u);
    return scale_f32(sqrt_f32(mul_f32(energy, texture)), -5);
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_IN(2, u32, weights) /* bits of PsnrHvsWeights */
KERNEL_OUT(3, f32, errors) /* of blocks from `first` on */
KERNEL_ARGS(4, psnr_hvs_errors_args, p)
GROUP_MEMORY(u32, samples, TILE_SIZE)
GROUP_MEMORY(u32, coefficients, TILE_SIZE)
GROUP_MEMORY(f32, energy, N_PICTURES *PSNR_HVS_GROUP)
GROUP_MEMORY(f32, whole, N_PICTURES *PSNR_HVS_GROUP)
GROUP_MEMORY(f32, quadrants, N_QUADRANTS *N_PICTURES *PSNR_HVS_GROUP)
GROUP_MEMORY(f32, masks, N_PICTURES *PSNR_HVS_GROUP)
KERNEL_BODY
    FIRST
    {
        /* A column. Blocks after the last are that one. */
        i32 number = LANE / N;
        i32 column = LANE % N;
        i32 block = min_i32(p.first + GX * PSNR_HVS_GROUP + number, p.end - 1);
        i32 x = block % p.across * PSNR_HVS_STEP + column;
        i32 y = block / p.across * PSNR_HVS_STEP;
        psnr_hvs_line r, d;
#define REF(i)  (I32(AT(ref, (y + (i)) * p.ref_stride + x)) & PSNR_HVS_MAX_SAMPLE)
#define DIST(i) (I32(AT(dist, (y + (i)) * p.dist_stride + x)) & PSNR_HVS_MAX_SAMPLE)
        LOAD_LINE(r, REF)
        LOAD_LINE(d, DIST)
        STORE_LINES(samples, number * TILE_BLOCK + column, N, r, d)
        r = dct(r);
        d = dct(d);
        STORE_LINES(coefficients, number * TILE_BLOCK + column, N, r, d)
    }
    THEN
    {
        i32 row = LANE / N * TILE_BLOCK + LANE % N * N;
        psnr_hvs_line r, d;
#define ROW_OF_REF(i)  unpack(AT(coefficients, row + (i)), 0)
#define ROW_OF_DIST(i) unpack(AT(coefficients, row + (i)), 1)
        LOAD_LINE(r, ROW_OF_REF)
        LOAD_LINE(d, ROW_OF_DIST)
        r = dct(r);
        d = dct(d);
        STORE_LINES(coefficients, row, 1, r, d)
    }
    THEN
    {
        i32 number = LANE % PSNR_HVS_GROUP;
        i32 task = LANE / PSNR_HVS_GROUP;
        i32 tile = number * TILE_BLOCK;
        if (task < WHOLE) {
            f32 sum = F32(0u);
            for (i32 k = 1; k < PSNR_HVS_COEFFICIENTS; ++k) {
                i32 z = unpack(AT(coefficients, tile + k), task);
                f32 weight = f32_of_bits(AT(weights, PSNR_HVS_MASKING + k));
                /* A product of integers, rounded once. */
                sum = add_f32(sum, mul_f32(f32_of_i32(z * z), weight));
            }
            AT(energy, task * PSNR_HVS_GROUP + number) = sum;
        } else if (task < QUADRANTS) {
            i32 picture = task - WHOLE;
            i32 total = 0;
            for (i32 k = 0; k < PSNR_HVS_COEFFICIENTS; ++k) {
                total += unpack(AT(samples, tile + k), picture);
            }
            f32 sum = F32(0u);
            for (i32 k = 0; k < PSNR_HVS_COEFFICIENTS; ++k) {
                f32 e = f32_of_i32(64 * unpack(AT(samples, tile + k), picture) - total);
                sum = add_f32(sum, mul_f32(e, e));
            }
            AT(whole, picture * PSNR_HVS_GROUP + number) = sum;
        } else {
            i32 picture = (task - QUADRANTS) / 2;
            i32 rows = (task - QUADRANTS) % 2; /* upper or lower */
            for (i32 side = 0; side < 2; ++side) {
                i32 first = tile + rows * HALF_BLOCK * N + side * HALF_BLOCK;
                i32 total = 0;
                for (i32 i = 0; i < HALF_BLOCK; ++i) {
                    for (i32 j = 0; j < HALF_BLOCK; ++j) {
                        total += unpack(AT(samples, first + i * N + j), picture);
                    }
                }
                f32 sum = F32(0u);
                for (i32 i = 0; i < HALF_BLOCK; ++i) {
                    for (i32 j = 0; j < HALF_BLOCK; ++j) {
                        i32 e = 16 * unpack(AT(samples, first + i * N + j), picture) - total;
                        u32 size = U32(abs_i32(e)); /* below 2^16 */
                        sum = add_f32(sum, f32_of_u32(size * size));
                    }
                }
                AT(quadrants,
                   ((2 * rows + side) * N_PICTURES + picture) * PSNR_HVS_GROUP + number) = sum;
            }
        }
    }
    THEN
    {
        if (LANE < N_PICTURES * PSNR_HVS_GROUP) {
            i32 next = N_PICTURES * PSNR_HVS_GROUP; /* quadrant */
            AT(masks, LANE) = masking(AT(energy, LANE), AT(whole, LANE), AT(quadrants, LANE),
                                      AT(quadrants, LANE + next), AT(quadrants, LANE + 2 * next),
                                      AT(quadrants, LANE + 3 * next),
                                      f32_of_bits(AT(weights, PSNR_HVS_WHOLE_SCALE)),
                                      f32_of_bits(AT(weights, PSNR_HVS_QUADRANT_SCALE)));
        }
    }
    THEN
    {
        for (i32 i = LANE; i < PSNR_HVS_GROUP * PSNR_HVS_COEFFICIENTS; i += LANES) {
            i32 number = i / PSNR_HVS_COEFFICIENTS;
            i32 k = i % PSNR_HVS_COEFFICIENTS;
            i32 block = GX * PSNR_HVS_GROUP + number;
            if (p.first + block < p.end) {
                u32 both = AT(coefficients, number * TILE_BLOCK + k);
                f32 mask = max_f32(AT(masks, PSNR_HVS_GROUP + number), AT(masks, number));
                /* The mean is not masked. */
                f32 threshold = k != 0
                                    ? div_f32(mask, f32_of_bits(AT(weights, PSNR_HVS_MASKING + k)))
                                    : F32(0u);
                f32 error = f32_of_i32(abs_i32(unpack(both, 0) - unpack(both, 1)));
                f32 visible = max_f32(sub_f32(error, threshold), F32(0u));
                visible = mul_f32(visible, f32_of_bits(AT(weights, PSNR_HVS_SENSITIVITY + k)));
                AT(errors, block * PSNR_HVS_COEFFICIENTS + k) = mul_f32(visible, visible);
            }
        }
    }
KERNEL_END
