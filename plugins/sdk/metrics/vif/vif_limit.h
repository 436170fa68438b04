/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_METRICS_VIF_LIMIT_H
#define VMAF_SDK_METRICS_VIF_LIMIT_H

#include "vif/vif_scale_args.h"

/* A limit of the gain in the form that the kernels of VIF take; plugins/kernels/vif/information.h
 * explains it. gain_limit: 1 to 100, as the option of that name. */
vif_limit vmaf_vif_limit(double gain_limit);

#endif
