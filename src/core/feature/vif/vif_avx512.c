/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AVX-512 as the first processors had it: F, BW, DQ and VL. */
#include "feature/vif/vif_pairs_vector.h"

const VifPairKernels vif_pairs_avx512 = VIF_PAIR_KERNELS;
