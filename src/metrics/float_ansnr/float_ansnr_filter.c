/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ansnr/float_ansnr_filter.h"

float float_ansnr_tap(int row, int column)
{
    static const double taps[ANSNR_RADIUS + 1][ANSNR_RADIUS + 1] = {
        {2, 7, 12}, {7, 31, 52}, {12, 52, 127}};
    return (float)(taps[row][column] / 571); /* the sum of all 25 */
}
