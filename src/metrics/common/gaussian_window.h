/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_GAUSSIAN_WINDOW_H
#define METRICS_COMMON_GAUSSIAN_WINDOW_H

/*
 * Gaussian windows that an option scales, as if the picture were seen from nearer or farther. Sizes
 * are odd; taps are binary32, add up to about 1, and are defined to the last bit.
 */

#include <stdbool.h>

/* True if a factor is within 0.001 of one of a list, as libvmaf wants it. */
bool gaussian_scale_is_known(double scale);
/* Taps of a window that has `size` taps at scale 1; at least 3. */
int gaussian_window_size(int size, double scale);
void gaussian_window(float taps[], int size, float deviation);

#endif
