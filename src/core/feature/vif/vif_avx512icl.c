/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AVX-512 since Ice Lake, with VNNI: one instruction multiplies and adds to the sum. */
#define VIF_DOT(sum, a, b) _mm512_dpwssd_epi32(sum, a, b)
#include "feature/vif/vif_avx512.h"

void vif_kernels_init_avx512icl(VifKernels *kernels)
{
    *kernels = avx512_kernels;
}
