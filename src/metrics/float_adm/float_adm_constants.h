/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_CONSTANTS_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_CONSTANTS_H

/* Constants of float_adm: values for the scalar code, and their bits for kernels, which include
 * this too: nothing but macros. */

/* Low-pass taps of the Daubechies wavelet "db2", binary32. */
#define FLOAT_ADM_LOW0      0.482962913144690F
#define FLOAT_ADM_LOW1      0.836516303737469F
#define FLOAT_ADM_LOW2      0.224143868041857F
#define FLOAT_ADM_LOW3      (-0.129409522550921F)
#define FLOAT_ADM_LOW0_BITS 0x3EF746EAu
#define FLOAT_ADM_LOW1_BITS 0x3F5625EFu
#define FLOAT_ADM_LOW2_BITS 0x3E6585F8u
#define FLOAT_ADM_LOW3_BITS 0xBE0483EEu

/* cos^2 of one degree; ADM_SAME_DIRECTION is in metrics/adm/adm_constants.h. */
#define FLOAT_ADM_SAME_DIRECTION      (ADM_SAME_DIRECTION / 0x1p24F)
#define FLOAT_ADM_SAME_DIRECTION_BITS 0x3F7FEC0Au

/* Keeps the divisor of a ratio from being 0, binary32. */
#define FLOAT_ADM_TINY      1e-30F
#define FLOAT_ADM_TINY_BITS 0x0DA24260u

/* Parts of a weighted magnitude in the visibility threshold of each neighbour and of its own place,
 * in each band: binary64, mantissas of 21 and 32 bits; the mantissa counts units of 2^-57 and
 * 2^-56. */
#define FLOAT_ADM_NEIGHBOUR_MASKING       0.0333333351
#define FLOAT_ADM_NEIGHBOUR_MASKING_UPPER 0x111111u
#define FLOAT_ADM_NEIGHBOUR_MASKING_LOWER 0x203E01FCu
#define FLOAT_ADM_NEIGHBOUR_MASKING_UNIT  (-57)
#define FLOAT_ADM_OWN_MASKING             0.0666666701
#define FLOAT_ADM_OWN_MASKING_UPPER       0x111111u
#define FLOAT_ADM_OWN_MASKING_LOWER       0x1FD00E7Du
#define FLOAT_ADM_OWN_MASKING_UNIT        (-56)

#endif
