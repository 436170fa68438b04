/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The functions that scores go through: special cases, and results that are known to be exact. What
 * they give elsewhere is in math_hashes.c. */

#include <math.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_internal.h"
#include "special_cases.h"
#include "support/cases.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Signs of zeros count, those of NaNs do not. */
static bool is_same(double a, double b)
{
    return isnan(a) ? isnan(b) : bits_of(a) == bits_of(b);
}

static void expect(const char *name, const SpecialCase *c, double result)
{
    if (!is_same(result, c->result))
        fail_msg("%s(%a, %a) is %a, and not %a", name, c->x, c->y, result, c->result);
}

typedef double Unary(double x);
typedef double Binary(double x, double y);

/* A function, and what it is with and without the processor's fused multiplication and addition. */
typedef struct Variants {
    Unary *unary[3];
    Binary *binary[3]; /* if it has two arguments */
} Variants;

static void expect_variants(const char *name, const SpecialCase *c, Variants variants)
{
    for (int i = 0; i < (math_has_fma() ? 3 : 2); i++)
        expect(name, c,
               variants.unary[i] ? variants.unary[i](c->x) : variants.binary[i](c->x, c->y));
}

static void expect_cases(const char *name, SpecialCases cases, Variants variants)
{
    for (size_t i = 0; i < cases.n; i++)
        expect_variants(name, &cases.cases[i], variants);
}

static void expect_column(const char *name, SpecialRows rows, size_t column, Variants variants)
{
    for (size_t i = 0; i < rows.n; i++) {
        const SpecialCase c = {rows.rows[i].x, rows.y ? rows.y[column] : 0,
                               rows.rows[i].results[column]};
        expect_variants(name, &c, variants);
    }
}

static void expect_rows(const char *name, SpecialRows rows, Variants variants)
{
    for (size_t k = 0; k < rows.columns; k++)
        expect_column(name, rows, k, variants);
}

/* powf with the type of pow */
#define WIDENED(name)                                                                              \
    static double widened_##name(double x, double y)                                               \
    {                                                                                              \
        return name((float)x, (float)y);                                                           \
    }
WIDENED(math_powf)
WIDENED(math_powf_hardware)
WIDENED(math_powf_software)

#define UNARY(name)  ((Variants){.unary = {name, name##_software, name##_hardware}})
#define BINARY(name) ((Variants){.binary = {name, name##_software, name##_hardware}})

static void expect_powers(const char *name, SpecialCases cases, Variants variants)
{
    expect_rows(name, special_rows_of_power, variants);
    expect_rows(name, special_rows_of_few_powers, variants);
    expect_cases(name, cases, variants);
}

CASE(test_special_cases_are_those_of_c11)
{
    expect_cases("exp", special_cases_of_exp, UNARY(math_exp));
    expect_cases("log", special_cases_of_log, UNARY(math_log));
    expect_column("log", special_rows_of_logs, 0, UNARY(math_log));
    expect_cases("log2", special_cases_of_log2, UNARY(math_log2));
    expect_column("log2", special_rows_of_logs, 1, UNARY(math_log2));
    expect_cases("log10", special_cases_of_log10, UNARY(math_log10));
    expect_column("log10", special_rows_of_logs, 2, UNARY(math_log10));
    expect_powers("pow", special_cases_of_pow, BINARY(math_pow));
    expect_powers("powf", special_cases_of_powf, BINARY(widened_math_powf));
    expect_cases("sin", special_cases_of_sin, UNARY(math_sin));
    expect_column("sin", special_rows_of_sin_cos, 0, UNARY(math_sin));
    expect_cases("cos", special_cases_of_cos, UNARY(math_cos));
    expect_column("cos", special_rows_of_sin_cos, 1, UNARY(math_cos));
    expect_cases("atan2", special_cases_of_atan2, BINARY(math_atan2));
    expect_rows("atan2", special_rows_of_atan2, BINARY(math_atan2));
}

CASE(test_powers_of_two_are_exact)
{
    for (int k = -1074; k <= 1023; k++) {
        const double power = ldexp(1, k);
        assert_true(math_log2(power) == k);
        assert_true(math_pow(2, k) == power);
        assert_true(math_pow(-0.5, -k) == (k % 2 ? -power : power));
        assert_true(math_pow(power, 1) == power);
        if (k >= -149 && k <= 127) {
            assert_true(math_powf(2, (float)k) == (float)power);
            assert_true(math_powf((float)power, 1) == (float)power);
        }
    }
}

