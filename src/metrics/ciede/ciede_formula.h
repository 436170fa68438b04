/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CIEDE_CIEDE_FORMULA_H
#define METRICS_CIEDE_CIEDE_FORMULA_H

#include <stdint.h>

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

#endif
