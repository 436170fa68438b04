/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_VIF_WINDOW_H
#define KERNELS_VIF_WINDOW_H

/*
 * The windows of scales 0 to 3, Gaussians in 1/65536, from the centre outwards. Scale s measures
 * with its window, and is made with it from scale s - 1. The table serves unrolled loops only, in
 * which its elements become constants.
 */
KERNEL_TABLE(u32, window_taps, 19) = {
    7784u,  7455u,  6547u, 5274u, 3896u, 2640u, 1640u, 935u, 489u, /* scale 0 */
    14692u, 12590u, 7925u, 3663u, 1244u,                           /* scale 1 */
    26386u, 16004u, 3571u,                                         /* scale 2 */
    43728u, 10904u,                                                /* scale 3 */
};

FN u32 tap(i32 scale, i32 distance)
{
    i32 first = scale == 0 ? 0 : scale == 1 ? 9 : scale == 2 ? 14 : 17;
    return window_taps[first + distance];
}

/* Mirrored at the border samples, until the index is one of 0 .. n - 1: three times are enough for
 * the windows of pictures of 8 x 8 and more. What lies farther out is not used, only kept inside.
 */
FN i32 mirrored(i32 i, i32 n)
{
    i32 k = abs_i32(i);
    k = abs_i32(k >= n ? 2 * n - 2 - k : k);
    return min_i32(k, n - 1);
}

#endif
