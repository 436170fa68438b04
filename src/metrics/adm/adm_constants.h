/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_CONSTANTS_H
#define METRICS_ADM_ADM_CONSTANTS_H

/* Constants of ADM. Kernels include this too: nothing but macros. */

#define ADM_SCALES 4

/* Filters of 4 taps: the Daubechies wavelet "db2" in units of 2^-15. */
#define ADM_LOW0  15826
#define ADM_LOW1  27411
#define ADM_LOW2  7345
#define ADM_LOW3  (-4240)
#define ADM_HIGH0 ADM_LOW3
#define ADM_HIGH1 (-ADM_LOW2)
#define ADM_HIGH2 ADM_LOW1
#define ADM_HIGH3 (-ADM_LOW0)

/* cos^2 of the angle of one degree within which directions count as the same, times 2^24. */
#define ADM_SAME_DIRECTION 16772106

/* The parts of a coefficient that are added to the thresholds around it and at its own position,
 * 1/30 and 1/15: in 17 fractional bits at scale 0, whose coefficients have 12, in 32 at the others.
 */
#define ADM_NEIGHBOUR_PART_16 4369
#define ADM_CENTRE_PART_16    8738
#define ADM_NEIGHBOUR_PART_32 143165577
#define ADM_CENTRE_PART_32    286331153

/* Added to weighted coefficients of scale 0, bands h and v or d, before 15 or 17 bits are dropped.
 * The second value is intended: the reference values round like this. */
#define ADM_ROUNDING_HV 16384
#define ADM_ROUNDING_D  65535

#endif
