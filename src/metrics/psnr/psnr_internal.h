/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_INTERNAL_H
#define METRICS_PSNR_PSNR_INTERNAL_H

/* The inner loop of PSNR, for plain C and vectors; float_psnr has it, too. */

#include <stdint.h>

#include "metrics/framework/extractor.h"
#include "support/cpu.h"

/* Peak signal-to-noise ratio of each plane, per frame and over the sequence, in decibels. */
extern const FeatureExtractor psnr_extractor;

typedef struct PsnrFunctions {
    /* Sum of the squared differences of the w samples of a row. */
    uint64_t (*row_sse)(const void *ref, const void *dist, unsigned w);
} PsnrFunctions;

/* Functions for a bit depth of 8 to 16. */
void psnr_functions_init(PsnrFunctions *functions, unsigned bpc, unsigned cpu_flags);
ISA_DECLARE_FUNCTION_NEON(psnr_functions_fill, (PsnrFunctions *, unsigned bpc));

/*
 * Differences of up to 12 bits fit 16 bits with their sign, and their squares are summed in 32
 * bits over as many columns as surely fit. Samples beyond their bit depth make such sums wrap.
 */
enum {
    PSNR_COLUMNS_PER_SUM_8 = 1 << 15,  /* 2^15 (2^8 - 1)^2 < 2^32 */
    PSNR_COLUMNS_PER_SUM_10 = 1 << 12, /* 2^12 (2^10 - 1)^2 < 2^32 */
    PSNR_COLUMNS_PER_SUM_12 = 1 << 8,  /* 2^8 (2^12 - 1)^2 < 2^32 */
};

static inline unsigned psnr_at_most(unsigned n, unsigned limit)
{
    return n < limit ? n : limit;
}

/*
 * Sums of squares that the floating-point metrics round to binary32 one by one. Squares of samples
 * up to 12 bits are exact; those of 16-bit samples lose bits, here too. The rounded squares are
 * integers and their sum over a row is exact, so rows may be added in any order.
 */

/* Sum of squares of w 16-bit samples, each rounded to 24 significant bits. */
uint64_t rounded_square_sum(const uint16_t *samples, unsigned w);
/* The same for the differences of two rows. */
uint64_t rounded_square_difference_sum(const uint16_t *a, const uint16_t *b, unsigned w);

#endif
