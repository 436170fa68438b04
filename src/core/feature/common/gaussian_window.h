/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_COMMON_GAUSSIAN_WINDOW_H
#define CORE_FEATURE_COMMON_GAUSSIAN_WINDOW_H

/*
 * Gaussian windows that an option scales, as if the picture were seen from nearer or farther. Sizes
 * are odd; taps are binary32, add up to about 1, and are defined to the last bit.
 */

#include "support/reason.h"

/* Checks a factor: like libvmaf accepts those within 0.001 of a value in a list. 0; -EINVAL with a
 * reason that states the list. */
int gaussian_scale_check(const char *option, double scale, Reason *why);

/* Taps of a window that has `size` taps at scale 1; at least 3. */
int gaussian_window_size(int size, double scale);
void gaussian_window(float taps[], int size, float deviation);

#endif
