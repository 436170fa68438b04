/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AVX-512 since Ice Lake, with VNNI: one instruction multiplies and adds to the sum. */
#include "feature/vif/vif_pairs_vector.h"

const VifPairKernels vif_pairs_avx512icl = VIF_PAIR_KERNELS;
