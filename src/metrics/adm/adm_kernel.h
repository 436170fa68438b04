/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_KERNEL_H
#define METRICS_ADM_ADM_KERNEL_H

/* Constants of ADM. Macros, because kernels include them too. */

#define ADM_SCALES 4

/* Filters of 4 taps: the Daubechies wavelet "db2" in units of 2^-15. */
#define ADM_LOW0  15826
#define ADM_LOW1  27411
#define ADM_LOW2  7345
#define ADM_LOW3  (-4240)
#define ADM_HIGH0 ADM_LOW3
#define ADM_HIGH1 (-ADM_LOW2)
#define ADM_HIGH2 ADM_LOW1
#define ADM_HIGH3 (-ADM_LOW0)

/* cos^2 of the angle of one degree within which directions count as the same, times 2^24. */
#define ADM_SAME_DIRECTION 16772106

/* The parts of a coefficient that are added to the thresholds around it and at its own position,
 * 1/30 and 1/15: in 17 fractional bits at scale 0, whose coefficients have 12, in 32 at the others.
 */
#define ADM_NEIGHBOUR_PART_16 4369
#define ADM_CENTRE_PART_16    8738
#define ADM_NEIGHBOUR_PART_32 143165577
#define ADM_CENTRE_PART_32    286331153

/* Added to weighted coefficients of scale 0, bands h and v or d, before 15 or 17 bits are dropped.
 * The second value is intended: the reference values round like this. */
#define ADM_ROUNDING_HV 16384
#define ADM_ROUNDING_D  65535

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
#include "dialect/types.h"

/* Positions of the bands that a work-group covers, columns and rows: adm_luma, adm_coarse. */
#define ADM_TILE_COLUMNS     32
#define ADM_LUMA_TILE_ROWS   16
#define ADM_COARSE_TILE_ROWS 8

/* The most variants of decoupling that fit into a kernel's arguments. */
#define ADM_MAX_VARIANTS 2

/* Sums of a scale: denominators, then numerators and AIM of each variant; all of bands h, v, d. */
#define ADM_DENOMINATORS   3
#define ADM_VARIANT_SUMS   6
#define ADM_SUMS(variants) (ADM_DENOMINATORS + ADM_VARIANT_SUMS * (variants))

/* What numerators and AIM depend on besides the pictures. */
struct adm_variant {
    /* The enhancement gain limit: `gain_factor` if it is an integer. Else gain_factor is 0, and the
     * limit is gain_mantissa / 2^(32 + gain_shift), the mantissa that of a binary64, 53 bits. */
    u64 gain_mantissa;
    u32 gain_factor;
    i32 gain_shift;
    u32 weight_hv, weight_d; /* contrast sensitivity in fixed point */
};
KERNEL_STRUCT(adm_variant)

/*
 * One scale: reads luma or the approximation (band a) of the scale before, leaves the next
 * approximation and partial sums. Positions are those of the bands; (w + 1) / 2 by (h + 1) / 2.
 *
 * Tile columns of partial sums count from the first that has a part of the window. Sum k (of
 * ADM_SUMS) of window row y and tile column c is the partial sum number
 * (k * partial_columns + c) * (window_y1 - window_y0) + y - window_y0.
 */
struct adm_scale_args {
    adm_variant variants[ADM_MAX_VARIANTS];
    i32 w, h;                 /* of what the wavelet reads */
    i32 ref_stride;           /* of its rows, in elements of the buffer */
    i32 dist;                 /* adm_luma: stride of the distorted picture; adm_coarse: where it
                                 begins in the buffer of both */
    i32 first_x, first_y;     /* position of the first tile */
    i32 window_x0, window_x1; /* of evaluation: x0 <= x < x1; empty: approximation only */
    i32 window_y0, window_y1;
    i32 approx_stride;        /* of the next approximation; 0: not wanted */
    i32 approx_dist;          /* where that of the distorted picture begins */
    i32 vertical, horizontal; /* right shifts of the wavelet */
    i32 den_square, den_term; /* right shifts of denominators (adm_coarse) */
    i32 term_hv, term_d;      /* right shifts of masked energies */
    i32 partial_columns;      /* tile columns with a part of the window */
    u32 skip_aim;             /* bit v: no sums of AIM for variant v */
};
KERNEL_STRUCT(adm_scale_args)

#endif

#endif
