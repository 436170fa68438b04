/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Floating point in integers, as plain C, against the machine's, for many millions of operands. */
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

#define KERNEL_NAME float_arithmetic
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "dialect/binary64.h"
#include "float_cases.h"
#include "kernels/float_results.h"

/* What is sampled: a tenth, unless all is wanted. */
static unsigned sparse = 10;

enum { CASES = 10000000 };

CASE(given_operands_then_binary32_is_as_the_machines)
{
    uint64_t seed = 88172645463325252u;
    for (unsigned n = 0; n < CASES / sparse; n++) {
        const FloatCase given = float_case(&seed);
        const f32 a = f32_of_bits(given.a), b = f32_of_bits(given.b), c = f32_of_bits(given.c);
        uint32_t results[FLOAT_RESULTS], expected[FLOAT_RESULTS];
#define STORE(number, bits) results[number] = bits;
        FLOAT_RESULTS_OF(STORE)
#undef STORE
        float_expected(given, expected);
        for (unsigned i = 0; i < FLOAT_RESULTS; i++) {
            if (results[i] != expected[i])
                fail_msg("result %u of %08x, %08x, %08x: %08x instead of %08x", i, given.a, given.b,
                         given.c, results[i], expected[i]);
        }
    }
}

CASE(given_operands_then_binary64_is_as_the_machines)
{
    uint64_t seed = 88172645463325252u;
    for (unsigned n = 0; n < CASES / sparse; n++) {
        const DoubleCase given = double_case(&seed);
        const f64 a = f64_of_bits(given.a), b = f64_of_bits(given.b);
        uint64_t results[DOUBLE_RESULTS], expected[DOUBLE_RESULTS];
#define STORE(number, bits) results[number] = bits;
        DOUBLE_RESULTS_OF(STORE)
#undef STORE
        double_expected(given, expected);
        for (unsigned i = 0; i < DOUBLE_RESULTS; i++) {
            if (results[i] != expected[i])
                fail_msg("result %u of %016llx, %016llx: %016llx instead of %016llx", i,
                         (unsigned long long)given.a, (unsigned long long)given.b,
                         (unsigned long long)results[i], (unsigned long long)expected[i]);
        }
    }
}

/* Quotients and roots whose last digit is decided by the rest: every mantissa's neighbourhood of a
 * random one. */
CASE(given_squares_and_products_then_quotients_and_roots_are_exact)
{
    for (uint32_t m = 0x3f800000; m < 0x40000000; m += 4 * sparse + 1) {
        const uint32_t other = 0x3f800000 + m * 2654435761u % 0x800000;
        FloatCase given = {.c = 0x3f800000};
        uint32_t expected[FLOAT_RESULTS];
        float_expected((FloatCase){.a = m, .b = other}, expected);
        given = (FloatCase){.a = expected[2] - 1 + m % 3, .b = m};
        float_expected(given, expected);
        assert_int_equal(bits_of_f32(div_f32(f32_of_bits(given.a), f32_of_bits(m))), expected[3]);
        float_expected((FloatCase){.a = m, .b = m}, expected);
        given = (FloatCase){.a = expected[2] - 1 + m % 3};
        float_expected(given, expected);
        assert_int_equal(bits_of_f32(sqrt_f32(f32_of_bits(given.a))), expected[4]);
    }
}

/* Divisors whose reciprocal is nearly exact (the first approximation has no error at 0.75, and at
 * 0.75 +- sqrt(3) / 8), and quotients just below an integer of 25 bits: the reciprocal must not be
 * too large there. */
CASE(given_nearly_exact_reciprocals_then_quotients_are_exact)
{
    static const double exact[] = {0.75, 0.5334936490538903, 0.9665063509461097};
    enum { NEAR = 2000, QUOTIENTS = 500 };
    uint64_t seed = 88172645463325252u;
    for (unsigned i = 0; i < sizeof(exact) / sizeof(exact[0]); i++) {
        const uint32_t middle = (uint32_t)(exact[i] * 0x1000000);
        for (uint32_t divisor = middle - NEAR; divisor <= middle + NEAR; divisor++) {
            for (unsigned n = 0; n < QUOTIENTS / sparse; n++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const uint64_t quotient = (1u << 24) + (uint32_t)(seed >> 40);
                const uint32_t dividend = (uint32_t)(quotient * divisor >> 24);
                const float result = (float)dividend / (float)divisor;
                const f32 ours = div_f32(f32_of_u32(dividend), f32_of_u32(divisor));
                if (memcmp(&ours, &result, sizeof(result)) != 0)
                    fail_msg("%u / %u: %08x", dividend, divisor, bits_of_f32(ours));
            }
        }
    }
}

int main(int argc, char **argv)
{
    if (getenv("VMAF_TEST_ALL"))
        sparse = 1;
    return run_cases(argc, argv);
}
