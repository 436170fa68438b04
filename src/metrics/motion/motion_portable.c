/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdlib.h>

#include "metrics/motion/motion_internal.h"
#include "support/loops.h"

/* Motion, as motion_scalar.c defines it, for compilers that make vectors of plain C. */

/*
 * A filtered row sums up in 32 bits unsigned over this many columns: valid samples give results
 * of at most 65535, samples beyond their bit depth less than 2^17.
 */
enum { COLUMNS_PER_SUM = 1 << 15 };

static inline int16_t high_of(int32_t value)
{
    return (int16_t)(value >> 2);
}

static inline int16_t low_of(int32_t value)
{
    return (int16_t)(value & 3);
}

/*
 * (filtered value + 2^(shift - 1)) >> shift, from the parts of the centre and the sums of the
 * parts at distance 1 and 2. With the filtered value 4 A + B the result is
 *
 *     (A + ((B + 2^(shift - 1)) >> 2)) >> (shift - 2)
 *
 * |A| <= 2^30. B >> 2 is at most 49152: each tap is 4 * (tap >> 2) + remainder, and the remainders
 * are 2, 0 and 3.
 */
static inline int32_t filter_split(int16_t high0, int16_t high1, int16_t high2, uint16_t low0,
                                   uint16_t low1, uint16_t low2, unsigned shift)
{
    const uint16_t half = (uint16_t)(1u << (shift - 3));
    const uint16_t remainders = (uint16_t)(2 * low0 + 3 * low2);
    const uint16_t rest = (uint16_t)((MOTION_TAP0 >> 2) * low0 + (MOTION_TAP1 >> 2) * low1 +
                                     (MOTION_TAP2 >> 2) * low2 + (remainders >> 2) + half);
    return (MOTION_TAP0 * high0 + MOTION_TAP1 * high1 + MOTION_TAP2 * high2 + rest) >> (shift - 2);
}

static bool difference8(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint8_t *a = earlier, *b = current;
    int16_t *d = out.high;
    int16_t any = 0;
    VECTORS_OF(uint8_t)
    for (unsigned x = 0; x < w; x++) {
        d[x] = (int16_t)(a[x] - b[x]);
        any |= d[x];
    }
    return any;
}

static bool difference16(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    int16_t *d = out.high;
    int16_t any = 0;
    for (unsigned x = 0; x < w; x++) {
        d[x] = (int16_t)(a[x] - b[x]);
        any |= d[x];
    }
    return any;
}

static bool difference16_split(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    int16_t *high = out.high, *low = out.low;
    int32_t any = 0;
    VECTORS_OF(uint16_t)
    for (unsigned x = 0; x < w; x++) {
        const int32_t d = a[x] - b[x];
        high[x] = high_of(d);
        low[x] = low_of(d);
        any |= d;
    }
    return any;
}

/* A function of its own because compilers believe `restrict` of parameters only. */
static inline void filter_rows(int16_t *restrict high, int16_t *restrict low, const int16_t *above2,
                               const int16_t *above1, const int16_t *centre, const int16_t *below1,
                               const int16_t *below2, unsigned w, unsigned bpc)
{
    const int32_t half = 1 << (bpc - 1);
    for (unsigned x = 0; x < w; x++) {
        const int16_t d0 = centre[x];
        const int16_t d1 = (int16_t)(above1[x] + below1[x]);
        const int16_t d2 = (int16_t)(above2[x] + below2[x]);
        const int32_t v = (MOTION_TAP0 * d0 + MOTION_TAP1 * d1 + MOTION_TAP2 * d2 + half) >> bpc;
        high[x] = high_of(v);
        low[x] = low_of(v);
    }
}

static MotionRow vertical(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                          unsigned bpc)
{
    filter_rows(out.high, out.low, rows[0].high, rows[1].high, rows[2].high, rows[3].high,
                rows[4].high, w, bpc);
    return out;
}

static inline void filter_split_rows(int16_t *restrict high, int16_t *restrict low,
                                     const MotionRow rows[MOTION_TAPS], unsigned w, unsigned bpc)
{
    const MotionRow above2 = rows[0], above1 = rows[1], centre = rows[2];
    const MotionRow below1 = rows[3], below2 = rows[4];
    for (unsigned x = 0; x < w; x++) {
        const int32_t v =
            filter_split(centre.high[x], (int16_t)(above1.high[x] + below1.high[x]),
                         (int16_t)(above2.high[x] + below2.high[x]), (uint16_t)centre.low[x],
                         (uint16_t)(above1.low[x] + below1.low[x]),
                         (uint16_t)(above2.low[x] + below2.low[x]), bpc);
        high[x] = high_of(v);
        low[x] = low_of(v);
    }
}

static MotionRow vertical_split(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                                unsigned bpc)
{
    /* Constant shifts: for a shift that it does not know, Clang makes products of 32 bits. */
    if (bpc == 16)
        filter_split_rows(out.high, out.low, rows, w, 16);
    else
        filter_split_rows(out.high, out.low, rows, w, MOTION_MAX_UNSPLIT_BPC + 1);
    return out;
}

/* A row, seen from two columns to the left on. */
typedef struct Around {
    const int16_t *left2, *left1, *centre, *right1, *right2;
} Around;

static inline Around around(const int16_t *row)
{
    return (Around){RELOADED(row - 2), RELOADED(row - 1), row, RELOADED(row + 1),
                    RELOADED(row + 2)};
}

static uint64_t horizontal_sad(MotionRow row, unsigned w)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned n = w - begin < COLUMNS_PER_SUM ? w - begin : COLUMNS_PER_SUM;
        const Around high = around(row.high + begin), low = around(row.low + begin);
        uint32_t sum = 0;
        VECTORS_OF(int16_t)
        for (int x = 0; x < (int)n; x++) {
            const int32_t g =
                filter_split(high.centre[x], (int16_t)(high.left1[x] + high.right1[x]),
                             (int16_t)(high.left2[x] + high.right2[x]), (uint16_t)low.centre[x],
                             (uint16_t)(low.left1[x] + low.right1[x]),
                             (uint16_t)(low.left2[x] + low.right2[x]), 16);
            sum += (uint32_t)abs(g);
        }
        total += sum;
    }
    return total;
}

void motion_functions_fill_portable(MotionFunctions *functions, unsigned bpc)
{
    const bool split = bpc > MOTION_MAX_UNSPLIT_BPC;
    functions->difference = bpc == 8 ? difference8 : split ? difference16_split : difference16;
    functions->vertical = split ? vertical_split : vertical;
    functions->horizontal_sad = horizontal_sad;
}
