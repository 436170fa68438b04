/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_MATH_VARIANTS_H
#define METRICS_COMMON_MATH_MATH_VARIANTS_H

/*
 * Both variants of the functions of math_functions.h, for tests: their results are equal. Those
 * that end in _hardware may be called where the processor has FMA (math_has_fma). Where compilers
 * know of no such instruction, they are the others.
 */

#include <stdbool.h>

bool math_has_fma(void);

#define MATH_DECLARE_VARIANTS(type, name, parameters)                                              \
    type name##_hardware parameters;                                                               \
    type name##_software parameters

MATH_DECLARE_VARIANTS(double, math_exp, (double x));
MATH_DECLARE_VARIANTS(double, math_log, (double x));
MATH_DECLARE_VARIANTS(double, math_log2, (double x));
MATH_DECLARE_VARIANTS(double, math_log10, (double x));
MATH_DECLARE_VARIANTS(double, math_pow, (double x, double y));
MATH_DECLARE_VARIANTS(float, math_powf, (float x, float y));
MATH_DECLARE_VARIANTS(double, math_sin, (double x));
MATH_DECLARE_VARIANTS(double, math_cos, (double x));
MATH_DECLARE_VARIANTS(double, math_atan2, (double y, double x));

#endif
