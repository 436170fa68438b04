/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Floating point in integers, as plain C, against the machine's, for many millions of operands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define KERNEL_NAME float_arithmetic
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "dialect/binary64.h"
#include "float_cases.h"
#include "kernels/float_results.h"

enum { CASES = 10000000 };

static void given_operands_then_binary32_is_as_the_machines(void **unused)
{
    uint64_t state = 88172645463325252u;
    (void)unused;
    for (unsigned n = 0; n < CASES; n++) {
        const FloatCase given = float_case(&state);
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

static void given_operands_then_binary64_is_as_the_machines(void **unused)
{
    uint64_t state = 88172645463325252u;
    (void)unused;
    for (unsigned n = 0; n < CASES; n++) {
        const DoubleCase given = double_case(&state);
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
static void given_squares_and_products_then_quotients_and_roots_are_exact(void **unused)
{
    (void)unused;
    for (uint32_t m = 0x3f800000; m < 0x40000000; m += 5) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_operands_then_binary32_is_as_the_machines),
        cmocka_unit_test(given_operands_then_binary64_is_as_the_machines),
        cmocka_unit_test(given_squares_and_products_then_quotients_and_roots_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
