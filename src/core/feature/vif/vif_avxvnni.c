/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* AVX2 with AVX-VNNI, as in desktop processors since 2021: see vif_avx512icl.c. */
#include "feature/vif/vif_pairs_vector.h"

const VifPairKernels vif_pairs_avxvnni = VIF_PAIR_KERNELS;
