/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_LOG_PIECES_H
#define METRICS_VIF_VIF_LOG_PIECES_H

/*
 * The logarithms of vif_log_steps.h as 32 parabolas for each octave: few enough to be kept in
 * registers.
 *
 * The 15 bits that follow the leading one are the number s of a piece, 5 bits, and a place r in it.
 * With u = 1 + s / 32 + (1023 - r) / 32768, in binary32,
 *
 *     apex[s] - curvature[s] u^2 = 512 + T - 30720 - 64 s + f, 0 <= f < 1,
 *
 * where 64 s is the chord of the curve. That is from 512 to 1023: the integer is the exponent and
 * the first 9 bits of the fraction. The distance u from the apex has the bits of s and the inverted
 * ones of r.
 */

#include "metrics/vif/vif_constants.h"

enum {
    VIF_LOG_PIECES = 32,
    VIF_LOG_PIECE_UNITS = VIF_LOG_UNIT / VIF_LOG_PIECES, /* that the chord gains in a piece */
};

extern const float vif_log_curvatures[VIF_LOG_PIECES], vif_log_apexes[VIF_LOG_PIECES];

#endif
