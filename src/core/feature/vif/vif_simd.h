/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_SIMD_H
#define CORE_FEATURE_VIF_SIMD_H

/* What the vector kernels of different instruction sets have in common. */

#include <stdint.h>
#include <string.h>

#include "feature/vif/vif_kernels.h"

#define VIF_INLINE static inline __attribute__((always_inline))

/* Products of bytes are those of their distances to grey. */
enum { VIF_GREY = 128 };

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

void vif_kernels_init_neon(VifKernels *kernels);

#endif
