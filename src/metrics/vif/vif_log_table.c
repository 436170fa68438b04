/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_log_table.h"

void vif_log_bows(uint32_t bows[VIF_LOG_STEPS])
{
    for (uint32_t b = 0; b < VIF_LOG_STEPS; b++) {
        /* In sixteenths of the unit, of which an octave has as many as 15 bits have values. */
        const uint32_t value = vif_log_steps[b] / 8, step = vif_log_steps[b] % 8;
        bows[b] = (16 * value + 8 + step - 8 * b) << 8;
    }
}
