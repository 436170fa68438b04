/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The distortions of the synthetic video, plane by plane. */

#include <errno.h>
#include <stdlib.h>

#include "support/synth_internal.h"

/* A plane of the clip: reading outside it gives the nearest sample inside. */
typedef struct Plane {
    const uint16_t *samples;
    int width, height;
} Plane;

static int64_t sample(const Plane *p, int64_t x, int64_t y)
{
    x = synth_clamp(x, 0, p->width - 1);
    y = synth_clamp(y, 0, p->height - 1);
    return p->samples[y * p->width + x];
}

static int64_t box_mean(const Plane *p, int64_t x, int64_t y, int64_t radius)
{
    const int64_t n = (2 * radius + 1) * (2 * radius + 1);
    int64_t sum = 0;
    for (int64_t j = -radius; j <= radius; ++j)
        for (int64_t i = -radius; i <= radius; ++i)
            sum += sample(p, x + i, y + j);
    return (sum + n / 2) / n;
}

/* Rounded mean of the part of a size x size block that lies inside the plane. */
static int64_t block_mean(const Plane *p, int64_t column, int64_t row, int64_t size)
{
    int64_t sum = 0, n = 0;
    for (int64_t y = row * size; y < (row + 1) * size && y < p->height; ++y)
        for (int64_t x = column * size; x < (column + 1) * size && x < p->width; ++x) {
            sum += sample(p, x, y);
            ++n;
        }
    return (sum + n / 2) / n;
}

static void block(const SynthClip *clip, const Plane *from, uint16_t *to)
{
    const int64_t weight = clip->strength < 4 ? clip->strength : 4;
    for (int64_t row = 0; row * 8 < from->height; ++row)
        for (int64_t column = 0; column * 8 < from->width; ++column) {
            const int64_t mean = block_mean(from, column, row, 8);
            for (int64_t y = row * 8; y < row * 8 + 8 && y < from->height; ++y)
                for (int64_t x = column * 8; x < column * 8 + 8 && x < from->width; ++x)
                    to[y * from->width + x] =
                        (uint16_t)((sample(from, x, y) * (4 - weight) + mean * weight + 2) >> 2);
        }
}

/* Reduce by block means, then enlarge with bilinear interpolation between block centres. */
static int bilinear(const SynthClip *clip, const Plane *from, uint16_t *to)
{
    const int64_t factor = (int64_t)clip->strength + 1, period = 2 * factor;
    const int small_width = (int)((from->width + factor - 1) / factor);
    const int small_height = (int)((from->height + factor - 1) / factor);
    uint16_t *reduced = malloc((size_t)small_width * (size_t)small_height * sizeof *reduced);
    if (!reduced)
        return -ENOMEM;
    for (int j = 0; j < small_height; ++j)
        for (int i = 0; i < small_width; ++i)
            reduced[j * small_width + i] = (uint16_t)block_mean(from, i, j, factor);

    const Plane small = {reduced, small_width, small_height};
    for (int64_t y = 0; y < from->height; ++y)
        for (int64_t x = 0; x < from->width; ++x) {
            const int64_t i = synth_div(2 * x + 1 - factor, period);
            const int64_t j = synth_div(2 * y + 1 - factor, period);
            const int64_t fx = synth_mod(2 * x + 1 - factor, period);
            const int64_t fy = synth_mod(2 * y + 1 - factor, period);
            const int64_t sum = sample(&small, i, j) * (period - fx) * (period - fy) +
                                sample(&small, i + 1, j) * fx * (period - fy) +
                                sample(&small, i, j + 1) * (period - fx) * fy +
                                sample(&small, i + 1, j + 1) * fx * fy;
            *to++ = (uint16_t)((sum + period * period / 2) / (period * period));
        }
    free(reduced);
    return 0;
}

/* Unnormalised Walsh-Hadamard transform of 8 values, `stride` apart, in natural order. */
static void hadamard_8(int64_t *v, int stride)
{
    for (int half = 1; half < 8; half *= 2)
        for (int i = 0; i < 8; ++i)
            if (!(i & half)) {
                const int64_t a = v[i * stride], b = v[(i | half) * stride];
                v[i * stride] = a + b;
                v[(i | half) * stride] = a - b;
            }
}

static void hadamard_8x8(int64_t block[64])
{
    for (int i = 0; i < 8; ++i)
        hadamard_8(block + 8 * i, 1);
    for (int i = 0; i < 8; ++i)
        hadamard_8(block + i, 8);
}

