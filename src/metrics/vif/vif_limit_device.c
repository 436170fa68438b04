/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_limit_device.h"

#include <math.h>

/* Returns the 53 bits of x >= 1, which is that times 2^*exponent. */
static uint64_t mantissa_of(double x, int32_t *exponent)
{
    int binary_exponent;
    const double fraction = frexp(x, &binary_exponent);
    *exponent = binary_exponent - 53;
    return (uint64_t)ldexp(fraction, 53);
}

/*
 * Kernels compare c / v1, which exceeds the gain by less than 2^-34 of it, with the limit, and
 * compute the gain exactly within 2^-20 of the limit. A limit of 1, at which all pixels of equal
 * pictures lie, needs none of this: c / (v1 + E) exceeds 1 if and only if c > v1, because both are
 * integers.
 */
vif_limit vmaf_vif_limit(double gain_limit)
{
    vif_limit limit;
    limit.mantissa = mantissa_of(gain_limit, &limit.exponent);
    limit.square_mantissa = mantissa_of(gain_limit * gain_limit, &limit.square_exponent);
    const double scaled = ldexp(gain_limit, 24);
    const double margin = gain_limit > 1 ? ldexp(gain_limit, 4) : 0;
    limit.free_to = (uint32_t)floor(scaled - margin);
    limit.limited_from = (uint32_t)ceil(scaled + margin);
    return limit;
}
