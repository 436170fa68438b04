/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_NEON_H
#define CORE_FEATURE_VIF_NEON_H

#include <arm_neon.h>

#include "feature/vif/vif_kernels.h"

/* The gain kernel; the other ones are in the file of the table. */
void vif_gain_neon(VifSums *sums, const VifVariances *in, unsigned w, const double *limits,
                   unsigned n_limits);

#endif
