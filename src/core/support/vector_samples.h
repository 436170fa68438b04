/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_SAMPLES_H
#define CORE_SUPPORT_VECTOR_SAMPLES_H

/* Samples of pictures as vectors of 16-bit elements. */

#include <stddef.h>
#include <string.h>

#include "support/vector.h"

/* At the end of a row, where the memory of a picture may end, too. */
static inline Vec vec_load_last_samples(const void *samples, size_t n, bool deep)
{
    uint16_t block[VEC_16] = {0};
    memcpy(block, samples, deep ? 2 * n : n);
    return deep ? vec_load(block) : vec_load_u8(block);
}

/* Columns x to x + VEC_16 - 1 of a row of w > x samples: bytes, or words if `deep`. Columns beyond
 * the row are zero. */
static inline Vec vec_load_samples(const void *row, size_t x, size_t w, bool deep)
{
    const void *samples = (const uint8_t *)row + (deep ? 2 * x : x);
    if (w - x < VEC_16)
        return vec_load_last_samples(samples, w - x, deep);
    return deep ? vec_load(samples) : vec_load_u8(samples);
}

/* Differences of columns x to x + VEC_BYTES - 1 of rows of w > x bytes. Those beyond the rows are
 * zero. */
static inline VecPair vec_difference_of_bytes(const uint8_t *a, const uint8_t *b, size_t x,
                                              size_t w)
{
    if (w - x >= VEC_BYTES)
        return vec_difference_u8(a + x, b + x);
    uint8_t last_a[VEC_BYTES] = {0}, last_b[VEC_BYTES] = {0};
    memcpy(last_a, a + x, w - x);
    memcpy(last_b, b + x, w - x);
    return vec_difference_u8(last_a, last_b);
}

#endif
