/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_RECORD_BOUNDS_H
#define METRICS_COMMON_RECORD_BOUNDS_H

/* Building blocks for the bounds of records; see FeatureRecord. */

#include <stdbool.h>
#include <stdint.h>

#include "picture/picture.h"

static inline uint64_t n_samples_of(const PictureFormat *format, unsigned plane)
{
    return (uint64_t)format->w[plane] * format->h[plane];
}

/* The largest sample that memory can hold: one above the nominal depth is harmless, and no sign of
 * a broken backend. */
static inline uint64_t largest_sample(const PictureFormat *format)
{
    return format->bpc == 8 ? 255 : 65535;
}

static inline bool is_between(int64_t value, uint64_t limit)
{
    return value >= 0 && (uint64_t)value <= limit;
}

#endif
