/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdlib.h>

#include "metrics/motion/motion_internal.h"

/*
 * Motion as it is defined: differences of frames, filtered vertically and horizontally, and the sum
 * of their magnitudes.
 *
 * Numbers are exact as long as samples keep to their bit depth. Of others, sums of two rows or
 * columns wrap in 16 bits: those of values that are not split, and of upper parts of those that
 * are.
 */

static int32_t value_at(MotionRow row, int x, bool split)
{
    return split ? 4 * row.high[x] + row.low[x] : row.high[x];
}

static int32_t sum_at(MotionRow a, int x, MotionRow b, int y, bool split)
{
    const int16_t sum = (int16_t)(a.high[x] + b.high[y]);
    return split ? 4 * sum + a.low[x] + b.low[y] : sum;
}

static void split_value(MotionRow out, int x, int32_t value)
{
    out.high[x] = (int16_t)(value >> 2);
    out.low[x] = (int16_t)(value & 3);
}

/* From the centre and the sums at distance 1 and 2. */
static int32_t filtered(int32_t centre, int32_t near, int32_t far, unsigned shift)
{
    const int64_t sum =
        (int64_t)MOTION_TAP0 * centre + (int64_t)MOTION_TAP1 * near + (int64_t)MOTION_TAP2 * far;
    return (int32_t)((sum + (1 << (shift - 1))) >> shift);
}

static bool difference8(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint8_t *a = earlier, *b = current;
    bool any = false;
    for (unsigned x = 0; x < w; x++) {
        out.high[x] = (int16_t)(a[x] - b[x]);
        any |= a[x] != b[x];
    }
    return any;
}

static bool difference16(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    bool any = false;
    for (unsigned x = 0; x < w; x++) {
        out.high[x] = (int16_t)(a[x] - b[x]);
        any |= a[x] != b[x];
    }
    return any;
}

static bool difference16_split(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    bool any = false;
    for (unsigned x = 0; x < w; x++) {
        split_value(out, (int)x, a[x] - b[x]);
        any |= a[x] != b[x];
    }
    return any;
}

static MotionRow filter_rows(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                             unsigned bpc, bool split)
{
    for (int x = 0; x < (int)w; x++)
        split_value(out, x,
                    filtered(value_at(rows[2], x, split), sum_at(rows[1], x, rows[3], x, split),
                             sum_at(rows[0], x, rows[4], x, split), bpc));
    return out;
}

static MotionRow vertical(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                          unsigned bpc)
{
    return filter_rows(out, rows, w, bpc, false);
}

static MotionRow vertical_split(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                                unsigned bpc)
{
    return filter_rows(out, rows, w, bpc, true);
}

static uint64_t horizontal_sad(MotionRow row, unsigned w)
{
    uint64_t total = 0;
    for (int x = 0; x < (int)w; x++)
        total +=
            (uint64_t)abs(filtered(value_at(row, x, true), sum_at(row, x - 1, row, x + 1, true),
                                   sum_at(row, x - 2, row, x + 2, true), 16));
    return total;
}

void motion_functions_fill_scalar(MotionFunctions *functions, unsigned bpc)
{
    const bool split = bpc > MOTION_MAX_UNSPLIT_BPC;
    functions->difference = bpc == 8 ? difference8 : split ? difference16_split : difference16;
    functions->vertical = split ? vertical_split : vertical;
    functions->horizontal_sad = horizontal_sad;
}
