/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SYNTH_H
#define TESTS_SUPPORT_SYNTH_H

/*
 * Synthetic video for tests and benchmarks: clips that can be reproduced byte for byte from a few
 * parameters. Integer arithmetic only; every sample can be computed independently. SYNTH.md in this
 * folder defines scenes and distortions.
 */

#include <stdint.h>
#include <stdio.h>

enum SynthFormat {
    SYNTH_400,
    SYNTH_420,
    SYNTH_422,
    SYNTH_444,
};

enum SynthScene {
    SYNTH_FLAT,
    SYNTH_GRADIENT,
    SYNTH_TEXTURE,
    SYNTH_STATIC,
    SYNTH_EDGES,
    SYNTH_GRAIN,
    SYNTH_DARK,
    SYNTH_CUT,
    SYNTH_EXTREME,
    SYNTH_NOISE,
    SYNTH_CHIRP,
    SYNTH_CHROMA,
};

enum SynthDistortion {
    SYNTH_DISTORT_IDENTICAL,
    SYNTH_DISTORT_BLUR,
    SYNTH_DISTORT_QUANT,
    SYNTH_DISTORT_BLOCK,
    SYNTH_DISTORT_NOISE,
    SYNTH_DISTORT_GAIN,
    SYNTH_DISTORT_FADE,
    SYNTH_DISTORT_OFFSET,
    SYNTH_DISTORT_SHARPEN,
    SYNTH_DISTORT_FREEZE,
    SYNTH_DISTORT_DELAY,
    SYNTH_DISTORT_SHIFT,
    SYNTH_DISTORT_NEAREST,
    SYNTH_DISTORT_BILINEAR,
    SYNTH_DISTORT_HADAMARD,
    SYNTH_DISTORT_NEGATE,
};

typedef struct SynthClip {
    enum SynthScene scene;
    enum SynthDistortion distortion;
    unsigned strength;      /* 1 or more */
    unsigned width, height; /* luma, in samples */
    enum SynthFormat format;
    unsigned depth;  /* bits per sample, 8 to 16 */
    unsigned frames; /* length of the clip */
    uint32_t seed;
} SynthClip;

enum SynthContainer {
    SYNTH_Y4M,
    SYNTH_RAW,
};

/* The clip with the program's defaults for everything but scene and size. */
SynthClip synth_default(void);

/*
 * Set a parameter by its name and value on the command line of the program: "scene" = "texture",
 * "size" = "64x48", "format" = "420", and so on. Returns 0, -ENOENT for an unknown name, -EINVAL
 * for an unacceptable text.
 */
int synth_set(SynthClip *clip, const char *name, const char *text);

/* Number of planes: 1 or 3. */
unsigned synth_planes(const SynthClip *clip);

/* Size of a plane; subsampled chroma is rounded up. */
unsigned synth_plane_width(const SynthClip *clip, unsigned plane);
unsigned synth_plane_height(const SynthClip *clip, unsigned plane);

/*
 * Make one plane of one frame: plane width x plane height samples, without padding.
 * Returns 0, -EINVAL for a clip or a position that does not exist, -ENOMEM.
 */
int synth_plane(const SynthClip *clip, unsigned frame, unsigned plane, uint16_t *samples);

/*
 * Write the whole clip: samples in one byte, or in two (little-endian) above 8 bits.
 * Returns 0, -EINVAL, -ENOMEM, -EIO.
 */
int synth_write(const SynthClip *clip, enum SynthContainer container, FILE *file);

/* The same into memory, to be freed by the caller. Returns 0, -EINVAL, -ENOMEM. */
int synth_write_memory(const SynthClip *clip, enum SynthContainer container, unsigned char **data,
                       size_t *size);

#endif
