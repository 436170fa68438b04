/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * VIF at one scale, in one pass: local statistics of both pictures, the information that they hold,
 * and both pictures of the next scale. SCALE is 0 to 3; SAMPLE is u8, or u16 for depths above 8 and
 * all scales but the first, and SAMPLE_BITS its width. LIMITS is the number of gain limits for
 * which the information is measured.
 *
 * A group covers 112 x 8 pixels and reaches one window farther. First each lane walks down a column
 * and leaves its five vertically filtered moments in group memory, for eight rows; then it filters
 * seven neighbours in a row and subtracts the squared means. Samples and products stay in
 * registers, and only the even rows and columns of the next scale are filtered.
 *
 * Per pixel, scale 0 reads 2 bytes from device memory at 8 bits, 4 above, and writes 1 byte of the
 * next scale; it loads 3.4 times that, which caches serve. Products of a tap and 16 bits per pixel:
 * 97 at 8 bits and 155 above vertically, 136 horizontally, 15 for the next scale. With everything
 * else 630 instructions of PTX (docs/kernels.md). Scale 1 has 160 products, scales 2 and 3 have 90
 * and 50; where sums of products of 32 bits are one instruction, two of three are spared. A second
 * limit costs about 20 instructions per pixel, and in device memory its partial sums only.
 *
 * VARIANT 0_8 SCALE=0 SAMPLE_BITS=8 SAMPLE=u8 LIMITS=1
 * VARIANT 0_16 SCALE=0 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1
 * VARIANT 1 SCALE=1 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1
 * VARIANT 2 SCALE=2 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1
 * VARIANT 3 SCALE=3 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1
 * VARIANT 0_8_x2 SCALE=0 SAMPLE_BITS=8 SAMPLE=u8 LIMITS=2
 * VARIANT 0_16_x2 SCALE=0 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2
 * VARIANT 1_x2 SCALE=1 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2
 * VARIANT 2_x2 SCALE=2 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2
 * VARIANT 3_x2 SCALE=3 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2
 */
#define WX 128
#define WY 1
#include "dialect/kernel.h"
#include "metrics/vif/information.kernel.h"
#include "metrics/vif/vif_kernel.h"
#include "metrics/vif/window.kernel.h"

/* Scales above the first have 16 bits. Second moments have 32 bits, in units of 1/65536 of a
 * squared 8-bit grey level. */
#if SAMPLE_BITS == 8
#define DEPTH        8
#define MOMENT_SHIFT 0
#elif SCALE == 0
#define DEPTH        p.depth
#define MOMENT_SHIFT (2 * p.depth - 16)
#else
#define DEPTH        16
#define MOMENT_SHIFT 16
#endif

#define ROWS    VIF_TILE_ROWS
#define STRIPS  (LANES / ROWS)
#define RADIUS  VIF_RADIUS(SCALE)
#define REACH   RADIUS
#define COLUMNS (VIF_TILE_COLUMNS / STRIPS) /* pixels of a lane, neighbours in a row */

/* Vertically filtered, by row and column of the tile: the means of both pictures in a word, then a
 * word for each second moment. Rows are half the banks of group memory apart, so that the two rows
 * of 32 lanes do not compete: neighbouring lanes read words that are COLUMNS apart, an odd number.
 */
#define MEANS                         0
#define REF_REF                       1
#define DIST_DIST                     2
#define REF_DIST                      3
#define ROW_PITCH                     (4 * LANES + 16)
#define FILTERED(row, moment, column) AT(pool, (row)*ROW_PITCH + (moment)*LANES + (column))

/* Later in the same memory: partial sums of the lanes, and variances by pixel of the tile. */
#define LANE_SUMS             (4 + LIMITS)
#define TILE_PIXELS           (ROWS * VIF_TILE_COLUMNS)
#define VARIANCE(kind, pixel) AT(pool, LANE_SUMS *LANES + (kind)*TILE_PIXELS + (pixel))

