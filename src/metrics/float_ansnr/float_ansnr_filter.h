/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ANSNR_FLOAT_ANSNR_FILTER_H
#define METRICS_FLOAT_ANSNR_FLOAT_ANSNR_FILTER_H

/* The 5x5 filter of float_ansnr for the distorted picture. */

enum { ANSNR_RADIUS = 2, ANSNR_TAPS = 2 * ANSNR_RADIUS + 1, ANSNR_MIN_SIZE = 3 };

/* The tap at a distance from the border of the filter, down and across: 0, 1 or, in the centre, 2.
 */
static inline float float_ansnr_tap(int row, int column)
{
    static const double taps[ANSNR_RADIUS + 1][ANSNR_RADIUS + 1] = {
        {2, 7, 12}, {7, 31, 52}, {12, 52, 127}};
    return (float)(taps[row][column] / 571); /* the sum of all 25 */
}

#endif
