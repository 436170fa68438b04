/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_MOTION_CONSTANTS_H
#define METRICS_MOTION_MOTION_CONSTANTS_H

/* Constants of motion. Kernels include this too: nothing but macros. */

/* The low-pass filter, a Gaussian with a standard deviation of about one pixel, by distance from
 * its centre, in units of 1/65536; both sides sum to 65536. */
#define MOTION_RADIUS 2
#define MOTION_TAP0   26386
#define MOTION_TAP1   16004
#define MOTION_TAP2   3571

#endif
