/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_SSIMULACRA2_KERNEL_H
#define METRICS_SSIMULACRA2_SSIMULACRA2_KERNEL_H

/* Constants of SSIMULACRA 2, binary32: values for the scalar code, and their bits for kernels,
 * which include them too: macros. */

#define SSIMULACRA2_MIN_SIZE      8    /* of a scale, in each direction */
#define SSIMULACRA2_TRANSFER_SIZE 1024 /* samples of the transfer function */

/* -- linear RGB to XYB -- */

/* Shares of red, green and blue in the responses of the long, medium and short cones. */
#define SSIMULACRA2_LONG_R        0.30F
#define SSIMULACRA2_LONG_G        0x1.3e76c8p-1F
#define SSIMULACRA2_LONG_B        0.078F
#define SSIMULACRA2_MEDIUM_R      0.23F
#define SSIMULACRA2_MEDIUM_G      0x1.624dd2p-1F
#define SSIMULACRA2_MEDIUM_B      0.078F
#define SSIMULACRA2_SHORT_R       0.24342268924547819F
#define SSIMULACRA2_SHORT_G       0.20476744424496821F
#define SSIMULACRA2_SHORT_B       0x1.1a86d2p-1F
#define SSIMULACRA2_LONG_R_BITS   0x3E99999Au
#define SSIMULACRA2_LONG_G_BITS   0x3F1F3B64u
#define SSIMULACRA2_LONG_B_BITS   0x3D9FBE77u
#define SSIMULACRA2_MEDIUM_R_BITS 0x3E6B851Fu
#define SSIMULACRA2_MEDIUM_G_BITS 0x3F3126E9u
#define SSIMULACRA2_MEDIUM_B_BITS 0x3D9FBE77u
#define SSIMULACRA2_SHORT_R_BITS  0x3E7943CCu
#define SSIMULACRA2_SHORT_G_BITS  0x3E51AE8Fu
#define SSIMULACRA2_SHORT_B_BITS  0x3F0D4369u

/* What is added to each response before the cube root is taken, and the root of that. */
#define SSIMULACRA2_BIAS           0.0037930732552754493F
#define SSIMULACRA2_BIAS_BITS      0x3B789536u
#define SSIMULACRA2_BIAS_ROOT      0x1.3f64f6p-3F
#define SSIMULACRA2_BIAS_ROOT_BITS 0x3E1FB27Bu

/* The estimate of a cube root: its bits are a third of those of the number, plus these. A step of
 * Newton then has a factor of a third. */
#define SSIMULACRA2_ROOT_BITS  0x2A5137A0u
#define SSIMULACRA2_THIRD      (1.0F / 3.0F)
#define SSIMULACRA2_THIRD_BITS 0x3EAAAAABu

/* Offsets and a factor make all three components positive and of like range. */
#define SSIMULACRA2_X_FACTOR      14.0F
#define SSIMULACRA2_X_OFFSET      0.42F
#define SSIMULACRA2_Y_OFFSET      0.01F
#define SSIMULACRA2_B_OFFSET      0.55F
#define SSIMULACRA2_X_FACTOR_BITS 0x41600000u
#define SSIMULACRA2_X_OFFSET_BITS 0x3ED70A3Du
#define SSIMULACRA2_Y_OFFSET_BITS 0x3C23D70Au
#define SSIMULACRA2_B_OFFSET_BITS 0x3F0CCCCDu

/* -- blur -- */

/*
 * Gaussian of standard deviation 1.5 as a sum of three truncated cosines, each a recursion of
 * second order: D. Charalampidis, "Recursive Implementation of the Gaussian Filter Using Truncated
 * Cosine Functions", IEEE Transactions on Signal Processing 64 (14), 2016; equations 33 to 57 with
 * radius 5. A value of section j is
 *
 *     gain_j * (leaving + entering) - feedback_j * last - older
 *
 * The feedback of the third, -2 cos(pi/2), is a rounding error of 1e-16 in the original: too small
 * to change any result, and left out.
 */
#define SSIMULACRA2_GAIN0          0x1.c4fa84p-5F
#define SSIMULACRA2_GAIN1          (-0x1.e1fd7ap-5F)
#define SSIMULACRA2_GAIN2          0x1.a8894ap-7F
#define SSIMULACRA2_FEEDBACK0      (-0x1.e6f0e2p+0F)
#define SSIMULACRA2_FEEDBACK1      (-0x1.2cf23p+0F)
#define SSIMULACRA2_GAIN0_BITS     0x3D627D42u
#define SSIMULACRA2_GAIN1_BITS     0xBD70FEBDu
#define SSIMULACRA2_GAIN2_BITS     0x3C5444A5u
#define SSIMULACRA2_FEEDBACK0_BITS 0xBFF37871u
#define SSIMULACRA2_FEEDBACK1_BITS 0xBF967918u

/* A blurred value sums up differences that enter this far ahead of it, and leave behind it. */
#define SSIMULACRA2_BLUR_AHEAD  4
#define SSIMULACRA2_BLUR_BEHIND 6
#define SSIMULACRA2_BLUR_REACH  (SSIMULACRA2_BLUR_AHEAD + SSIMULACRA2_BLUR_BEHIND)

/* -- maps -- */

/* The stabilising constant of structural similarity: (0.03 * 1)^2. */
#define SSIMULACRA2_C2      0.0009F
#define SSIMULACRA2_C2_BITS 0x3A6BEDFAu

/* -- arguments of kernels, for kernels and those who run them -- */
#if __has_include("dialect/types.h") /* not in the library */
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

#endif
