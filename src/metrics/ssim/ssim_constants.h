/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIM_SSIM_CONSTANTS_H
#define METRICS_SSIM_SSIM_CONSTANTS_H

/* The window: 256 times a Gaussian of standard deviation 1.5, by distance from the centre. */
#define SSIM_RADIUS 4
#define SSIM_WINDOW 68, 55, 28, 9, 2

#endif
