/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_VIF_CONSTANTS_H
#define VMAF_SDK_VIF_CONSTANTS_H

#include <stdint.h>

#include "vif/vif_scale_args.h"

/* What the kernels of VIF are given beside pictures; plugins/kernels/vif/information.h has what it
 * means. */

/* gain_limit: 1 to 100, as the option of that name. */
vif_limit vmaf_vif_limit(double gain_limit);

void vmaf_vif_log_steps(uint16_t steps[VIF_LOG_ENTRIES]);

#endif
