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
 * else about 450 integer operations, 120 of them for a pixel's information. Scale 1 has 160
 * products, scales 2 and 3 have 90 and 50. A second limit costs about 50 operations per pixel, and
 * in device memory its partial sums only.
 */
#define WX 16
#define WY 8
#include "dialect/kernel.h"
#include "vif/information.h"
#include "vif/vif_scale_args.h"
#include "vif/window.h"

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
#define RADIUS  VIF_RADIUS(SCALE)
#define REACH   RADIUS
#define COLUMNS (VIF_TILE_COLUMNS / WX) /* pixels of a lane, neighbours in a row */

#if SCALE < 3
#include "vif/decimation.h"
#endif

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

/* A product of samples times a tap, to sums in one or two parts of 16 bits. */
#if SAMPLE_BITS == 8
#define ADD_PRODUCT(moment, j, weight, product) lower[(moment)*ROWS + (j)] += (weight) * (product);
#define MOMENT(moment, j)                       lower[(moment)*ROWS + (j)]
#else
#define ADD_PRODUCT(moment, j, weight, product)                                                    \
    lower[(moment)*ROWS + (j)] += (weight) * ((product)&0xFFFFu);                                  \
    upper[(moment)*ROWS + (j)] += (weight) * ((product) >> 16);
#define MOMENT(moment, j)                                                                          \
    ((upper[(moment)*ROWS + (j)] << (16 - MOMENT_SHIFT)) +                                         \
     (lower[(moment)*ROWS + (j)] >> MOMENT_SHIFT))
#endif

/* Filters COLUMNS neighbours horizontally, the two halves of the words separately. Sums begin with
 * the rounding term, here and elsewhere: if it is added in the end, some compilers reorder
 * everything, which takes twice as many registers. */
#define FILTER_ROW(moment, rounding)                                                               \
    UNROLL                                                                                         \
    for (i32 j = 0; j < COLUMNS; ++j) {                                                            \
        lower[j] = rounding;                                                                       \
        upper[j] = 0u;                                                                             \
    }                                                                                              \
    UNROLL                                                                                         \
    for (i32 i = 0; i < COLUMNS + 2 * RADIUS; ++i) {                                               \
        u32 word = FILTERED(LY, moment, LX * COLUMNS + i);                                         \
        u32 lower_half = word & 0xFFFFu;                                                           \
        u32 upper_half = word >> 16;                                                               \
        UNROLL                                                                                     \
        for (i32 j = 0; j < COLUMNS; ++j) {                                                        \
            i32 distance = abs_i32(i - j - RADIUS);                                                \
            if (distance <= RADIUS) {                                                              \
                u32 weight = tap(SCALE, distance);                                                 \
                lower[j] += weight * lower_half;                                                   \
                upper[j] += weight * upper_half;                                                   \
            }                                                                                      \
        }                                                                                          \
    }

/* The filtered second moment of neighbour j less the product of means. */
#define CENTRAL_MOMENT(j, mean, other_mean)                                                        \
    I32(upper[j] + (lower[j] >> 16) - product_of_means(mean, other_mean))

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
        /* A scale of one column or row, which can only be the last, counts as two; see below. */
        i32 x = mirrored(GX * VIF_TILE_COLUMNS + LANE - RADIUS, max_i32(p.w, 2));
        u32 ref_mean[ROWS];
        u32 dist_mean[ROWS];
        u32 lower[3 * ROWS];
#if SAMPLE_BITS > 8
        u32 upper[3 * ROWS];
#endif
        UNROLL
        for (i32 j = 0; j < ROWS; ++j) {
            ref_mean[j] = 1u << (DEPTH - 1);
            dist_mean[j] = 1u << (DEPTH - 1);
        }
        UNROLL
        for (i32 j = 0; j < 3 * ROWS; ++j) {
#if SAMPLE_BITS == 8
            lower[j] = 0u;
#else
            lower[j] = 1u << (MOMENT_SHIFT - 1);
            upper[j] = 0u;
#endif
        }
#if SCALE < 3
        SMALLER_BEGIN(DEPTH)
#endif
        UNROLL
        for (i32 i = 0; i < ROWS + 2 * RADIUS; ++i) {
            i32 y = mirrored(GY * ROWS + i - RADIUS, max_i32(p.h, 2));
            u32 r = U32(AT(ref, y * p.ref_stride + x));
            u32 d = U32(AT(dist, y * p.dist_stride + x));
            u32 rr = r * r, dd = d * d, rd = r * d;
            UNROLL
            for (i32 j = 0; j < ROWS; ++j) {
                i32 distance = abs_i32(i - j - RADIUS);
                if (distance <= RADIUS) {
                    u32 weight = tap(SCALE, distance);
                    ref_mean[j] += weight * r;
                    dist_mean[j] += weight * d;
                    ADD_PRODUCT(0, j, weight, rr)
                    ADD_PRODUCT(1, j, weight, dd)
                    ADD_PRODUCT(2, j, weight, rd)
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
            FILTERED(j, REF_REF, LANE) = MOMENT(0, j);
            FILTERED(j, DIST_DIST, LANE) = MOMENT(1, j);
            FILTERED(j, REF_DIST, LANE) = MOMENT(2, j);
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
        u32 lower[COLUMNS];
        u32 upper[COLUMNS];
        u32 ref_mean[COLUMNS];
        u32 dist_mean[COLUMNS];
        FILTER_ROW(MEANS, 0u)
        UNROLL
        for (i32 j = 0; j < COLUMNS; ++j) {
            ref_mean[j] = lower[j];
            dist_mean[j] = upper[j];
        }
        FILTER_ROW(REF_REF, 32768u)
        UNROLL
        for (i32 j = 0; j < COLUMNS; ++j) {
            MINE(ref_variance)[j] = CENTRAL_MOMENT(j, ref_mean[j], ref_mean[j]);
        }
        FILTER_ROW(DIST_DIST, 32768u)
        UNROLL
        for (i32 j = 0; j < COLUMNS; ++j) {
            MINE(dist_variance)[j] = max_i32(CENTRAL_MOMENT(j, dist_mean[j], dist_mean[j]), 0);
        }
        FILTER_ROW(REF_DIST, 32768u)
        UNROLL
        for (i32 j = 0; j < COLUMNS; ++j) {
            MINE(covariance)[j] = CENTRAL_MOMENT(j, ref_mean[j], dist_mean[j]);
        }
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
            AT(next, p.next_stride + x) = AT(ref, p.ref_stride + x);
            AT(next, p.next_stride + x + p.next_dist) = AT(dist, p.dist_stride + x);
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
            i32 pixel = LY * VIF_TILE_COLUMNS + LX * COLUMNS + j;
            VARIANCE(0, pixel) = U32(MINE(ref_variance)[j]);
            VARIANCE(1, pixel) = U32(MINE(dist_variance)[j]);
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