CASE(test_powers_of_integers_are_exact)
{
    for (int base = -50; base <= 50; base++) {
        double power = 1;
        for (int k = 1; fabs(power * base) < 0x1p53 && k < 60; k++) {
            power *= base;
            assert_true(math_pow(base, k) == power);
            if (fabs(power) < 0x1p24)
                assert_true(math_powf((float)base, (float)k) == (float)power);
            if (base == 10)
                assert_true(math_log10(power) == k);
        }
    }
}

CASE(test_sines_and_angles_are_symmetric)
{
    for (int i = 0; i < 10000; i++) {
        const double x = i * 0x1.0f5p-8, y = i * 0x1.8a3p-9 + 1;
        assert_true(math_sin(-x) == -math_sin(x) && math_cos(-x) == math_cos(x));
        assert_true(math_atan2(-y, x) == -math_atan2(y, x));
        assert_true(fabs(math_sin(x) * math_sin(x) + math_cos(x) * math_cos(x) - 1) < 0x1p-51);
        assert_true(fabs(math_atan2(y, x) + math_atan2(x, y) - acos(0)) < 0x1p-51);
    }
}

static uint64_t seed = 1;

static uint64_t random_bits(void)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 11; /* 53 of them */
}

/* Integers of so many bits. */
static int64_t integer(unsigned bits)
{
    const int64_t magnitude = (int64_t)(random_bits() >> (53 - bits));
    return random_bits() % 2 ? magnitude : -magnitude;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 Wide;

/* The sum of a product and a number, by whole numbers: a, b and c are integers, c times 2^shift. */
static double exact_sum(int64_t a, int64_t b, int64_t c, unsigned shift)
{
    const Wide sum = (Wide)a * b + c * ((Wide)1 << shift);
    /* Conversion of integers rounds to the nearest, ties to even, as everything does. */
    return (double)sum;
}
#endif

CASE(test_fused_operations_in_software_round_once)
{
#ifdef __SIZEOF_INT128__
    for (int i = 0; i < 2000000; i++) {
        const int64_t a = integer(1 + (unsigned)(random_bits() % 53));
        const int64_t b = integer(1 + (unsigned)(random_bits() % 53));
        const unsigned shift = (unsigned)(random_bits() % 70);
        int64_t c = integer(1 + (unsigned)(random_bits() % 53));
        if (i % 4 == 0) { /* nearly as large as the product, of the other sign */
            const double opposite = -((double)a * (double)b * ldexp(1, -(int)shift));
            if (fabs(opposite) > 0x1p53)
                continue;
            c = (int64_t)opposite;
        }
        const double expected = exact_sum(a, b, c, shift);
        const double sum = math_fused((double)a, (double)b, ldexp((double)c, (int)shift), false);
        if (sum != expected)
            fail_msg("%a * %a + %a is %a, and not %a", (double)a, (double)b,
                     ldexp((double)c, (int)shift), sum, expected);
    }
#else
    skip();
#endif
}

/* Sums that lie, by a part far below the last bit, beside the middle between two numbers. */
CASE(test_fused_operations_in_software_break_ties)
{
    const double unit = 0x1p-52, half = 0x1p-53;
    assert_true(math_fused(half, 1, 1, false) == 1);
    assert_true(math_fused(half, 1, 1 + unit, false) == 1 + 2 * unit);
    assert_true(math_fused(half, 1 + unit, 1, false) == 1 + unit);
    assert_true(math_fused(half, 1 - half, 1 + unit, false) == 1 + unit);
    assert_true(math_fused(-half, 1 + unit, 1 + 2 * unit, false) == 1 + unit);
    assert_true(math_fused(-half, 1 - half, 1 + unit, false) == 1 + unit);
    /* What is left beside the middle is too small for a sum of the parts that are left. */
    assert_true(math_fused(half * (1 + 0x1p-30), 1 - 0x1p-30, 1 + unit, false) == 1 + unit);
    assert_true(math_fused(-half * (1 + 0x1p-30), 1 - 0x1p-30, 1 + unit, false) == 1 + unit);
    assert_true(math_fused(half * (1 + 0x1p-30), 1 - 0x1p-30, -1 - 3 * unit, false) ==
                -1 - 3 * unit);
    assert_true(math_fused(1 + unit, 1 + unit, -1, false) == 2 * unit + unit * unit);
    assert_true(math_fused(1 + unit, 1 - unit, -1, false) == -unit * unit);
}
