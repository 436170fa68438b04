/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AVX-512 as the first processors had it: F, BW, DQ and VL. */
#define VIF_DOT(sum, a, b) _mm512_add_epi32(sum, _mm512_madd_epi16(a, b))
#include "feature/vif/vif_avx512.h"

void vif_kernels_init_avx512(VifKernels *kernels)
{
    *kernels = avx512_kernels;
}
