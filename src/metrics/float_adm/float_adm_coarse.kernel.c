/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * float_adm, scales 1 to 3: from the approximations of the scale before to the next ones and the
 * terms of the scale's sums.
 *
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "dialect/binary32.h"

#include "metrics/float_adm/decouple.kernel.h"
#include "metrics/float_adm/float_adm_kernel.h"
#include "metrics/float_adm/tile.kernel.h"

#define SAMPLE_AT(picture, row, column)                                                            \
    AT(source, U32((picture)*p.dist + (row)*p.ref_stride + (column)))

KERNEL_BEGIN
KERNEL_IN(0, f32, source)
KERNEL_IN(1, float_adm_variant, variants)
KERNEL_OUT(2, f32, approx)
KERNEL_OUT(3, f32, terms)
KERNEL_ARGS(4, float_adm_scale_args, p)
GROUP_MEMORY(f32, pool, POOL_SIZE)
GROUP_MEMORY(f32, bands, 2 * FLOAT_ADM_BANDS * BORDERED)
KERNEL_BODY
#include "metrics/float_adm/tile_blocks.kernel.h"
KERNEL_END
