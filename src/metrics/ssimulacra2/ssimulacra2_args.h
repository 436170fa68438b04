/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_ARGS_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_ARGS_H

#include "dialect/types.h"

/* Planes of numbers have no space between rows. */

/* Columns and rows that a group of ssimulacra2_decode and ssimulacra2_xyb covers. */
#define SSIMULACRA2_COLOUR_COLUMNS 64
#define SSIMULACRA2_COLOUR_ROWS    16

/* Words of the table of a conversion: the segments of the transfer function, each its value and its
 * slope, then the numbers of Ssimulacra2Conversion. */
#define SSIMULACRA2_TABLE_UNIT         2048
#define SSIMULACRA2_TABLE_LUMA_OFFSET  2049
#define SSIMULACRA2_TABLE_LUMA_SCALE   2050
#define SSIMULACRA2_TABLE_CHROMA_SCALE 2051
#define SSIMULACRA2_TABLE_R_OF_V       2052
#define SSIMULACRA2_TABLE_G_OF_U       2053
#define SSIMULACRA2_TABLE_G_OF_V       2054
#define SSIMULACRA2_TABLE_B_OF_U       2055

struct ssimulacra2_decode_args {
    i32 w, h, stride; /* of luma, in samples */
    i32 chroma_w, chroma_h, chroma_stride;
    i32 next_plane; /* numbers from plane to plane of the next scale; 0: there is none */
};
KERNEL_STRUCT(ssimulacra2_decode_args)

struct ssimulacra2_xyb_args {
    i32 w, h;
    i32 plane;      /* numbers from one plane of linear RGB to the next */
    i32 next_plane; /* the same of the next scale; 0: there is none */
};
KERNEL_STRUCT(ssimulacra2_xyb_args)

#define SSIMULACRA2_MAX_MOMENTS 5

/* Rows that a group of ssimulacra2_rows blurs, and columns that one of ssimulacra2_columns does. */
#define SSIMULACRA2_GROUP_ROWS    32
#define SSIMULACRA2_GROUP_COLUMNS 64

struct ssimulacra2_blur_args {
    i32 w, h;
    i32 moments; /* how many of them are blurred */
};
KERNEL_STRUCT(ssimulacra2_blur_args)

/* Columns and rows that a group of ssimulacra2_ssim and ssimulacra2_edges covers. */
#define SSIMULACRA2_MAP_COLUMNS 64
#define SSIMULACRA2_MAP_ROWS    4

/* What is wanted of a map. */
#define SSIMULACRA2_WANTS_TERMS      1
#define SSIMULACRA2_WANTS_FOURTH     2 /* powers of the terms */
#define SSIMULACRA2_WANTS_LOST       4 /* the same of lost edges */
#define SSIMULACRA2_WANTS_LOST_POWER 8

struct ssimulacra2_map_args {
    i32 w, h;
    i32 wanted; /* SSIMULACRA2_WANTS_* */
    i32 lost;   /* where terms of lost edges, and their powers, begin */
};
KERNEL_STRUCT(ssimulacra2_map_args)

#endif
