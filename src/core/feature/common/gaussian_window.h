/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_COMMON_GAUSSIAN_WINDOW_H
#define CORE_FEATURE_COMMON_GAUSSIAN_WINDOW_H

#include "definition/common/gaussian_window.h"
#include "support/reason.h"

/* Checks that a factor is known. 0; -EINVAL with a reason that states the list. */
int gaussian_scale_check(const char *option, double scale, Reason *why);

#endif
