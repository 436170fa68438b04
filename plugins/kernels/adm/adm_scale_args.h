/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_ADM_ADM_SCALE_ARGS_H
#define KERNELS_ADM_ADM_SCALE_ARGS_H

#include "dialect/types.h"

/* Positions of the bands that a work-group covers, columns and rows: adm_luma, adm_coarse. */
#define ADM_TILE_COLUMNS     32
#define ADM_LUMA_TILE_ROWS   16
#define ADM_COARSE_TILE_ROWS 8

/* Sums of a scale: denominators, numerators, AIM, each of bands h, v, d. */
#define ADM_SUMS 9

/*
 * One scale: reads luma or the approximation (band a) of the scale before, leaves the next
 * approximation and partial sums. Positions are those of the bands; (w + 1) / 2 by (h + 1) / 2.
 *
 * Sum k (of ADM_SUMS) of window row y and tile column c is the partial sum number
 * (k * partial_columns + c - partial_first) * (window_y1 - window_y0) + y - window_y0.
 */
struct adm_scale_args {
    /* The enhancement gain limit: `gain_factor` if it is an integer. Else gain_factor is 0, and the
     * limit is gain_mantissa / 2^(32 + gain_shift), the mantissa that of a binary64, 53 bits. */
    u64 gain_mantissa;
    u32 gain_factor;
    i32 gain_shift;
    i32 w, h;                    /* of what the wavelet reads */
    i32 ref_stride, dist_stride; /* of its rows, in elements of the buffer */
    i32 dist_first;              /* where the distorted picture begins (adm_coarse) */
    i32 first_x, first_y;        /* position of the first tile */
    i32 window_x0, window_x1;    /* of evaluation: x0 <= x < x1; empty: approximation only */
    i32 window_y0, window_y1;
    i32 approx_stride;        /* of the next approximation; 0: not wanted */
    i32 approx_dist;          /* where that of the distorted picture begins */
    u32 weight_hv, weight_d;  /* contrast sensitivity in fixed point */
    i32 vertical, horizontal; /* right shifts of the wavelet */
    i32 den_square, den_term; /* right shifts of denominators (adm_coarse) */
    i32 term_hv, term_d;      /* right shifts of masked energies */
    i32 partial_first;        /* tile column where the window begins */
    i32 partial_columns;      /* tile columns with a part of the window */
    u32 skip_aim;             /* 1: no sums of AIM */
};
KERNEL_STRUCT(adm_scale_args)

#endif