/* Vertical sums of products of samples, which have 32 bits at a depth of 8. */
#if SAMPLE_BITS == 8
#define MOMENT_SUM                       u32
#define MOMENT_BEGIN                     0u
#define MOMENT_ADD(sum, weight, product) ((sum) + (weight) * (product))
#define MOMENT_END(sum)                  (sum)
#else
#define MOMENT_SUM                       sum48
#define MOMENT_BEGIN                     sum48_begin(1u << (MOMENT_SHIFT - 1))
#define MOMENT_ADD(sum, weight, product) sum48_add(sum, weight, product)
#define MOMENT_END(sum)                  sum48_end(sum, MOMENT_SHIFT)
#endif

/* Applies `add(j, weight, word)` to neighbour j of COLUMNS for each word of its window in a row.
 * Sums begin with the rounding term, here and elsewhere: if it is added in the end, some compilers
 * reorder everything, which takes twice as many registers. */
#define FILTER_ROW(moment, add)                                                                    \
    UNROLL                                                                                         \
    for (i32 i = 0; i < COLUMNS + 2 * RADIUS; ++i) {                                               \
        u32 word = FILTERED(LANE / STRIPS, moment, LANE % STRIPS * COLUMNS + i);                   \
        UNROLL                                                                                     \
        for (i32 j = 0; j < COLUMNS; ++j) {                                                        \
            i32 distance = abs_i32(i - j - RADIUS);                                                \
            if (distance <= RADIUS) {                                                              \
                add(j, tap(SCALE, distance), word)                                                 \
            }                                                                                      \
        }                                                                                          \
    }
#define ADD_MEANS(j, weight, word)                                                                 \
    ref_mean[j] += weight * ((word)&0xFFFFu);                                                      \
    dist_mean[j] += weight * ((word) >> 16);
#define ADD_SQUARE(j, weight, word) sums[j] = sum48_add(sums[j], weight, word);

/* A second moment of all neighbours, each less the product of its means. */
#define CENTRAL_MOMENTS(result, moment, mean, other_mean)                                          \
    UNROLL                                                                                         \
    for (i32 j = 0; j < COLUMNS; ++j) {                                                            \
        sums[j] = sum48_begin(32768u);                                                             \
    }                                                                                              \
    FILTER_ROW(moment, ADD_SQUARE)                                                                 \
    UNROLL                                                                                         \
    for (i32 j = 0; j < COLUMNS; ++j) {                                                            \
        MINE(result)                                                                               \
        [j] = I32(sum48_end(sums[j], 16) - product_of_means((mean)[j], (other_mean)[j]));          \
    }

