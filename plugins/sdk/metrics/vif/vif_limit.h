/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_METRICS_VIF_LIMIT_H
#define VMAF_SDK_METRICS_VIF_LIMIT_H

#include "vif/vif_scale_args.h"

/* Returns a limit of the gain in the form that the kernels of VIF take, which
 * plugins/kernels/vif/information.h explains. gain_limit is 1 to 100, like the option of that name.
 */
vif_limit vmaf_vif_limit(double gain_limit);

#endif
