/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_ADM_PATTERNS_H
#define TESTS_SUPPORT_ADM_PATTERNS_H

/*
 * Two reference patterns, with a distortion each, for which scores of libvmaf 3.2 are known: a
 * ramp that wraps, with a grid added; and curves, with contrast added. Every plane and frame is the
 * same.
 */

static inline unsigned adm_ramp_ref(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                    unsigned bpc)
{
    (void)plane, (void)frame;
    const unsigned unit = 1u << (bpc - 8);
    return ((7 * x + 13 * y + x * y / 8) * unit + (x ^ y)) & ((1u << bpc) - 1);
}

static inline unsigned adm_curves_ref(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                      unsigned bpc)
{
    (void)plane, (void)frame;
    const unsigned unit = 1u << (bpc - 8), peak = (1u << bpc) - 1;
    const unsigned t = (x * x + 3 * y * y + 5 * x * y) / 64 * unit % (2u << bpc);
    return t <= peak ? t : 2 * peak + 1 - t;
}

static inline unsigned adm_clamp_sample(int value, unsigned bpc)
{
    const int peak = (1 << bpc) - 1;
    return (unsigned)(value < 0 ? 0 : value > peak ? peak : value);
}

static inline unsigned adm_ramp_dist(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                     unsigned bpc)
{
    const int grid = ((int)((3 * x + 5 * y) % 17) - 8) * (1 << (bpc - 8));
    return adm_clamp_sample((int)adm_ramp_ref(x, y, plane, frame, bpc) + grid, bpc);
}

static inline unsigned adm_curves_dist(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                       unsigned bpc)
{
    return adm_clamp_sample(
        (int)(5 * adm_curves_ref(x, y, plane, frame, bpc) / 4) - (32 << (bpc - 8)), bpc);
}

#endif
