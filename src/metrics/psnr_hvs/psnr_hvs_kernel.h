/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_KERNEL_H
#define METRICS_PSNR_HVS_PSNR_HVS_KERNEL_H

/* Constants of PSNR-HVS-M. Macros, because kernels include them too. */

#define PSNR_HVS_PLANES       3
#define PSNR_HVS_BLOCK        8 /* side of a block */
#define PSNR_HVS_COEFFICIENTS (PSNR_HVS_BLOCK * PSNR_HVS_BLOCK)
#define PSNR_HVS_STEP         7 /* from one block to the next: they overlap by a sample */
#define PSNR_HVS_MIN_DEPTH    8
#define PSNR_HVS_MAX_DEPTH    12
#define PSNR_HVS_MAX_SAMPLE   ((1 << PSNR_HVS_MAX_DEPTH) - 1) /* bits above it are dropped */

/*
 * Daala's integer approximation of the orthonormal 8-point DCT-II: lifting steps, each of which
 * adds to one value a function of others. On variables of type T: from samples 0 to 7, which are a
 * e c g h d f b, to frequencies 0 to 7, a to h. HALF(x) is x / 2 rounded towards zero, TIMES(x, k)
 * is (x k + 2^14) >> 15. Columns of a block first: the rounding makes the order matter. The gain,
 * in and between steps, of columns and rows is at most 8.0002: 12 bits become 16.
 */
#define PSNR_HVS_DCT(T, HALF, TIMES)                                                               \
    b = a - b;                                                                                     \
    T half_b = HALF(b);                                                                            \
    a -= half_b;                                                                                   \
    e += f;                                                                                        \
    T half_e = HALF(e);                                                                            \
    f -= half_e;                                                                                   \
    d = c - d;                                                                                     \
    c -= HALF(d);                                                                                  \
    g += h;                                                                                        \
    T half_g = HALF(g);                                                                            \
    h = half_g - h;                                                                                \
    /* even frequencies */                                                                         \
    a += half_g;                                                                                   \
    g = a - g;                                                                                     \
    c = half_e - c;                                                                                \
    e = c - e;                                                                                     \
    a -= TIMES(e, 13573);                                                                          \
    e += TIMES(a, 2 * 11585);                                                                      \
    a -= TIMES(e, 13573);                                                                          \
    g -= TIMES(c, 21895);                                                                          \
    c += TIMES(g, 2 * 15137);                                                                      \
    g -= TIMES(c, 21895);                                                                          \
    /* odd frequencies */                                                                          \
    d += TIMES(f, 19195);                                                                          \
    f += TIMES(d, 2 * 11585);                                                                      \
    d -= TIMES(f, 4 * 7489);                                                                       \
    h = HALF(f) - h;                                                                               \
    f -= h;                                                                                        \
    d = half_b - d;                                                                                \
    b -= d;                                                                                        \
    h += TIMES(b, 3227);                                                                           \
    b -= TIMES(h, 6393);                                                                           \
    h += TIMES(b, 3227);                                                                           \
    f += TIMES(d, 4 * 2485);                                                                       \
    d -= TIMES(f, 18205);                                                                          \
    f += TIMES(d, 4 * 2485);

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

#define PSNR_HVS_GROUP 32 /* blocks that a group does */

/* Places of PsnrHvsWeights, as an array. */
#define PSNR_HVS_SENSITIVITY    0
#define PSNR_HVS_MASKING        64
#define PSNR_HVS_WHOLE_SCALE    128
#define PSNR_HVS_QUADRANT_SCALE 129

struct psnr_hvs_errors_args {
    i32 across;                  /* blocks in a row of the plane */
    i32 first, end;              /* blocks that are done */
    i32 ref_stride, dist_stride; /* of a row, in samples */
};
KERNEL_STRUCT(psnr_hvs_errors_args)

#endif

#endif
