/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_FORMAT_CHECK_H
#define METRICS_COMMON_FORMAT_CHECK_H

#include "metrics/framework/extractor.h"

/* Limits that several metrics have: 0, or -EINVAL with a reason that states the limit. The reason
 * begins with `metric`. */

int check_limits(const char *metric, const FeatureLimits *limits, const PictureFormat *format,
                 Reason *why);
/* At least `minimum` samples of luma in each direction. */
int check_minimum_size(const char *metric, const PictureFormat *format, unsigned minimum,
                       Reason *why);
/* Accepts any format with chroma planes. */
int check_has_chroma(const char *metric, const PictureFormat *format, Reason *why);

#endif
