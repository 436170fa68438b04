/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SSIMULACRA2_MAP_KERNEL_H
#define METRICS_SSIMULACRA2_MAP_KERNEL_H

#include "dialect/binary64.h"

#define ONE_F64 F64_BITS(0x3FF00000u, 0u)

FN f64 fourth_power(f64 x)
{
    f64 square = mul_f64(x, x);
    return mul_f64(square, square);
}

#endif
