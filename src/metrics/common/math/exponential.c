/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/math/exponential.h"

#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_variants.h"

bool math_has_fma(void)
{
    return MATH_FMA && MATH_HAS_FMA;
}

MATH_INLINE double exponential(double x, bool hardware)
{
    return exp_of_sum(x, 0, false, hardware);
}

MATH_VARIANTS_1(double, math_exp, exponential)
