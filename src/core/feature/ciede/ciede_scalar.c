/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ciede/ciede_kernels.h"

static void delta_e(const CiedeRange *range, const CiedeBatch *batch, float result[CIEDE_BATCH])
{
    CiedeLab lab[2];
    for (int i = 0; i < CIEDE_BATCH; i++) {
        for (int p = 0; p < 2; p++)
            lab[p] = ciede_lab(range, batch->samples[p][0][i], batch->samples[p][1][i],
                               batch->samples[p][2][i]);
        result[i] = ciede_delta_e(lab[0], lab[1]);
    }
}

void ciede_kernels_init(CiedeKernels *kernels, unsigned cpu_flags)
{
    (void)cpu_flags;
    kernels->delta_e = delta_e;
}
