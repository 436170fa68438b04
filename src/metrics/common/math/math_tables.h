/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_MATH_MATH_TABLES_H
#define METRICS_COMMON_MATH_MATH_TABLES_H

/* Tables of the functions of math_functions.h. tools/math-tables computes them. */

#include <stdint.h>

enum {
    EXP_STEPS = 128,
    EXP_F32_STEPS = 32,
    LOG_STEPS = 128,
    LOG2_STEPS = 64,
    LOG2_F32_STEPS = 16,
    POW_LOG_STEPS = 128,
    SINE_STEPS = 32,        /* of a quarter of a turn */
    ARC_TANGENT_STEPS = 64, /* of the slopes up to 1 */
};

/* A number that is not rounded to binary64: the sum of both. */
typedef struct DoubleDouble {
    double hi, lo;
} DoubleDouble;

/* 2^(i/128) = (the number with the bits `bits` + i 2^45) (1 + rest) */
typedef struct ExpRow {
    double rest;
    uint64_t bits;
} ExpRow;

/* c, near the middle of a step, by its inverse, and its logarithm */
typedef struct LogRow {
    double inverse, log;
} LogRow;

typedef struct PowLogRow {
    double inverse, log, rest;
} PowLogRow;

extern const ExpRow math_exp_rows[EXP_STEPS];
extern const uint64_t math_exp_f32_bits[EXP_F32_STEPS]; /* of 2^(i/32), less i 2^47 */
extern const LogRow math_log_rows[LOG_STEPS];
extern const LogRow math_log2_rows[LOG2_STEPS];
extern const LogRow math_log2_f32_rows[LOG2_F32_STEPS];
extern const PowLogRow math_pow_log_rows[POW_LOG_STEPS];
extern const DoubleDouble math_sines[SINE_STEPS + 1];               /* of i pi/64 */
extern const DoubleDouble math_arc_tangents[ARC_TANGENT_STEPS + 1]; /* of i/64 */

#endif
