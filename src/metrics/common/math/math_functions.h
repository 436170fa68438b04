/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_MATH_FUNCTIONS_H
#define METRICS_COMMON_MATH_MATH_FUNCTIONS_H

/*
 * The functions of <math.h> that scores go through and that C libraries round differently. These
 * give the same bits on every machine with IEEE arithmetic that rounds to nearest: those of
 * glibc 2.36 on x86-64 with FMA. sin, cos and atan2 are what is correctly rounded but for one
 * argument in 2^25, and glibc's differ from that in the last bit now and then; docs/reliability.md
 * has figures.
 *
 * Without FMA instructions they take up to nine times as many others. Special cases are those of
 * annex F of C11, except that nothing sets errno or promises exceptions of the floating-point
 * environment, and that the sign of a result that is not a number is unspecified. All are
 * thread-safe.
 */

#include <stdbool.h>

double math_exp(double x);
double math_log(double x);
double math_log2(double x);
double math_log10(double x);
double math_pow(double x, double y);
float math_powf(float x, float y);
double math_atan2(double y, double x);

/* For angles up to 2^15 radians in magnitude. Beyond that the result is not a number: no metric has
 * such angles. */
double math_sin(double x);
double math_cos(double x);

/*
 * Both variants of these functions, for tests: their results are equal. Those
 * that end in _hardware may be called where the processor has FMA (math_has_fma). Where compilers
 * know of no such instruction, they are the others.
 */

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
