/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_TILE_PATTERN_H
#define TESTS_SUPPORT_TILE_PATTERN_H

/*
 * Tiles of noise, slopes and circles, distorted tile by tile by averaging, contrast, negation and
 * quantisation: a picture pair for which scores of libvmaf 3.2 are known. Sample (x, y) of a plane
 * of a frame, at any depth from 8 bits.
 */
static inline unsigned tile_hash(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    unsigned h = x * 374761393u + y * 668265263u + (frame + 7 * plane) * 2246822519u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return h ^ (h >> 16);
}

static inline unsigned tile_ref_grey(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    const unsigned h = tile_hash(x, y, plane, frame);
    switch (((x >> 5) + (y >> 5)) & 3) {
    case 0:
        return 128 + (h & 1);
    case 1:
        return (3 * x + 5 * y + 29 * (frame + 7 * plane)) & 255;
    case 2:
        return 64 + (h & 127);
    default:
        return 128 + (((x * x + y * y) >> 4) & 63);
    }
}

static inline unsigned tile_dist_grey(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    const int ref = (int)tile_ref_grey(x, y, plane, frame);
    switch (((x >> 4) + 2 * (y >> 4)) % 6) {
    case 0:
        return (unsigned)ref;
    case 1:
        return (unsigned)(ref + 128) >> 1;
    case 2:
        return (unsigned)(ref < 64 ? 0 : ref > 191 ? 255 : 2 * ref - 128);
    case 3:
        return (unsigned)(255 - ref);
    case 4:
        return (unsigned)ref & ~7u;
    default:
        return 128;
    }
}

static inline unsigned tile_pattern_ref(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                        unsigned bpc)
{
    const unsigned low = tile_hash(x, y, plane, frame) >> 8;
    return tile_ref_grey(x, y, plane, frame) << (bpc - 8) | (low & ((1u << (bpc - 8)) - 1));
}

static inline unsigned tile_pattern_dist(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                         unsigned bpc)
{
    const unsigned low = tile_hash(x, y, plane, frame) >> 16;
    return tile_dist_grey(x, y, plane, frame) << (bpc - 8) | (low & ((1u << (bpc - 8)) - 1));
}

#endif
