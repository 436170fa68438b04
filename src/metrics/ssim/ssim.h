/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SSIM_H
#define METRICS_SSIM_SSIM_H

#include <stdint.h>

/* The taps around sample i that lie among n samples, added up; 256 away from the borders. A pixel's
 * weight is the product of those of its column and of its row. */
uint32_t ssim_weight(uint32_t i, uint32_t n);
/* The weights of all samples added up. */
uint64_t ssim_total_weight(uint32_t n);

/* The constants of the paper, (0.01 L)^2 and (0.03 L)^2 for a peak of L. */
typedef struct SsimConstants {
    double c1, c2;
} SsimConstants;
SsimConstants ssim_constants(unsigned depth);

#endif
