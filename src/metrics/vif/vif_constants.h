/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_CONSTANTS_H
#define METRICS_VIF_VIF_CONSTANTS_H

/* Constants of VIF. Kernels include this too: nothing but macros. */

#define VIF_SCALES 4

/*
 * The window of each scale, from the centre outwards: a Gaussian of 2^(4-s) + 1 taps with a
 * deviation of a fifth of its length, in units of 1/65536; both sides sum to 65536. The window of
 * scale s both makes its image from that of scale s - 1 and measures it.
 */
#define VIF_RADIUS(s) (8 >> (s))
#define VIF_WINDOW_0  7784u, 7455u, 6547u, 5274u, 3896u, 2640u, 1640u, 935u, 489u
#define VIF_WINDOW_1  14692u, 12590u, 7925u, 3663u, 1244u
#define VIF_WINDOW_2  26386u, 16004u, 3571u
#define VIF_WINDOW_3  43728u, 10904u

/* Variance of the sensor's noise: 2, in 1/65536 of a squared grey level. */
#define VIF_NOISE_VARIANCE 131072

/* The unit of logarithms, and the number of entries of their table; see vif_log_steps.h. */
#define VIF_LOG_UNIT  2048
#define VIF_LOG_STEPS 4096

#endif
