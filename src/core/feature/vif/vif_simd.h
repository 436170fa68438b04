/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_SIMD_H
#define CORE_FEATURE_VIF_SIMD_H

/*
 * What the vector kernels of different instruction sets have in common.
 *
 * All filters are sums of products of 16-bit integers, which processors multiply and add in pairs.
 * Two things make unsigned 16-bit data signed without a loss:
 *
 *  - The taps sum to 65536, so sum f a = sum f (a - 32768) + 2^31 modulo 2^32, and the sum is below
 *    2^32. Rows between two steps hold a - 32768, which is a with its highest bit inverted.
 *  - The centre of the smallest window, 43728, is 65536 too much for a signed tap; that part is
 *    added as a shift.
 *
 * Second moments have 32 bits and are filtered in halves: with a = 2^16 high + low,
 * (sum f a + 2^15) >> 16 = sum f high + ((sum f low + 2^15) >> 16).
 */

#include <stdint.h>
#include <string.h>

#include "feature/vif/vif_kernels.h"

#define VIF_INLINE static inline __attribute__((always_inline))

/* Halves of products of words are split here, so that the sum of two is a signed 16-bit integer. */
enum { VIF_WORD_SPLIT = 14, VIF_WORD_LOW = (1 << VIF_WORD_SPLIT) - 1 };

/*
 * Products of bytes are those of their distances to grey, less something that lets the sum of two
 * be a signed 16-bit integer. Taken back by a b = (a - g) (b - g) + g (a + b) - g^2.
 */
enum { VIF_GREY = 128, VIF_SQUARE_BIAS = 1 << 13, VIF_MIXED_BIAS = 1 << 6 };

VIF_INLINE uint32_t vif_product_bias(int moment)
{
    return moment == VIF_REF_DIST ? VIF_MIXED_BIAS : VIF_SQUARE_BIAS;
}

/* The tap at distance k; 0 beyond the window. */
VIF_INLINE int32_t vif_tap(unsigned scale, int k)
{
    const unsigned distance = (unsigned)(k < 0 ? -k : k);
    if (distance > vif_filters[scale].radius)
        return 0;
    const int32_t tap = vif_filters[scale].taps[distance];
    return tap > INT16_MAX ? tap - 65536 : tap;
}

VIF_INLINE int vif_centre_is_shifted(unsigned scale)
{
    return vif_filters[scale].taps[0] > INT16_MAX;
}

/* Two taps, the first in the lower half. */
VIF_INLINE int32_t vif_tap_pair(unsigned scale, int first, int second)
{
    return (int32_t)((uint32_t)vif_tap(scale, first) & 0xffff) |
           (int32_t)((uint32_t)vif_tap(scale, second) << 16);
}

/* Copies columns of rows, which may end there, to where whole vectors can be read: zeros follow. */
VIF_INLINE void vif_copy_rows(const void *copied[], void *to, size_t to_stride,
                              const void *const rows[], unsigned n_rows, size_t offset, size_t size)
{
    for (unsigned i = 0; i < n_rows; i++) {
        uint8_t *row = (uint8_t *)to + i * to_stride;
        memcpy(row, (const uint8_t *)rows[i] + offset, size);
        memset(row + size, 0, to_stride - size);
        copied[i] = row;
    }
}

/* The gain kernels; the other ones are in the files of the tables. */
void vif_gain_avx2(VifSums *sums, const VifVariances *in, unsigned w, const double *limits,
                   unsigned n_limits);
void vif_gain_avx512(VifSums *sums, const VifVariances *in, unsigned w, const double *limits,
                     unsigned n_limits);

void vif_kernels_init_avx2(VifKernels *kernels);
void vif_kernels_init_avx512(VifKernels *kernels);
void vif_kernels_init_avx512icl(VifKernels *kernels);

#endif
