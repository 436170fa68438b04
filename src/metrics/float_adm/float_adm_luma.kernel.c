/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * float_adm, scale 0: from luma of both pictures to the first approximation and the terms of the
 * scale's sums. SAMPLE is the type of samples in memory.
 *
 * VARIANT 8 SAMPLE=u8
 * VARIANT 16 SAMPLE=u16
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "dialect/binary32.h"

#include "metrics/float_adm/decouple.kernel.h"
#include "metrics/float_adm/float_adm_kernel.h"
#include "metrics/float_adm/tile.kernel.h"

/* A sample relative to mid grey, in 8-bit grey levels. */
FN f32 luma_of(u32 luma, i32 depth)
{
    return scale_f32(f32_of_i32(I32(luma) - (1 << (depth - 1))), 8 - depth);
}

#define SAMPLE_AT(picture, row, column)                                                            \
    luma_of((picture) == 0 ? U32(AT(ref, U32((row)*p.ref_stride + (column))))                      \
                           : U32(AT(dist, U32((row)*p.dist + (column)))),                          \
            p.depth)

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_IN(2, float_adm_variant, variants)
KERNEL_OUT(3, f32, approx)
KERNEL_OUT(4, f32, terms)
KERNEL_ARGS(5, float_adm_scale_args, p)
GROUP_MEMORY(f32, pool, POOL_SIZE)
GROUP_MEMORY(f32, bands, 2 * FLOAT_ADM_BANDS * BORDERED)
KERNEL_BODY
#include "metrics/float_adm/tile_blocks.kernel.h"
KERNEL_END