/* Transform coding: quantise the Walsh-Hadamard coefficients of 8x8 blocks. */
static void hadamard(const SynthClip *clip, const Plane *from, uint16_t *to)
{
    const int64_t peak = (INT64_C(1) << clip->depth) - 1;
    const int64_t step = INT64_C(128) * clip->strength << (clip->depth - 8);
    for (int64_t y0 = 0; y0 < from->height; y0 += 8)
        for (int64_t x0 = 0; x0 < from->width; x0 += 8) {
            int64_t c[64];
            for (int i = 0; i < 64; ++i)
                c[i] = sample(from, x0 + i % 8, y0 + i / 8);
            hadamard_8x8(c);
            for (int i = 1; i < 64; ++i) {
                const int64_t level = (llabs(c[i]) + step / 4) / step * step;
                c[i] = c[i] < 0 ? -level : level;
            }
            hadamard_8x8(c);
            for (int i = 0; i < 64; ++i)
                if (x0 + i % 8 < from->width && y0 + i / 8 < from->height)
                    to[(y0 + i / 8) * from->width + x0 + i % 8] =
                        (uint16_t)synth_clamp(synth_div(c[i] + 32, 64), 0, peak);
        }
}

/* Distortions whose samples do not depend on each other. */
static int64_t point(const SynthClip *clip, int frame, unsigned plane, const Plane *p, int x, int y)
{
    const int64_t peak = (INT64_C(1) << clip->depth) - 1, mid = INT64_C(1) << (clip->depth - 1);
    const int64_t unit = INT64_C(1) << (clip->depth - 8), strength = clip->strength;
    const int64_t v = sample(p, x, y);
    switch (clip->distortion) {
    case SYNTH_DISTORT_BLUR:
        return box_mean(p, x, y, strength);
    case SYNTH_DISTORT_QUANT: {
        const int64_t bits = strength + clip->depth - 8;
        return (v >> bits << bits) + (INT64_C(1) << (bits - 1));
    }
    case SYNTH_DISTORT_NOISE: {
        const uint32_t random =
            synth_hash(clip->seed, 160 + plane, (uint32_t)frame, (uint32_t)x, (uint32_t)y);
        return v + ((synth_bell(random) * strength * unit) >> 7);
    }
    case SYNTH_DISTORT_GAIN:
        return mid + (((v - mid) * (8 + strength)) >> 3);
    case SYNTH_DISTORT_FADE:
        return mid + (((v - mid) * (strength < 8 ? 8 - strength : 0)) >> 3);
    case SYNTH_DISTORT_OFFSET:
        return v + strength * unit;
    case SYNTH_DISTORT_SHARPEN:
        return v + (((v - box_mean(p, x, y, 1)) * strength) >> 1);
    case SYNTH_DISTORT_SHIFT:
        return sample(p, x - (strength >> synth_shift_x(clip, plane)), y);
    case SYNTH_DISTORT_NEAREST: {
        const int64_t factor = strength + 1;
        return sample(p, factor * (x / factor) + factor / 2, factor * (y / factor) + factor / 2);
    }
    case SYNTH_DISTORT_NEGATE:
        return peak - v;
    default:
        return v;
    }
}

static void points(const SynthClip *clip, int frame, unsigned plane, const Plane *from,
                   uint16_t *to)
{
    const int64_t peak = (INT64_C(1) << clip->depth) - 1;
    for (int y = 0; y < from->height; ++y)
        for (int x = 0; x < from->width; ++x)
            *to++ = (uint16_t)synth_clamp(point(clip, frame, plane, from, x, y), 0, peak);
}

int synth_source_frame(const SynthClip *clip, int frame)
{
    const int64_t strength = clip->strength;
    if (clip->distortion == SYNTH_DISTORT_FREEZE)
        return (int)(frame - frame % (strength + 1));
    if (clip->distortion == SYNTH_DISTORT_DELAY)
        return (int)(frame > strength ? frame - strength : 0);
    return frame;
}

int synth_distort(const SynthClip *clip, int frame, unsigned plane, uint16_t *samples)
{
    const Plane to = {samples, (int)synth_plane_width(clip, plane),
                      (int)synth_plane_height(clip, plane)};
    const size_t n = (size_t)to.width * (size_t)to.height;
    uint16_t *copy = malloc(n * sizeof *copy);
    if (!copy)
        return -ENOMEM;
    for (size_t i = 0; i < n; ++i)
        copy[i] = samples[i];

    const Plane from = {copy, to.width, to.height};
    int err = 0;
    if (clip->distortion == SYNTH_DISTORT_BLOCK)
        block(clip, &from, samples);
    else if (clip->distortion == SYNTH_DISTORT_BILINEAR)
        err = bilinear(clip, &from, samples);
    else if (clip->distortion == SYNTH_DISTORT_HADAMARD)
        hadamard(clip, &from, samples);
    else
        points(clip, frame, plane, &from, samples);
    free(copy);
    return err;
}
