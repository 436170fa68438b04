/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/engine/shots.h"

#include <errno.h>

/* Sums over samples: integers, so that they are the same in any order. */
typedef struct LumaSums {
    uint64_t samples, squares, differences;
} LumaSums;

static const void *row_of(const LumaPlane *plane, int y)
{
    return (const char *)plane->samples + y * plane->stride;
}

static void add_row_8(const uint8_t *row, const uint8_t *before, int width, LumaSums *sums,
                      uint32_t *histogram)
{
    for (int x = 0; x < width; x++) {
        const uint32_t sample = row[x];
        sums->samples += sample;
        sums->squares += (uint64_t)sample * sample;
        histogram[sample >> 2]++;
        if (before)
            sums->differences += sample > before[x] ? sample - before[x] : before[x] - sample;
    }
}

/* Samples that are larger than their depth allows count as the largest. */
static uint32_t limited(uint16_t sample, uint32_t peak)
{
    return sample < peak ? sample : peak;
}

static void add_row_16(const uint16_t *row, const uint16_t *before, int width, int bit_depth,
                       LumaSums *sums, uint32_t *histogram)
{
    const uint32_t peak = (1u << bit_depth) - 1;
    const int shift = bit_depth - 6;
    for (int x = 0; x < width; x++) {
        const uint32_t sample = limited(row[x], peak);
        sums->samples += sample;
        sums->squares += (uint64_t)sample * sample;
        histogram[sample >> shift]++;
        if (before) {
            const uint32_t old = limited(before[x], peak);
            sums->differences += sample > old ? sample - old : old - sample;
        }
    }
}

static int check_planes(const LumaPlane *frame, const LumaPlane *before)
{
    if (frame->width < 1 || frame->height < 1 || frame->bit_depth < 8 || frame->bit_depth > 16)
        return -EINVAL;
    if (before && (before->width != frame->width || before->height != frame->height ||
                   before->bit_depth != frame->bit_depth))
        return -EINVAL;
    return 0;
}

int frame_signature(const LumaPlane *frame, const LumaPlane *before, FrameSignature *signature)
{
    if (check_planes(frame, before))
        return -EINVAL;
    LumaSums sums = {0};
    *signature = (FrameSignature){.samples = (uint64_t)frame->width * (uint64_t)frame->height};
    for (int y = 0; y < frame->height; y++) {
        const void *row = row_of(frame, y), *old = before ? row_of(before, y) : NULL;
        if (frame->bit_depth == 8)
            add_row_8(row, old, frame->width, &sums, signature->histogram);
        else
            add_row_16(row, old, frame->width, frame->bit_depth, &sums, signature->histogram);
    }
    const double peak = (1 << frame->bit_depth) - 1, n = (double)signature->samples;
    const double mean = (double)sums.samples / n / peak;
    const double variance = (double)sums.squares / n / (peak * peak) - mean * mean;
    signature->mean = mean;
    signature->complexity = variance > 0 ? variance : 0;
    signature->motion = (double)sums.differences / n / peak;
    return 0;
}
