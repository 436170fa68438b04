/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_KERNELS_H
#define METRICS_CAMBI_CAMBI_KERNELS_H

/*
 * The inner loops of CAMBI, one row at a time. Scalar C is the truth; every other set of kernels
 * gives the same results. Codes are luma at 10 bits, 0 to 1024. Inputs and outputs do not overlap
 * unless it says so.
 */

#include "support/isa_variant.h"
#include <stddef.h>
#include <stdint.h>

/* Rows may be read and written beyond their end up to a multiple of so many elements. */
enum { CAMBI_LANES = 32 };

/*
 * Consecutive pixels of a row that have the same code and are not masked out. Longer stretches are
 * cut at multiples of CAMBI_RUN_LENGTH.
 */
enum { CAMBI_RUN_LENGTH = 16 };

typedef struct CambiRun {
    uint32_t x;
    uint16_t code; /* of a band, from 1; see band_codes */
    uint16_t length;
} CambiRun;

/*
 * For each code of a band (rows) and each column the number of pixels under the window at the
 * column that have the code and are not masked out.
 */
typedef struct CambiCounts {
    uint16_t *count;  /* column 0 of row 0; rows have `margin` columns before it */
    ptrdiff_t stride; /* in counts, a multiple of CAMBI_LANES */
    unsigned margin;  /* a multiple of CAMBI_LANES, at least radius */
    unsigned radius;  /* of the window */
    /* By length, what a run adds to the columns from x - radius on: a trapezium. Each is preceded
     * and followed by CAMBI_LANES zeros. */
    const uint16_t *trapezium;
    size_t trapezium_stride;
} CambiCounts;

/* How counts become contrasts. */
typedef struct CambiContrasts {
    const uint32_t *steps;    /* by code of the band; see CambiVisibility.steps */
    const uint8_t *weights;   /* by step - 1 */
    const float *reciprocals; /* see cambi_reciprocals */
} CambiContrasts;

/*
 * Contrasts by class: 0 for those that are zero; then eight for each power of two from 0.5 on, by
 * their leading bits. With the sum of the bits of each class, since that of the numbers follows
 * from it exactly. Several tables, in turn: equal classes often follow each other, and would have
 * to wait.
 */
enum {
    CAMBI_TALLY_SHIFT = 20, /* bits less the leading ones */
    CAMBI_TALLY_CLASSES_PER_OCTAVE = 8,
    CAMBI_TALLY_FIRST = 126 * CAMBI_TALLY_CLASSES_PER_OCTAVE, /* leading bits of 0.5 */
    CAMBI_TALLY_CLASSES = 1 + 19 * CAMBI_TALLY_CLASSES_PER_OCTAVE,
    CAMBI_TALLY_TABLES = 4,
};

typedef struct CambiTally {
    struct {
        uint64_t count, bits;
    } table[CAMBI_TALLY_TABLES][CAMBI_TALLY_CLASSES];
} CambiTally;

typedef struct CambiKernels {
    /* All bits that occur in a row of words. */
    unsigned (*used_bits)(const uint16_t *row, unsigned w);
    /* Samples to codes. */
    void (*codes_of_bytes)(uint16_t *codes, const uint8_t *row, unsigned w);
    void (*codes_of_words)(uint16_t *codes, const uint16_t *row, unsigned w, unsigned bpc);
    /* Against dithering: the mean of each pixel and its neighbours to the right and below,
     * rounded down. In the last row `below` is `row` itself, which is harmless: a mean of two equal
     * pairs is that of one. In place. */
    void (*smooth)(uint16_t *row, const uint16_t *below, unsigned w);
    /* 1 where a pixel equals its neighbours to the right and below, else 0. */
    void (*flatness)(uint8_t *flat, const uint16_t *row, const uint16_t *below, unsigned w);
    /* sums += entering - leaving */
    void (*slide)(uint8_t *sums, const uint8_t *entering, const uint8_t *leaving, unsigned w);
    /* 1 where seven sums around a pixel add up to more than a threshold, else 0. Three sums on both
     * sides of the row are read. */
    void (*threshold_sums)(uint8_t *mask, const uint8_t *sums, unsigned w, unsigned threshold);
    /* The value that occurs at least twice among three, or else the smallest. */
    void (*mode_of_three)(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *c,
                          unsigned w);
    /* Keep the even columns: w counts columns of the output. */
    void (*halve_codes)(uint16_t *out, const uint16_t *in, unsigned w);
    void (*halve_mask)(uint8_t *out, const uint8_t *in, unsigned w);
    /* Code less first_code plus one, or 0 for pixels that are masked out or outside the band. */
    void (*band_codes)(uint16_t *band, const uint16_t *codes, const uint8_t *mask, unsigned w,
                       unsigned first_code, unsigned n_codes);
    /* Returns their number, at most w. `begins` is for work, w + 1 elements. */
    unsigned (*find_runs)(CambiRun *runs, uint32_t *begins, const uint16_t *band, unsigned w);
    void (*add_runs)(const CambiCounts *counts, const CambiRun *runs, unsigned n_runs);
    void (*remove_runs)(const CambiCounts *counts, const CambiRun *runs, unsigned n_runs);
    /* Contrasts of the pixels of runs, run after run; returns the number of pixels. Up to
     * CAMBI_LANES elements more are written. */
    unsigned (*contrasts)(float *out, const CambiRun *runs, unsigned n_runs,
                          const CambiCounts *counts, const CambiContrasts *how);
    /* Adds contrasts to a tally. */
    void (*tally)(CambiTally *tally, const float *contrasts, size_t n);
} CambiKernels;

/* The fastest kernels for a processor, from its CPU_* flags. */
void cambi_kernels_init(CambiKernels *kernels, unsigned cpu_flags);
ISA_DECLARE_INIT(CambiKernels, cambi_kernels_fill);

#endif
