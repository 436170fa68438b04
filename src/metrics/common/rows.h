/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_ROWS_H
#define METRICS_COMMON_ROWS_H

/* Rows of a plane for rows of luma. */

#include <stdint.h>

#include "picture/picture.h"

/* Row of a plane at which a band begins or ends, from the row of luma. Bands that partition luma
 * partition every plane, even if an odd luma height leaves a row without chroma. */
static inline unsigned plane_row(const PictureFormat *format, unsigned plane, unsigned luma_row)
{
    return (unsigned)((uint64_t)luma_row * format->h[plane] / format->h[0]);
}

#endif
