/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CIEDE_CIEDE_INTERNAL_H
#define METRICS_CIEDE_CIEDE_INTERNAL_H

/* Numbers that the definition and the kernels of CIEDE2000 share. Products and quotients are folded
 * in the order in which they are written. */

#include "metrics/framework/extractor.h"

#include <stdint.h>

#define CIEDE_PI 3.14159265358979323846

/* YCbCr to RGB, BT.709. */
#define CIEDE_R_OF_V 1.28033
#define CIEDE_G_OF_U 0.21482
#define CIEDE_G_OF_V 0.38059
#define CIEDE_B_OF_U 2.12798

/* RGB to linear light, sRGB; libvmaf has the threshold of a line at 10/255. */
#define CIEDE_GAMMA_THRESHOLD (10.0 / 255)
#define CIEDE_GAMMA_OFFSET    0.055
#define CIEDE_GAMMA_SCALE     (1 / 1.055)
#define CIEDE_GAMMA_SLOPE     (1 / 12.92)
#define CIEDE_GAMMA           2.4

/* Linear light to CIE XYZ: coefficients of R, G and B. */
#define CIEDE_X_OF_R 0.4124564390896921
#define CIEDE_X_OF_G 0.357576077643909
#define CIEDE_X_OF_B 0.18043748326639894
#define CIEDE_Y_OF_R 0.21267285140562248
#define CIEDE_Y_OF_G 0.715152155287818
#define CIEDE_Y_OF_B 0.07217499330655958
#define CIEDE_Z_OF_R 0.019333895582329317
#define CIEDE_Z_OF_G 0.119192025881303
#define CIEDE_Z_OF_B 0.9503040785363677

/* White point D65. */
#define CIEDE_WHITE_X (1 / 0.95047)
#define CIEDE_WHITE_Z (1 / 1.08883)

/* CIE L*a*b*: the cube root, and the line that continues it in the dark. */
#define CIEDE_LIGHTNESS_THRESHOLD (216.0 / 24389)
#define CIEDE_LIGHTNESS_SLOPE     (24389.0 / 27)
#define CIEDE_LIGHTNESS_OFFSET    16
#define CIEDE_LIGHTNESS_SCALE     (1.0 / 116)

#define CIEDE_25_TO_7  6103515625.0
#define CIEDE_25_TO_7F 6103515648.0f /* rounded to binary32 */

/* Parametric factors of Yang, Ming and Yu for lightness, chroma and hue. */
#define CIEDE_K_L 0.65f
#define CIEDE_K_C 1.0f
#define CIEDE_K_H 4.0f

/*
 * Colours and their difference, one pixel at a time with the functions of math_functions.h: the
 * definition of the metric. Values that are rounded to binary32 are so in libvmaf, and scores show
 * it.
 */

/* From code values to luma of 0 to 1 and chroma of -0.5 to 0.5, BT.709 limited range. */
typedef struct CiedeRange {
    double luma_offset, luma_scale;
    double chroma_offset, chroma_scale;
} CiedeRange;

/* CIE L*a*b*. */
typedef struct CiedeLab {
    float l, a, b;
} CiedeLab;

CiedeRange ciede_range(unsigned bpc);
CiedeLab ciede_lab(const CiedeRange *range, unsigned y, unsigned u, unsigned v);
/* Difference of the colour in the reference and in the distorted picture. */
float ciede_delta_e(CiedeLab ref, CiedeLab dist);

/* Mean CIEDE2000 colour difference, as a score in decibels. */
extern const FeatureExtractor ciede_extractor;

/* Sum of the colour differences of a frame, from left to right and from top to bottom. The order of
 * its additions is part of the metric, so it always covers a whole frame. */
typedef struct CiedeRecord {
    double sum;
} CiedeRecord;

/* So many that the working memory of a batch stays in the first-level cache. */
enum { CIEDE_BATCH = 64 };

enum { CIEDE_REF, CIEDE_DIST, CIEDE_PICTURES };

/* Pixels in both pictures: code values of Y, Cb and Cr. */
typedef struct CiedeBatch {
    uint16_t samples[CIEDE_PICTURES][3][CIEDE_BATCH];
} CiedeBatch;

/* Linear light of 8-bit pixels, of which red depends on Y and Cr only, and blue on Y and Cb. */
typedef struct CiedeTables {
    double red[256][256], blue[256][256]; /* chroma, luma */
} CiedeTables;

typedef struct CiedeFunctions {
    void (*fill_tables)(CiedeTables *tables, const CiedeRange *range);
    /* The difference of each pixel of a batch, equal to ciede_delta_e of its colours. Tables only
     * if all samples are less than 256, else NULL. */
    void (*delta_e)(const CiedeRange *range, const CiedeTables *tables, const CiedeBatch *batch,
                    float result[CIEDE_BATCH]);
    /* Adds the first n results to the sum, in order. */
    void (*add)(const float result[CIEDE_BATCH], unsigned n, double *sum);
} CiedeFunctions;

/* Kernels of the widest vectors that the flags, CPU_*, allow. */
void ciede_functions_init(CiedeFunctions *functions, unsigned cpu_flags);

#endif
