/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SPEED_PATTERN_H
#define TESTS_SUPPORT_SPEED_PATTERN_H

/*
 * Moving quadratic waves, and a coarser version of them as the distorted picture, for which scores
 * of libvmaf 3.2 are known. Sample (x, y) of a plane of a frame, at any depth from 8 bits.
 */
static inline unsigned speed_pattern_phase(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    return 3 * x * x + 5 * y * y + 7 * x * y + 11 * frame * (x + 2 * y) + 37 * plane;
}

static inline unsigned speed_pattern_ref(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                         unsigned bpc)
{
    const unsigned grey = 96 + ((speed_pattern_phase(x, y, plane, frame) >> 4) & 63);
    return (grey << (bpc - 8)) + ((3 * x + y) & ((1u << (bpc - 8)) - 1));
}

static inline unsigned speed_pattern_dist(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                          unsigned bpc)
{
    const unsigned grey = 112 + ((speed_pattern_phase(x, y, plane, frame) >> 5) & 31);
    return (grey << (bpc - 8)) + ((5 * x + y) & ((1u << (bpc - 8)) - 1));
}

#endif