/* Product of means in units of 2^-24, rounded to the unit of second moments. */
FN u32 product_of_means(u32 a, u32 b)
{
    return mul_hi_u32(a, b) + ((a * b) >> 31);
}

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_IN(2, u16, log_steps)
KERNEL_OUT(3, u16, next)
KERNEL_OUT(4, u64, partials)
KERNEL_ARGS(5, vif_scale_args, p)
GROUP_MEMORY(i32, rows, ROWS + 2 * RADIUS)
GROUP_MEMORY(u32, pool, ROWS *ROW_PITCH)
#if SCALE < 3
GROUP_MEMORY(u32, smaller, SMALLER_ROWS *SMALLER_PITCH)
#endif
LANE_STATE_ARRAY(i32, ref_variance, COLUMNS)
LANE_STATE_ARRAY(i32, dist_variance, COLUMNS)
LANE_STATE_ARRAY(i32, covariance, COLUMNS)
KERNEL_BODY
    FIRST
    {
        /* Where rows begin. A scale of one column or row, which can only be the last, counts as
         * two; see below. */
        if (LANE < ROWS + 2 * RADIUS) {
            AT(rows, LANE) = mirrored(GY * ROWS + LANE - RADIUS, max_i32(p.h, 2)) * p.stride;
        }
    }
    THEN
    {
        i32 x = mirrored(GX * VIF_TILE_COLUMNS + LANE - RADIUS, max_i32(p.w, 2));
        u32 ref_mean[ROWS];
        u32 dist_mean[ROWS];
        MOMENT_SUM ref_ref[ROWS];
        MOMENT_SUM dist_dist[ROWS];
        MOMENT_SUM ref_dist[ROWS];
        UNROLL
        for (i32 j = 0; j < ROWS; ++j) {
            ref_mean[j] = 1u << (DEPTH - 1);
            dist_mean[j] = 1u << (DEPTH - 1);
            ref_ref[j] = MOMENT_BEGIN;
            dist_dist[j] = MOMENT_BEGIN;
            ref_dist[j] = MOMENT_BEGIN;
        }
#if SCALE < 3
        SMALLER_BEGIN(DEPTH)
#endif
        UNROLL
        for (i32 i = 0; i < ROWS + 2 * RADIUS; ++i) {
            u32 at = U32(AT(rows, i) + x);
            u32 r = U32(AT(ref, at));
            u32 d = U32(AT(dist, at));
            u32 rr = r * r, dd = d * d, rd = r * d;
            UNROLL
            for (i32 j = 0; j < ROWS; ++j) {
                i32 distance = abs_i32(i - j - RADIUS);
                if (distance <= RADIUS) {
                    u32 weight = tap(SCALE, distance);
                    ref_mean[j] += weight * r;
                    dist_mean[j] += weight * d;
                    ref_ref[j] = MOMENT_ADD(ref_ref[j], weight, rr);
                    dist_dist[j] = MOMENT_ADD(dist_dist[j], weight, dd);
                    ref_dist[j] = MOMENT_ADD(ref_dist[j], weight, rd);
                }
            }
#if SCALE < 3
            SMALLER_ADD(i, r, d)
#endif
        }
        UNROLL
        for (i32 j = 0; j < ROWS; ++j) {
            u32 r = ref_mean[j] >> DEPTH;
            u32 d = dist_mean[j] >> DEPTH;
            FILTERED(j, MEANS, LANE) = r | d << 16;
            FILTERED(j, REF_REF, LANE) = MOMENT_END(ref_ref[j]);
            FILTERED(j, DIST_DIST, LANE) = MOMENT_END(dist_dist[j]);
            FILTERED(j, REF_DIST, LANE) = MOMENT_END(ref_dist[j]);
#if SCALE == 3
            if (p.w == 1 && x == 1) {
                UNROLL
                for (i32 k = 0; k < 4; ++k) {
                    FILTERED(j, k, LANE) = U32(AT(ref, p.leftovers + 2 * k)) |
                                           U32(AT(ref, p.leftovers + 2 * k + 1)) << 16;
                }
            }
#endif
        }
#if SCALE < 3
        if (LANE < SMALLER_PITCH) {
            SMALLER_END(LANE, DEPTH)
        }
#endif
    }
    THEN
    {
        u32 ref_mean[COLUMNS];
        u32 dist_mean[COLUMNS];
        sum48 sums[COLUMNS];
        UNROLL
        for (i32 j = 0; j < COLUMNS; ++j) {
            ref_mean[j] = 0u;
            dist_mean[j] = 0u;
        }
        FILTER_ROW(MEANS, ADD_MEANS)
        CENTRAL_MOMENTS(ref_variance, REF_REF, ref_mean, ref_mean)
        CENTRAL_MOMENTS(dist_variance, DIST_DIST, dist_mean, dist_mean)
        CENTRAL_MOMENTS(covariance, REF_DIST, ref_mean, dist_mean)
#if SCALE < 3
        SMALLER_WRITE
#endif
#if SCALE == 2
        /*
         * A next scale of one row or column has no neighbours to mirror. libvmaf 3.2 reads there
         * what earlier steps left in its buffers: row 1 of this scale, and column 1 of its
         * vertically filtered last row. They become a second row and column.
         */
        i32 x = GX * SMALLER_COLUMNS + LANE;
        if (p.next_h == 1 && LANE < SMALLER_COLUMNS && x < p.next_w) {
            AT(next, p.next_stride + x) = AT(ref, p.stride + x);
            AT(next, p.next_stride + x + p.next_dist) = AT(dist, p.stride + x);
        }
        if (p.next_w == 1 && LANE < 4 && (p.h - 1) / ROWS == GY) {
            u32 word = FILTERED((p.h - 1) % ROWS, LANE, 1 + RADIUS);
            AT(next, p.leftovers + 2 * LANE) = U16(word & 0xFFFFu);
            AT(next, p.leftovers + 2 * LANE + 1) = U16(word >> 16);
        }
#endif
    }
    THEN
    {
        UNROLL
        for (i32 j = 0; j < COLUMNS; ++j) {
            i32 pixel = LANE / STRIPS * VIF_TILE_COLUMNS + LANE % STRIPS * COLUMNS + j;
            VARIANCE(0, pixel) = U32(MINE(ref_variance)[j]);
            VARIANCE(1, pixel) = U32(max_i32(MINE(dist_variance)[j], 0));
            VARIANCE(2, pixel) = U32(MINE(covariance)[j]);
        }
    }
    THEN
    {
        vif_limit limits[LIMITS];
        u32 log_num[LIMITS];
        u32 log_den = 0u;
        u32 flat_lower = 0u, flat_upper = 0u, flat_count = 0u;
        UNROLL
        for (i32 k = 0; k < LIMITS; ++k) {
            limits[k].mantissa = p.limits[k].mantissa;
            limits[k].square_mantissa = p.limits[k].square_mantissa;
            limits[k].exponent = p.limits[k].exponent;
            limits[k].square_exponent = p.limits[k].square_exponent;
            limits[k].free_to = p.limits[k].free_to;
            limits[k].limited_from = p.limits[k].limited_from;
            log_num[k] = 0u;
        }
        for (i32 pixel = LANE; pixel < TILE_PIXELS; pixel += LANES) {
            i32 x = GX * VIF_TILE_COLUMNS + pixel % VIF_TILE_COLUMNS;
            i32 y = GY * ROWS + pixel / VIF_TILE_COLUMNS;
            if (x < p.w && y < p.h) {
                i32 v1 = I32(VARIANCE(0, pixel));
                u32 v2 = VARIANCE(1, pixel);
                i32 c = I32(VARIANCE(2, pixel));
                if (v1 >= VIF_NOISE_VARIANCE) {
                    u32 signal = U32(v1) + U32(VIF_NOISE_VARIANCE);
                    log_den += LOG(log_steps, signal) - 17u * U32(VIF_LOG_UNIT);
                    if (c > 0 && v2 > 0u) {
                        vif_explained by_ref = explained(U32(v1), U32(c));
                        vif_energies of_dist[LIMITS];
                        i32 undecided = 0;
                        UNROLL
                        for (i32 k = 0; k < LIMITS; ++k) {
                            of_dist[k] = decided(U32(v1), v2, U32(c), by_ref, limits[k]);
                            undecided |= of_dist[k].noise == 0u ? 1 : 0;
                        }
                        if (undecided != 0) {
                            vif_exact exact = exactly(U32(v1), v2, U32(c));
                            UNROLL
                            for (i32 k = 0; k < LIMITS; ++k) {
                                of_dist[k] = limited_exactly(exact, U32(v1), limits[k]);
                            }
                        }
                        u32 log_noise = LOG(log_steps, of_dist[0].noise);
                        UNROLL
                        for (i32 k = 0; k < LIMITS; ++k) {
                            log_num[k] += LOG(log_steps, of_dist[k].total) - log_noise;
                        }
                    }
                } else {
                    flat_lower += v2 & 0xFFFFu;
                    flat_upper += v2 >> 16;
                    flat_count += 1u;
                }
            }
        }
        AT(pool, LANE) = log_den;
        AT(pool, LANES + LANE) = flat_lower;
        AT(pool, 2 * LANES + LANE) = flat_upper;
        AT(pool, 3 * LANES + LANE) = flat_count;
        UNROLL
        for (i32 k = 0; k < LIMITS; ++k) {
            AT(pool, (4 + k) * LANES + LANE) = log_num[k];
        }
    }
    GROUP_SUMS(pool, LANE_SUMS)
    THEN
    {
        if (LANE == 0) {
            i32 group = GY * NGX + GX;
            i32 groups = NGX * NGY;
            AT(partials, VIF_SUM_LOG_DEN * groups + group) = U64(AT(pool, 0));
            AT(partials, VIF_SUM_FLAT_VARIANCE * groups + group) =
                U64(AT(pool, LANES)) + (U64(AT(pool, 2 * LANES)) << 16);
            AT(partials, VIF_SUM_FLAT_COUNT * groups + group) = U64(AT(pool, 3 * LANES));
            UNROLL
            for (i32 k = 0; k < LIMITS; ++k) {
                AT(partials, (VIF_SUM_LOG_NUM + k) * groups + group) =
                    U64(AT(pool, (4 + k) * LANES));
            }
        }
    }
KERNEL_END
