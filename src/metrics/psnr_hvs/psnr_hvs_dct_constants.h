/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_DCT_CONSTANTS_H
#define METRICS_PSNR_HVS_PSNR_HVS_DCT_CONSTANTS_H

/* The transform of PSNR-HVS-M. Kernels include this too: nothing but a macro. */

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

#endif
