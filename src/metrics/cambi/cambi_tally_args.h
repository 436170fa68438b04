/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_TALLY_ARGS_H
#define METRICS_CAMBI_CAMBI_TALLY_ARGS_H

#include "dialect/types.h"
#include "metrics/cambi/cambi_constants.h"

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
