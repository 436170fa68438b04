/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MIRROR_H
#define METRICS_COMMON_MIRROR_H

/*
 * The sample, of 0 to n - 1, that a filter finds at position i beyond the border of a picture.
 * Metrics differ in that, and their scores depend on it:
 *
 *     position                 -3 -2 -1   0 1 ... n-1   n   n+1  n+2
 *     mirror_whole_sample       3  2  1   0 1 ... n-1  n-2  n-3  n-4   VIF, motion, SpEED
 *     mirror_half_sample        2  1  0   0 1 ... n-1  n-1  n-2  n-3   SSIM
 *     mirror_whole_and_half     3  2  1   0 1 ... n-1  n-1  n-2  n-3   ADM, ANSNR
 */

/* The axis is the border sample, which is not repeated. Any position: what lies beyond the other
 * border is mirrored again. A single sample is everywhere. */
static inline unsigned mirror_whole_sample(int i, unsigned n)
{
    const int last = (int)n - 1;
    if (last == 0)
        return 0;
    while ((unsigned)i >= n)
        i = i < 0 ? -i : 2 * last - i;
    return (unsigned)i;
}

/* The axis is the edge of the border sample, which is repeated. At most n beyond the border. */
static inline unsigned mirror_half_sample(int i, unsigned n)
{
    if (i < 0)
        return (unsigned)(-1 - i);
    return (unsigned)i < n ? (unsigned)i : 2 * n - 1 - (unsigned)i;
}

/* The one at the beginning, the other at the end: at most n - 1 and n beyond the border. */
static inline unsigned mirror_whole_and_half(int i, unsigned n)
{
    return i < 0 ? mirror_whole_sample(i, n) : mirror_half_sample(i, n);
}

#endif
