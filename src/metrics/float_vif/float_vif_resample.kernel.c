/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Both pictures in another size: each sample a weighted sum over taps x taps input samples, row
 * after row. SAMPLE_BITS is explained in picture.h. A lane makes one sample of each picture; an
 * input sample takes four or five operations.
 *
 * VARIANT 8 SAMPLE=u8 SAMPLE_BITS=8
 * VARIANT 16 SAMPLE=u16 SAMPLE_BITS=16
 * NATIVE
 */
#define WX 32
#define WY 8
#include "dialect/kernel.h"
#include "metrics/float_vif/float_vif_kernel.h"
#include "metrics/float_vif/picture.kernel.h"

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, ref)
KERNEL_IN(1, SAMPLE, dist)
KERNEL_IN(2, float_vif_tap, columns)
KERNEL_IN(3, float_vif_tap, rows)
KERNEL_OUT(4, f32, resized)
KERNEL_ARGS(5, float_vif_resample_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * FLOAT_VIF_RESAMPLE_COLUMNS + LX;
        i32 y = GY * FLOAT_VIF_RESAMPLE_ROWS + LY;
        if (x < p.w && y < p.h) {
            f32 ref_sum = F32(0u), dist_sum = F32(0u), weights = F32(0u);
            for (i32 j = 0; j < p.taps; ++j) {
                i32 row = I32(AT(rows, j * p.h + y).index) * p.stride;
                f32 row_weight = f32_of_bits(AT(rows, j * p.h + y).weight);
                for (i32 i = 0; i < p.taps; ++i) {
                    i32 at = row + I32(AT(columns, i * p.w + x).index);
                    f32 weight = mul_f32(f32_of_bits(AT(columns, i * p.w + x).weight), row_weight);
                    ref_sum = add_f32(ref_sum, mul_f32(LOADED(ref, at, p.depth), weight));
                    dist_sum = add_f32(dist_sum, mul_f32(LOADED(dist, at, p.depth), weight));
                    weights = add_f32(weights, weight);
                }
            }
            if (p.is_normalised != 0) {
                ref_sum = div_f32(ref_sum, weights);
                dist_sum = div_f32(dist_sum, weights);
            }
            AT(resized, y * p.w + x) = ref_sum;
            AT(resized, p.dist + y * p.w + x) = dist_sum;
        }
    }
KERNEL_END
