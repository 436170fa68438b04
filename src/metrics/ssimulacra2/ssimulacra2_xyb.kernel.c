/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* From linear RGB of a scale to its XYB, and to linear RGB of the next scale. */
/* NATIVE */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "metrics/ssimulacra2/colour.kernel.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

KERNEL_BEGIN
KERNEL_IN(0, f32, linear)
KERNEL_OUT(1, f32, out_x)
KERNEL_OUT(2, f32, out_y)
KERNEL_OUT(3, f32, out_b)
KERNEL_OUT(4, f32, next)
KERNEL_ARGS(5, ssimulacra2_xyb_args, p)
KERNEL_BODY
#define LOAD_PIXEL(rgb, column, row)                                                               \
    rgb.v0 = AT(linear, (row)*p.w + (column));                                                     \
    rgb.v1 = AT(linear, p.plane + (row)*p.w + (column));                                           \
    rgb.v2 = AT(linear, 2 * p.plane + (row)*p.w + (column));
#include "metrics/ssimulacra2/colour_blocks.kernel.h"
KERNEL_END
