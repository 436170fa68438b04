/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_SSIM_SSIM_DECIBELS_H
#define METRICS_FLOAT_SSIM_SSIM_DECIBELS_H

#include <stdbool.h>

#include "picture/format.h"

/*
 * An index s in decibels, -10 log10(1 - s). Infinite for equal pictures, or, with `is_clipped`, the
 * value for a picture in which half a sample is off by one code value, rounded up.
 */
double ssim_decibels(double index, const PictureFormat *format, bool is_clipped);

#endif
