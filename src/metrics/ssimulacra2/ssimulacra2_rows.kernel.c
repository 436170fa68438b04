/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Moments of a component of both pictures, blurred along the rows: means, then second moments,
 * whose factors are multiplied on the way. A row of lanes makes a moment, each lane for a row of
 * the pictures. Tiles go through group memory, so that loads and stores are of neighbours; the next
 * tile is on its way while one is blurred.
 *
 * NATIVE
 */
#define WX 32
#define WY 5
#include "dialect/kernel.h"
#include "metrics/ssimulacra2/blur.kernel.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

#define TILE      16 /* columns */
#define TILE_SIZE (SSIMULACRA2_GROUP_ROWS * TILE)
#define LOADS     ((TILE_SIZE + LANES - 1) / LANES)
#define PITCH     (RING + 1) /* rows begin in different banks */
#define RINGS     (SSIMULACRA2_GROUP_ROWS * PITCH)
#define OUT_PITCH (TILE + 1)
#define OUT_TILE  (SSIMULACRA2_GROUP_ROWS * OUT_PITCH)
#define PREFETCH(x0)                                                                               \
    UNROLL                                                                                         \
    for (i32 k = 0; k < LOADS; ++k) {                                                              \
        i32 i = k * LANES + LANE;                                                                  \
        i32 x = (x0) + i % TILE;                                                                   \
        i32 y = GX * SSIMULACRA2_GROUP_ROWS + i / TILE;                                            \
        MINE(next_ref)[k] = F32(0u);                                                               \
        MINE(next_dist)[k] = F32(0u);                                                              \
        if (i < TILE_SIZE && x < p.w && y < p.h) {                                                 \
            MINE(next_ref)[k] = AT(ref, y * p.w + x);                                              \
            MINE(next_dist)[k] = AT(dist, y * p.w + x);                                            \
        }                                                                                          \
    }
/* What has been blurred of this lane's moment. */
#define STORE_TILE(moment)                                                                         \
    for (i32 k = 0; k < TILE_SIZE / WX; ++k) {                                                     \
        i32 i = k * WX + LX;                                                                       \
        i32 x = first - AHEAD + i % TILE;                                                          \
        i32 y = GX * SSIMULACRA2_GROUP_ROWS + i / TILE;                                            \
        if (x >= 0 && x < p.w && y < p.h) {                                                        \
            AT(moment, y *p.w + x) = AT(blurred, LY * OUT_TILE + i / TILE * OUT_PITCH + i % TILE); \
        }                                                                                          \
    }

KERNEL_BEGIN
KERNEL_IN(0, f32, ref)
KERNEL_IN(1, f32, dist)
KERNEL_OUT(2, f32, mean_ref)
KERNEL_OUT(3, f32, mean_dist)
KERNEL_OUT(4, f32, ref_ref)
KERNEL_OUT(5, f32, dist_dist)
KERNEL_OUT(6, f32, ref_dist)
KERNEL_ARGS(7, ssimulacra2_blur_args, p)
GROUP_MEMORY(f32, rings, 2 * RINGS) /* of the reference, then of the distorted picture */
GROUP_MEMORY(f32, blurred, SSIMULACRA2_MAX_MOMENTS *OUT_TILE)
LANE_STATE_ARRAY(f32, next_ref, LOADS)
LANE_STATE_ARRAY(f32, next_dist, LOADS)
LANE_STATE(ssimulacra2_sections, sections)
KERNEL_BODY
    FIRST
    {
        for (i32 i = LANE; i < 2 * RINGS; i += LANES) {
            AT(rings, i) = F32(0u);
        }
        MINE(sections) = no_sections();
        PREFETCH(0)
    }
    for (i32 first = 0; first < p.w + AHEAD; first += TILE) {
        THEN
        {
            UNROLL
            for (i32 k = 0; k < LOADS; ++k) {
                i32 i = k * LANES + LANE;
                if (i < TILE_SIZE) {
                    i32 at = i / TILE * PITCH + ENTERING_AT(first + i % TILE);
                    AT(rings, at) = MINE(next_ref)[k];
                    AT(rings, RINGS + at) = MINE(next_dist)[k];
                }
            }
            PREFETCH(first + TILE)
        }
        THEN
        {
            if (LY < p.moments) {
                i32 factor = (LY == 1 || LY == 3 ? RINGS : 0) + LX * PITCH;
                i32 other = (LY >= 3 ? RINGS : 0) + LX * PITCH;
                ssimulacra2_sections s = MINE(sections);
                for (i32 k = 0; k < TILE; ++k) {
                    i32 entering_at = ENTERING_AT(first + k);
                    i32 leaving_at = LEAVING_AT(first + k);
                    f32 entering = AT(rings, factor + entering_at);
                    f32 leaving = AT(rings, factor + leaving_at);
                    if (LY >= 2) {
                        entering = mul_f32(entering, AT(rings, other + entering_at));
                        leaving = mul_f32(leaving, AT(rings, other + leaving_at));
                    }
                    s = blur_step(s, add_f32(leaving, entering));
                    AT(blurred, LY * OUT_TILE + LX * OUT_PITCH + k) = blurred_value(s);
                }
                MINE(sections) = s;
            }
        }
        THEN
        {
            if (LY < p.moments) {
                if (LY == 0) {
                    STORE_TILE(mean_ref)
                } else if (LY == 1) {
                    STORE_TILE(mean_dist)
                } else if (LY == 2) {
                    STORE_TILE(ref_ref)
                } else if (LY == 3) {
                    STORE_TILE(dist_dist)
                } else {
                    STORE_TILE(ref_dist)
                }
            }
        }
    }
KERNEL_END
