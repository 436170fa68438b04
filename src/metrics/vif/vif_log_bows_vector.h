/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_LOG_BOWS_VECTOR_H
#define METRICS_VIF_VIF_LOG_BOWS_VECTOR_H

/* Sums of logarithms, looked up in memory: see vif_log_bows(). */

#include "metrics/vif/vif_internal.h"
#include "metrics/vif/vif_simd.h"
#include "support/vector.h"

/* Logarithms that can be added to a sum, at least. */
enum { VIF_LOG_SUMMANDS = 1 << 12 };

typedef const uint32_t *VifLogs;

VIF_INLINE VifLogs logs_of(const VifGain *gain)
{
    return gain->log_bows;
}

/* The bits of the integer as a binary32 number, of which the 16 leading ones count. */
VIF_INLINE Vec leading_bits(Vec v)
{
    /* Without the first of the other bits, these cannot round up. */
    return vec_float_bits(vec_float(vec_and_not(v, vec_shift_right_32u(v, 16))));
}

/* Adds the logarithms of positive integers to the sum, each with the exponent bias of binary32. */
VIF_INLINE Vec add_logarithms(Vec sum, Vec v, const VifLogs *logs)
{
    const Vec bits = leading_bits(v);
    const Vec index = vec_and(vec_shift_right_32u(bits, 23 - 12), vec_set_32(VIF_LOG_STEPS - 1));
    const Vec curved = vec_add_32(bits, vec_gather_32(*logs, index));
    return vec_add_32(sum, vec_shift_right_32u(curved, 12));
}

/* The total of n logarithms, which were added to a sum of 0. */
VIF_INLINE int64_t log_total(Vec sum, unsigned n)
{
    return (int64_t)vec_sum_32u(sum) - VIF_LOG_UNIT * 127 * (int64_t)n;
}

#endif
