/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_COMMON_FORMAT_CHECK_H
#define CORE_FEATURE_COMMON_FORMAT_CHECK_H

#include "picture/format.h"
#include "support/reason.h"

/* Limits that several metrics have, for check_format: 0, or -EINVAL with a reason that states the
 * limit. */

/* At least `minimum` samples of luma each way. */
int check_minimum_size(const char *metric, const PictureFormat *format, unsigned minimum,
                       Reason *why);
/* 8, 10, 12 or 16 bits: metrics that take samples to the 8-bit range by one of four factors. */
int check_common_depths(const char *metric, const PictureFormat *format, Reason *why);
/* Any format with chroma planes. */
int check_has_chroma(const char *metric, const PictureFormat *format, Reason *why);

#endif
