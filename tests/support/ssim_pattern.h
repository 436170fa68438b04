/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SSIM_PATTERN_H
#define TESTS_SUPPORT_SSIM_PATTERN_H

#include "support/motion_pattern.h"

/*
 * A distorted companion of motion_pattern, reduced to six bits with noise of sixteen 8-bit levels,
 * for which SSIM scores of libvmaf 3.2 are known. Sample (x, y) of a plane of a frame.
 */
static inline unsigned ssim_pattern_dist(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                         unsigned bpc)
{
    unsigned hash = (x + 1000) * 374761393u + (y + 2000) * 668265263u + frame * 2246822519u +
                    plane * 3266489917u;
    hash = (hash ^ (hash >> 13)) * 1274126177u;
    hash ^= hash >> 16;
    const int noise = (int)((hash >> 5) % 16) - 8;
    const int coarse = (int)(motion_pattern(x, y, plane, frame, bpc) >> (bpc - 6) << (bpc - 6));
    const int peak = (1 << bpc) - 1;
    const int value = coarse + noise * (1 << (bpc - 8));
    return (unsigned)(value < 0 ? 0 : value > peak ? peak : value);
}

#endif
