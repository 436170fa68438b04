/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_tiling_device.h"

void vmaf_adm_tile(AdmTiling tilings[ADM_SCALES], int32_t samples)
{
    AdmAxis axes[ADM_SCALES];
    AdmRange all[ADM_SCALES];
    AdmExtent cone[ADM_SCALES];
    adm_axes_init(axes, samples);
    for (int s = 0; s < ADM_SCALES; s++)
        all[s] = (AdmRange){0, axes[s].size};
    adm_cone_init(cone, axes, all);
    for (int s = 0; s < ADM_SCALES; s++)
        tilings[s] = (AdmTiling){axes[s], adm_range_hull(cone[s].evaluated, cone[s].approx)};
}
