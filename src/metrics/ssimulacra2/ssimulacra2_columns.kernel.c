/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Moments that have been blurred along the rows, blurred along the columns, in place: a lane for
 * each column, groups GY for each moment. What enters is kept in group memory until it leaves;
 * rows are loaded some at a time, while those before are blurred.
 *
 * NATIVE
 */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "metrics/ssimulacra2/blur.kernel.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

#define ROWS 8 /* at a time */
#define LOAD_ROWS(moment)                                                                          \
    UNROLL                                                                                         \
    for (i32 k = 0; k < ROWS; ++k) {                                                               \
        if (from + k < p.h) {                                                                      \
            MINE(next)[k] = AT(moment, (from + k) * p.w + x);                                      \
        }                                                                                          \
    }
/* Rows from `from` on, and zeros below the picture. */
#define PREFETCH                                                                                   \
    UNROLL                                                                                         \
    for (i32 k = 0; k < ROWS; ++k) {                                                               \
        MINE(next)[k] = F32(0u);                                                                   \
    }                                                                                              \
    if (GY == 0) {                                                                                 \
        LOAD_ROWS(mean_ref)                                                                        \
    } else if (GY == 1) {                                                                          \
        LOAD_ROWS(mean_dist)                                                                       \
    } else if (GY == 2) {                                                                          \
        LOAD_ROWS(ref_ref)                                                                         \
    } else if (GY == 3) {                                                                          \
        LOAD_ROWS(dist_dist)                                                                       \
    } else {                                                                                       \
        LOAD_ROWS(ref_dist)                                                                        \
    }

KERNEL_BEGIN
KERNEL_OUT(0, f32, mean_ref)
KERNEL_OUT(1, f32, mean_dist)
KERNEL_OUT(2, f32, ref_ref)
KERNEL_OUT(3, f32, dist_dist)
KERNEL_OUT(4, f32, ref_dist)
KERNEL_ARGS(5, ssimulacra2_blur_args, p)
GROUP_MEMORY(f32, rings, RING *LANES)
LANE_STATE_ARRAY(f32, next, ROWS)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * SSIMULACRA2_GROUP_COLUMNS + LX;
        if (x < p.w) {
            ssimulacra2_sections s = no_sections();
            for (i32 i = 0; i < RING; ++i) {
                AT(rings, i * LANES + LX) = F32(0u);
            }
            i32 from = 0;
            PREFETCH
            for (i32 first = 0; first < p.h + AHEAD; first += ROWS) {
                UNROLL
                for (i32 k = 0; k < ROWS; ++k) {
                    AT(rings, ENTERING_AT(first + k) * LANES + LX) = MINE(next)[k];
                }
                from = first + ROWS;
                PREFETCH
                for (i32 k = 0; k < ROWS; ++k) {
                    f32 entering = AT(rings, ENTERING_AT(first + k) * LANES + LX);
                    f32 leaving = AT(rings, LEAVING_AT(first + k) * LANES + LX);
                    s = blur_step(s, add_f32(leaving, entering));
                    i32 y = first + k - AHEAD;
                    if (y >= 0 && y < p.h) {
                        f32 value = blurred_value(s);
                        if (GY == 0) {
                            AT(mean_ref, y * p.w + x) = value;
                        } else if (GY == 1) {
                            AT(mean_dist, y * p.w + x) = value;
                        } else if (GY == 2) {
                            AT(ref_ref, y * p.w + x) = value;
                        } else if (GY == 3) {
                            AT(dist_dist, y * p.w + x) = value;
                        } else {
                            AT(ref_dist, y * p.w + x) = value;
                        }
                    }
                }
            }
        }
    }
KERNEL_END
