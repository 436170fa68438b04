/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_BOUNDS_H
#define METRICS_FLOAT_SSIM_SSIM_BOUNDS_H

/* Bounds of the means, those of backend_records.h; a NaN is within none of them. */

#include <stdbool.h>

#include "metrics/common/record_bounds.h"

/*
 * The largest luminance and contrast. |2 a b| <= a^2 + b^2, and roundings add less than 2^-20.
 */
#define SSIM_LARGEST 1.001f

/*
 * The largest magnitude of structure at a scale of MS-SSIM, whose filter at most doubles magnitudes
 * of samples: with samples up to R, covariances are below 2.01 R^2, and structure is at most
 * 1 + covariance / 29.26. Times luminance and contrast it is no more than that either.
 */
static inline float ssim_largest_structure(const PictureFormat *format, unsigned scale)
{
    const float largest =
        (float)(largest_sample(format) << scale) / (float)(1u << (format->bpc - 8));
    return 2 + largest * largest / 14;
}

static inline bool ssim_is_within(float mean, float largest)
{
    return mean >= -largest && mean <= largest;
}

/* True if a mean of luminance or contrast is possible; one that is not wanted is zero. */
static inline bool ssim_is_possible_mean(float mean, float least, bool is_wanted)
{
    return is_wanted ? mean >= least && mean <= SSIM_LARGEST : mean == 0;
}

#endif
