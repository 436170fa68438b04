/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_COMMON_ROWS_H
#define CORE_FEATURE_COMMON_ROWS_H

/* Positions of rows and columns in pictures. */

#include <stdint.h>

#include "picture/format.h"

/* Position i of n, mirrored at the border sample, which is not repeated: -1 is 1, n is n - 2. At
 * most n - 1 beyond the border. */
static inline unsigned mirror(int i, unsigned n)
{
    if (i < 0)
        return (unsigned)-i;
    return (unsigned)i < n ? (unsigned)i : 2 * n - 2 - (unsigned)i;
}

/* Row of a plane at which a band begins or ends, from the row of luma. Bands that partition luma
 * partition every plane, even if an odd luma height leaves a row without chroma. */
static inline unsigned plane_row(const PictureFormat *format, unsigned plane, unsigned luma_row)
{
    return (unsigned)((uint64_t)luma_row * format->h[plane] / format->h[0]);
}

#endif
