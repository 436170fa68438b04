/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_CIEDE_CIEDE_KERNELS_H
#define CORE_FEATURE_CIEDE_CIEDE_KERNELS_H

#include <stdint.h>

#include "feature/ciede/ciede_formula.h"

/* So many that the working memory of a batch stays in the first-level cache. */
enum { CIEDE_BATCH = 64 };

enum { CIEDE_REF, CIEDE_DIST, CIEDE_PICTURES };

/* Pixels in both pictures: code values of Y, Cb and Cr. */
typedef struct CiedeBatch {
    uint16_t samples[CIEDE_PICTURES][3][CIEDE_BATCH];
} CiedeBatch;

typedef struct CiedeKernels {
    /* The difference of each pixel of a batch, equal to ciede_delta_e of its colours. */
    void (*delta_e)(const CiedeRange *range, const CiedeBatch *batch, float result[CIEDE_BATCH]);
} CiedeKernels;

void ciede_kernels_init(CiedeKernels *kernels, unsigned cpu_flags);

#endif
