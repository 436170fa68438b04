/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_KERNEL_H
#define KERNELS_DIALECT_KERNEL_H

/*
 * The kernel dialect: one source that is CUDA C++, HIP, OpenCL C, GLSL, Metal and plain C.
 * docs/kernels.md is its manual; in short:
 *
 *     #define WX 32                       invocations of a work-group
 *     #define WY 8
 *     #include "dialect/kernel.h"
 *
 *     KERNEL_BEGIN                        the kernel's name is the name of its file
 *     KERNEL_IN(0, u8, ref)               buffer that is read, slot 0
 *     KERNEL_OUT(1, u32, dst)             buffer that is written (and may be read), slot 1
 *     KERNEL_ARGS(2, blur_args, p)        struct of 32- and 64-bit integers, by value, last slot
 *     GROUP_MEMORY(u32, tile, 32 * 32)    shared by the invocations of a group
 *     LANE_STATE(u64, total)              one for each invocation, lives as long as the kernel
 *     KERNEL_BODY
 *         FIRST { ... every invocation ... }
 *         THEN { ... every invocation, once all of the group have done the block before ... }
 *     KERNEL_END
 *
 * Inside a block: AT(array, i) is an element of a buffer or of group memory, MINE(total) the
 * invocation's own state; LX LY are the invocation's coordinates, LANE is its number in the group,
 * GX GY GZ the group, NGX NGY NGZ the number of groups. MSB32(x) is the number of the highest bit
 * set, x not 0; dialect/integer.h has more functions of this kind. MAD24(a, b, c) is a * b + c for
 * i32 whose factors have 24 bits. ATOMIC_ADD(array, i, x) adds to a u32 that other invocations or
 * groups add to as well.
 */
#include "dialect/types.h"

#if !defined(KERNEL_NAME) || !defined(WX) || !defined(WY)
#error "a kernel defines WX and WY; the build defines KERNEL_NAME"
#endif
#define LANES (WX * WY)
#define LANE  (LY * WX + LX)

#if defined(KERNEL_GLSL)
#include "dialect/glsl.h"
#elif defined(__METAL_VERSION__)
#include "dialect/metal.h"
#elif defined(__OPENCL_C_VERSION__)
#include "dialect/opencl.h"
#elif defined(__CUDACC__) || defined(__CUDA__) || defined(__HIP__)
#include "dialect/cuda.h"
#else
#include "dialect/emulator.h"
#endif
#include "dialect/integer.h"

/*
 * Blocks that add up `count` group arrays which follow one another in `array`, each of LANES
 * elements, a power of two: afterwards element LANES * k is the sum of array k. Every invocation
 * must have stored its elements in an earlier block; a THEN block follows. There are two steps,
 * because a barrier for each power of two costs more than the additions: SUM_PARTS invocations for
 * each array add up a part of it, then one invocation adds up the parts.
 */
#define SUM_PARTS (LANES < 16 ? LANES : 16)
#define GROUP_SUMS(array, count)                                                                   \
    THEN                                                                                           \
    {                                                                                              \
        for (i32 part = LANE; part < (count)*SUM_PARTS; part += LANES) {                           \
            i32 first = part / SUM_PARTS * LANES + part % SUM_PARTS;                               \
            UNROLL                                                                                 \
            for (i32 k = SUM_PARTS; k < LANES; k += SUM_PARTS) {                                   \
                AT(array, first) += AT(array, first + k);                                          \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    THEN                                                                                           \
    {                                                                                              \
        if (LANE < (count)) {                                                                      \
            UNROLL                                                                                 \
            for (i32 k = 1; k < SUM_PARTS; ++k) {                                                  \
                AT(array, LANE *LANES) += AT(array, LANE * LANES + k);                             \
            }                                                                                      \
        }                                                                                          \
    }

#endif
