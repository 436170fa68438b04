/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SSIMULACRA2_PATTERN_H
#define TESTS_SUPPORT_SSIMULACRA2_PATTERN_H

#include "support/finish_harness.h"

/*
 * Steep slopes in all planes, distorted by small ones: a picture pair for which scores of
 * ssimulacra2 are known. Sample (x, y) of a plane of a frame, at any depth from 8 bits.
 */
static inline unsigned ssimulacra2_deepen(unsigned v, unsigned low, unsigned bpc)
{
    return (v & 255) << (bpc - 8) | (low & ((1u << (bpc - 8)) - 1));
}

static inline unsigned ssimulacra2_grey(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    switch (plane) {
    case 0:
        return 7 * x + 13 * y + 5 * frame;
    case 1:
        return 5 * x + 3 * y + 64 + frame;
    default:
        return 3 * x + 11 * y + 32 + 2 * frame;
    }
}

static inline unsigned ssimulacra2_pattern_ref(unsigned x, unsigned y, unsigned plane,
                                               unsigned frame, unsigned bpc)
{
    return ssimulacra2_deepen(ssimulacra2_grey(x, y, plane, frame), 29 * x + 31 * y + 7 * plane,
                              bpc);
}

static inline unsigned ssimulacra2_pattern_dist(unsigned x, unsigned y, unsigned plane,
                                                unsigned frame, unsigned bpc)
{
    const unsigned slope = plane == 0 ? x * y % 17 : plane == 1 ? (x + y) % 5 : (3 * x + y) % 7;
    return ssimulacra2_deepen(ssimulacra2_grey(x, y, plane, frame) + slope,
                              29 * x + 31 * y + 7 * plane + 3, bpc);
}

/* A format whose chroma sizes round up, as in pictures of some host programs. */
static inline PictureFormat ssimulacra2_rounded_up(PictureFormat format)
{
    for (int p = 1; p < 3; p++) {
        if (format.pix_fmt != VMAF_PIX_FMT_YUV444P)
            format.w[p] = (format.w[0] + 1) / 2;
        if (format.pix_fmt == VMAF_PIX_FMT_YUV420P)
            format.h[p] = (format.h[0] + 1) / 2;
    }
    return format;
}

#endif
