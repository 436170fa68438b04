/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_SIMD_H
#define METRICS_VIF_VIF_SIMD_H

/* What the kernels of different instruction sets have in common, and what vif.c chooses from. */

#include "metrics/vif/vif_internal.h"
#include "support/cpu.h"

#ifdef VMAF_SANITIZED /* instrumented, a copy for each window compiles for minutes */
#define VIF_INLINE static __attribute__((noinline, unused))
#else
#define VIF_INLINE static inline __attribute__((always_inline))
#endif

/* Products of bytes are those of their distances to grey. */
enum { VIF_GREY = 128 };

/* All of a table but the gain. */
void vif_fill_filter_portable(VifKernels *kernels);
void vif_fill_filter_neon(VifKernels *kernels);

ISA_DECLARE_FUNCTION_PORTABLE(vif_gain, (VifSums * sums, const VifVariances *in, unsigned w,
                                         const VifGain *gain));

void vif_gain_portable_again(VifSums *sums, const VifVariances *in, unsigned w,
                             const VifGain *gain);

extern const VifPairKernels vif_pairs_avx2, vif_pairs_avxvnni, vif_pairs_avx512,
    vif_pairs_avx512icl;

#endif
