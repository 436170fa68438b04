/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_MOMENT_FLOAT_MOMENT_INTERNAL_H
#define METRICS_FLOAT_MOMENT_FLOAT_MOMENT_INTERNAL_H

#include <stdint.h>

#include "metrics/framework/extractor.h"

/* First and second moments of the luma of both pictures, in the 8-bit range. */
extern const FeatureExtractor float_moment_extractor;

/* Add the sum of w samples, bytes or words of at most 12 bits, and that of their squares. */
typedef void FloatMomentRow(const void *samples, unsigned w, uint64_t *first, uint64_t *second);

typedef struct FloatMomentFunctions {
    FloatMomentRow *row_moments8, *row_moments12;
} FloatMomentFunctions;

/* The functions for the instruction sets in `cpu_flags`. */
const FloatMomentFunctions *float_moment_functions(unsigned cpu_flags);

#endif
