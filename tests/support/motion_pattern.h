/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_MOTION_PATTERN_H
#define TESTS_SUPPORT_MOTION_PATTERN_H

/*
 * A moving triangle wave with noise in its low bits, for which scores of libvmaf 3.2 are known.
 * Sample (x, y) of a plane of a frame, at any depth from 8 bits.
 */
static inline unsigned motion_pattern(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                      unsigned bpc)
{
    unsigned hash = x * 374761393u + y * 668265263u + frame * 2246822519u + plane * 3266489917u;
    hash = (hash ^ (hash >> 13)) * 1274126177u;
    hash ^= hash >> 16;
    const unsigned phase = (5 * x + 3 * y + 11 * frame + 60 * plane) % 512;
    const unsigned triangle = phase < 256 ? phase : 511 - phase;
    const unsigned grey = 7 * triangle / 8 + hash % 32;
    return (grey << (bpc - 8)) + ((hash >> 8) % (1u << (bpc - 8)));
}

static inline unsigned motion_pattern_negative(unsigned x, unsigned y, unsigned plane,
                                               unsigned frame, unsigned bpc)
{
    return (1u << bpc) - 1 - motion_pattern(x, y, plane, frame, bpc);
}

#endif
