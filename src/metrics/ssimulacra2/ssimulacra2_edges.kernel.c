/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The map of edges: those that the distorted picture adds, and those that it has lost, and the
 * fourth powers of both, for ordered sums.
 *
 * NATIVE
 */
#define WX 64
#define WY 4
#include "dialect/kernel.h"
#include "dialect/binary64.h"
#include "metrics/ssimulacra2/map.kernel.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

/* 1 + what a pixel has to do with its surroundings. */
FN f64 edge(f32 value, f32 mean)
{
    return add_f64(ONE_F64, abs_f64(sub_f64(f64_of_f32(value), f64_of_f32(mean))));
}

KERNEL_BEGIN
KERNEL_IN(0, f32, ref)
KERNEL_IN(1, f32, dist)
KERNEL_IN(2, f32, mean_ref)
KERNEL_IN(3, f32, mean_dist)
KERNEL_OUT(4, f64, terms)
KERNEL_OUT(5, f64, fourth_powers)
KERNEL_ARGS(6, ssimulacra2_map_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * SSIMULACRA2_MAP_COLUMNS + LX;
        i32 y = GY * SSIMULACRA2_MAP_ROWS + LY;
        if (x < p.w && y < p.h) {
            i32 i = y * p.w + x;
            f64 of_ref = edge(AT(ref, i), AT(mean_ref, i));
            f64 of_dist = edge(AT(dist, i), AT(mean_dist, i));
            f64 gain = sub_f64(div_f64(of_dist, of_ref), ONE_F64);
            f64 added = max_f64(gain, F64_BITS(0u, 0u));
            f64 lost = max_f64(neg_f64(gain), F64_BITS(0u, 0u));
            if ((p.wanted & SSIMULACRA2_WANTS_TERMS) != 0) {
                AT(terms, i) = added;
            }
            if ((p.wanted & SSIMULACRA2_WANTS_FOURTH) != 0) {
                AT(fourth_powers, i) = fourth_power(added);
            }
            if ((p.wanted & SSIMULACRA2_WANTS_LOST) != 0) {
                AT(terms, p.lost + i) = lost;
            }
            if ((p.wanted & SSIMULACRA2_WANTS_LOST_POWER) != 0) {
                AT(fourth_powers, p.lost + i) = fourth_power(lost);
            }
        }
    }
KERNEL_END
