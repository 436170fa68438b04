/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SYNTH_INTERNAL_H
#define TESTS_SUPPORT_SYNTH_INTERNAL_H

#include "support/synth.h"

/* Pseudo-random word of a seed and four words. */
uint32_t synth_hash(uint32_t seed, uint32_t tag, uint32_t a, uint32_t b, uint32_t c);

/* Approximately normal number from a random word: -510 to 510. */
int synth_bell(uint32_t random);

/* Undistorted samples at the clip's depth. */
void synth_scene(const SynthClip *clip, int frame, unsigned plane, uint16_t *samples);

/*
 * Apply the clip's distortion to one plane of it. Those that only choose another source frame do
 * nothing here; see synth_source_frame. Returns 0 or -ENOMEM.
 */
int synth_distort(const SynthClip *clip, int frame, unsigned plane, uint16_t *samples);

/* The frame of the scene that the distorted frame is made from. */
int synth_source_frame(const SynthClip *clip, int frame);

/* Chroma shifts of the format. */
unsigned synth_shift_x(const SynthClip *clip, unsigned plane);
unsigned synth_shift_y(const SynthClip *clip, unsigned plane);

/* Floored division and remainder, for divisors above 0. */
static inline int64_t synth_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t synth_mod(int64_t a, int64_t b)
{
    const int64_t r = a % b;
    return r < 0 ? r + b : r;
}

static inline int64_t synth_clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

#endif
