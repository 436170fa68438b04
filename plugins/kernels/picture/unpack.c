/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Makes a plane of samples as decoders and cameras leave them: interleaved with those of another
 * plane (NV12), or with the value in the high bits (P010).
 *
 * VARIANT 8 SAMPLE=u8 STORE=U8
 * VARIANT 16 SAMPLE=u16 STORE=U16
 */
#define WX 64
#define WY 4
#include "dialect/kernel.h"
#include "picture/unpack_args.h"

KERNEL_BEGIN
KERNEL_IN(0, SAMPLE, raw)
KERNEL_OUT(1, SAMPLE, plane)
KERNEL_ARGS(2, unpack_args, p)
KERNEL_BODY
    FIRST
    {
        i32 x = GX * WX + LX;
        i32 y = GY * WY + LY;
        if (x < p.w && y < p.h) {
            u32 value = U32(AT(raw, y * p.raw_stride + x * p.step + p.first));
            AT(plane, y * p.out_stride + x) = STORE(value >> p.shift);
        }
    }
KERNEL_END
