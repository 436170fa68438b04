/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_KERNEL_H
#define METRICS_CAMBI_CAMBI_KERNEL_H

/* Constants of CAMBI. Macros, because kernels include them too. */

/* Pixels are flat or not in a window of 7x7 around each. */
#define CAMBI_FLAT_RADIUS 3

/* Contrasts are 0, or binary32 numbers from 2^-1 to below 2^18: multiples of 2^-24. */
#define CAMBI_CONTRAST_MIN_BITS      0x3f000000 /* of 2^-1 */
#define CAMBI_CONTRAST_END_BITS      0x48800000 /* of 2^18 */
#define CAMBI_CONTRAST_FRACTION_BITS 24

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Samples that a work-group covers. */
#define CAMBI_BEYOND_COLUMNS 1024
#define CAMBI_BEYOND_ROWS    8

struct cambi_beyond_args {
    i32 w, h;   /* of luma, in samples */
    i32 stride; /* of a row, in samples */
    i32 depth;  /* bits per sample */
};
KERNEL_STRUCT(cambi_beyond_args)

#define CAMBI_CLEAR_WORDS 1024 /* of a work-group */

struct cambi_clear_args {
    i32 n; /* words */
};
KERNEL_STRUCT(cambi_clear_args)

/* Pixels of the resized picture that a work-group covers; even. */
#define CAMBI_FLAT_COLUMNS 58
#define CAMBI_FLAT_ROWS    16

struct cambi_flat_args {
    i32 w, h;       /* of the resized picture */
    i32 stride;     /* of a row of luma, in samples */
    i32 depth;      /* bits per sample */
    i32 is_resized; /* `positions` tells which samples are taken: w columns, then h rows */
    i32 smooths;
    i32 threshold; /* a pixel counts if more of those around it are flat */
    i32 step;      /* 2: of the result, only even columns of even rows are kept; else 1 */
    i32 out_w;     /* columns of the result */
};
KERNEL_STRUCT(cambi_flat_args)

/* Pixels that a work-group covers. */
#define CAMBI_MODE_COLUMNS 64
#define CAMBI_MODE_ROWS    16

struct cambi_mode_args {
    i32 w, h;
    i32 first_code, n_codes; /* the band */
};
KERNEL_STRUCT(cambi_mode_args)

/* Words of counts that a work-group can keep. */
#define CAMBI_CONTRAST_WORDS 8128

/* Where the steps of codes begin in their table; before them are weights, by step - 1. */
#define CAMBI_CONTRAST_STEPS 32

/*
 * A group makes the contrasts of a tile of out_columns x rows pixels whose codes are of one slice
 * of the band. It counts the codes of the slice and those that `reach` words of four below and
 * above it can be compared with.
 */
struct cambi_contrast_args {
    i32 w, h;
    i32 radius;      /* of the window */
    i32 columns;     /* of counts: out_columns + 2 radius */
    i32 stride;      /* from word to word of a column's counts; at least `columns` */
    i32 out_columns; /* of a tile */
    i32 rows;        /* of a tile */
    i32 words;       /* of counts of a column, four codes each; words * stride fit */
    i32 reach;       /* words below and above the slice */
    i32 at_once;     /* columns whose counts can be added in bytes */
};
KERNEL_STRUCT(cambi_contrast_args)

/*
 * How the kernels of pooling find the strongest contrasts of each scale, by the bits of these
 * numbers, which are in the order of the numbers: three digits, of which the first one has the
 * leading 16 bits, less those of the smallest contrast; and for each digit a histogram of the
 * contrasts whose digits before are those of the weakest that is pooled.
 */
#define CAMBI_DIGIT_1_FIRST (CAMBI_CONTRAST_MIN_BITS >> 16)
#define CAMBI_DIGIT_1_END   (CAMBI_CONTRAST_END_BITS >> 16)
#define CAMBI_DIGITS_1      (CAMBI_DIGIT_1_END - CAMBI_DIGIT_1_FIRST)
#define CAMBI_DIGITS_2      256
#define CAMBI_DIGITS_3      256

/* The counters of a scale: histograms, then what was found by level 2 and by level 3: the digits
 * before, and how many contrasts that have them are pooled. */
#define CAMBI_HISTOGRAM_1 0
#define CAMBI_HISTOGRAM_2 (CAMBI_HISTOGRAM_1 + CAMBI_DIGITS_1)
#define CAMBI_HISTOGRAM_3 (CAMBI_HISTOGRAM_2 + CAMBI_DIGITS_2)
#define CAMBI_FOUND_2     (CAMBI_HISTOGRAM_3 + CAMBI_DIGITS_3)
#define CAMBI_FOUND_3     (CAMBI_FOUND_2 + 2)
#define CAMBI_COUNTERS    (CAMBI_FOUND_3 + 2)

/* A scale in the buffer of contrasts. */
struct cambi_scale {
    i32 first, end; /* of its elements */
    u32 pooled;     /* how many of them */
};
KERNEL_STRUCT(cambi_scale)

struct cambi_tally_args {
    i32 pixels; /* of a scale that a work-group looks at */
};
KERNEL_STRUCT(cambi_tally_args)

#endif

#endif
