/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "definition/math/exponential.h"

#include "definition/math/math_functions.h"
#include "definition/math/math_variants.h"

bool math_has_fma(void)
{
    return MATH_FMA && MATH_HAS_FMA;
}

MATH_INLINE double exponential(double x, bool hardware)
{
    return exp_of_sum(x, 0, false, hardware);
}

MATH_VARIANTS_1(double, math_exp, exponential)
