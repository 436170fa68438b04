/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_LOG_TABLE_H
#define METRICS_VIF_VIF_LOG_TABLE_H

/* The logarithms of vif_log_steps as they are looked up. */

#include <stdint.h>
#include <string.h>

#include "metrics/vif/vif_log_steps.h"

/*
 * For vector kernels, which have v in binary32, not rounded up. The bits of such a number are
 * nearly a logarithm: an exponent of 127 for 1, and a fraction of 23 bits, which follows the chord
 * of the curve. With the entry for its 12 upper bits added, and without the last 12 bits, they are
 * the logarithm of v, plus that of 2^127.
 */
void vif_log_bows(uint32_t bows[VIF_LOG_STEPS]);

/*
 * What the logarithm of an integer 2^15 <= v < 2^32 depends on, taken from its form as a double:
 * the exponent above 15 bits that follow the leading one.
 */
static inline uint32_t vif_log_key(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof(bits));
    return (uint32_t)(bits >> (52 - 15)) - ((1023u + 15) << 15);
}

/* Any key is safe; others than those of such integers give no meaningful value. */
static inline uint32_t vif_log_of_key(uint32_t key)
{
    uint32_t entry = vif_log_steps[key / 8 % VIF_LOG_STEPS];
    return 30720 + (entry + key % 8) / 8 + VIF_LOG_UNIT * (key >> 15);
}

#endif
