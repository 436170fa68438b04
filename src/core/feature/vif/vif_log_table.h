/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_LOG_TABLE_H
#define CORE_FEATURE_VIF_LOG_TABLE_H

/*
 * Logarithms to base 2 in units of 1/2048, by table from the 16 leading bits of the argument.
 *
 * With T(i) = floor(2048 * single(log2 i) + 0.5) for 2^15 <= i < 2^16, where single() rounds to
 * 24 significant bits, the logarithm of v is T(v >> k) + 2048 k, where v >> k has 16 bits. The
 * rounding to single precision is part of the definition: it decides some ties.
 */

#include <stdint.h>
#include <string.h>

enum { VIF_LOG_UNIT = 2048 };

/*
 * T in 8 KiB. Among eight consecutive indices T grows by at most one, so an entry holds the value
 * at the first of them and where the step is: entry b is 8 (T(8b) - 30720) + e, for
 * b = i / 8 - 4096, with e such that T(8b + j) = 30720 + (entry + j) / 8, rounded down.
 */
enum { VIF_LOG_STEPS = 4096 };
extern const uint16_t vif_log_steps[VIF_LOG_STEPS];

/*
 * The same for vector kernels, which have v in binary32, not rounded up. The bits of such a number
 * are nearly a logarithm: an exponent of 127 for 1, and a fraction of 23 bits, which follows the
 * chord of the curve. With the entry for its 12 upper bits added, and without the last 12 bits,
 * they are the logarithm of v as above, plus that of 2^127.
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
