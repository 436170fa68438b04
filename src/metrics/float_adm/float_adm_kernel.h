/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_KERNEL_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_KERNEL_H

/* Constants of float_adm: values for the scalar code, and their bits for kernels, which include
 * them too: macros. */

/* Low-pass taps of the Daubechies wavelet "db2", binary32. */
#define FLOAT_ADM_LOW0      0.482962913144690F
#define FLOAT_ADM_LOW1      0.836516303737469F
#define FLOAT_ADM_LOW2      0.224143868041857F
#define FLOAT_ADM_LOW3      (-0.129409522550921F)
#define FLOAT_ADM_LOW0_BITS 0x3EF746EAu
#define FLOAT_ADM_LOW1_BITS 0x3F5625EFu
#define FLOAT_ADM_LOW2_BITS 0x3E6585F8u
#define FLOAT_ADM_LOW3_BITS 0xBE0483EEu

/* cos^2 of one degree; ADM_SAME_DIRECTION is in metrics/adm/adm_kernel.h. */
#define FLOAT_ADM_SAME_DIRECTION      (ADM_SAME_DIRECTION / 0x1p24F)
#define FLOAT_ADM_SAME_DIRECTION_BITS 0x3F7FEC0Au

/* Keeps the divisor of a ratio from being 0, binary32. */
#define FLOAT_ADM_TINY      1e-30F
#define FLOAT_ADM_TINY_BITS 0x0DA24260u

/* Parts of a weighted magnitude in the visibility threshold of each neighbour and of its own place,
 * in each band: binary64, mantissas of 21 and 32 bits; the mantissa counts units of 2^-57 and
 * 2^-56. */
#define FLOAT_ADM_NEIGHBOUR_MASKING       0.0333333351
#define FLOAT_ADM_NEIGHBOUR_MASKING_UPPER 0x111111u
#define FLOAT_ADM_NEIGHBOUR_MASKING_LOWER 0x203E01FCu
#define FLOAT_ADM_NEIGHBOUR_MASKING_UNIT  (-57)
#define FLOAT_ADM_OWN_MASKING             0.0666666701
#define FLOAT_ADM_OWN_MASKING_UPPER       0x111111u
#define FLOAT_ADM_OWN_MASKING_LOWER       0x1FD00E7Du
#define FLOAT_ADM_OWN_MASKING_UNIT        (-56)

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Positions of the bands that a work-group covers. */
#define FLOAT_ADM_TILE_COLUMNS 32
#define FLOAT_ADM_TILE_ROWS    8

/* Planes of terms, of bands h, v, d each: first those of the reference, for each set of weights,
 * then for each variant those of the restored signal and of the additive impairment. */
#define FLOAT_ADM_BANDS         3
#define FLOAT_ADM_VARIANT_TERMS (2 * FLOAT_ADM_BANDS)

#define FLOAT_ADM_NO_MASKING 1u /* thresholds are 0 */
#define FLOAT_ADM_NO_CUBES   2u /* terms are magnitudes, not their cubes */
#define FLOAT_ADM_WRITES_DEN 4u /* the variant writes the terms of the reference */
#define FLOAT_ADM_WIDE_GAIN  8u /* the gain limit is not a binary32 number */

/* What differs between requests at one scale. */
struct float_adm_variant {
    u32 weight_hv, weight_d; /* bits of binary32 numbers */
    u32 flags;
    i32 den, visible; /* the first plane of its terms of the reference, and of the others */
    /* The gain limit: the bits of a binary32 number; as binary64 with FLOAT_ADM_WIDE_GAIN, the
     * upper 21 and the lower 32 bits of its mantissa, which counts units of 2^gain_unit. */
    u32 gain;
    u32 gain_upper, gain_lower;
    i32 gain_unit;
};
KERNEL_STRUCT(float_adm_variant)

/*
 * One scale, or some rows of it: reads luma or the approximation (band a) of the scale before,
 * leaves the next approximation and the terms of the sums. Positions are those of the bands;
 * (w + 1) / 2 by (h + 1) / 2.
 *
 * The term of plane k for a position (x, y) of the window is the number
 * (k * term_rows + y - window_y0) * term_stride + x - window_x0.
 */
struct float_adm_scale_args {
    i32 w, h;                 /* of what the wavelet reads */
    i32 ref_stride;           /* of its rows, in elements of the buffer */
    i32 dist;                 /* float_adm_luma: stride of the distorted picture; float_adm_coarse:
                                 where it begins in the buffer of both */
    i32 depth;                /* of luma, in bits */
    i32 first_x, first_y;     /* position of the first tile */
    i32 window_x0, window_x1; /* of evaluation: x0 <= x < x1 */
    i32 window_y0, window_y1;
    i32 approx_stride; /* of the next approximation; 0: not wanted */
    i32 approx_dist;   /* where that of the distorted picture begins */
    i32 term_stride, term_rows;
    i32 variants; /* 0: approximation only */
};
KERNEL_STRUCT(float_adm_scale_args)

#define FLOAT_ADM_ROWS 32 /* that a work-group adds up */

/* Rows of terms, planes of term_rows each; the sum of row r of plane k is the number
 * first + k * sum_stride + r of the sums. */
struct float_adm_rows_args {
    i32 rows; /* of all planes */
    i32 columns, stride;
    i32 term_rows;
    i32 first, sum_stride;
};
KERNEL_STRUCT(float_adm_rows_args)

/* Sums of rows that make a member of the record. */
struct float_adm_column {
    i32 first, rows;
};
KERNEL_STRUCT(float_adm_column)

struct float_adm_total_args {
    i32 members;
};
KERNEL_STRUCT(float_adm_total_args)

#endif

#endif
