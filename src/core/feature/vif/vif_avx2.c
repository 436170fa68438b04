/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif_pairs_vector.h"

const VifPairKernels vif_pairs_avx2 = VIF_PAIR_KERNELS;
