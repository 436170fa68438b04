/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_CONSTANTS_H
#define METRICS_CAMBI_CAMBI_CONSTANTS_H

/* Constants of CAMBI. Kernels include this too: nothing but macros. */

/* Pixels are flat or not in a window of 7x7 around each. */
#define CAMBI_FLAT_RADIUS 3

/* Contrasts are 0, or binary32 numbers from 2^-1 to below 2^18: multiples of 2^-24. */
#define CAMBI_CONTRAST_MIN_BITS      0x3f000000 /* of 2^-1 */
#define CAMBI_CONTRAST_END_BITS      0x48800000 /* of 2^18 */
#define CAMBI_CONTRAST_FRACTION_BITS 24

#endif
