/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_GAUSSIAN_SCALE_H
#define METRICS_COMMON_GAUSSIAN_SCALE_H

#include "metrics/common/gaussian_window.h"
#include "support/log.h"

/* Checks that a factor is known. 0; -EINVAL with a reason that states the list. */
int gaussian_scale_check(const char *option, double scale, Reason *why);

#endif
