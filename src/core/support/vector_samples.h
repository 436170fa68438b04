/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_SAMPLES_H
#define CORE_SUPPORT_VECTOR_SAMPLES_H

/* Samples of pictures as vectors of 16-bit elements. */

#include <string.h>

#include "support/vector.h"

/* At the end of a row, where the memory of a picture may end, too. */
static inline Vec vec_load_last_samples(const void *samples, unsigned n, bool deep)
{
    uint16_t block[VEC_16] = {0};
    memcpy(block, samples, deep ? 2 * (size_t)n : (size_t)n);
    return deep ? vec_load(block) : vec_load_u8(block);
}

/* Columns x to x + VEC_16 - 1 of a row of w > x samples: bytes, or words if `deep`. Columns beyond
 * the row are zero. */
static inline Vec vec_load_samples(const void *row, unsigned x, unsigned w, bool deep)
{
    const void *samples = (const uint8_t *)row + (deep ? 2 * (size_t)x : (size_t)x);
    if (w - x < VEC_16)
        return vec_load_last_samples(samples, w - x, deep);
    return deep ? vec_load(samples) : vec_load_u8(samples);
}

#endif
