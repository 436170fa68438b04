/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_LIMIT_DEVICE_H
#define METRICS_VIF_VIF_LIMIT_DEVICE_H

#include "metrics/vif/vif_kernel.h"

/* Returns a limit of the gain in the form that the kernels of VIF take, which
 * src/metrics/vif/information.kernel.h explains. gain_limit is 1 to 100, like the option of that
 * name.
 */
vif_limit vmaf_vif_limit(double gain_limit);

#endif
