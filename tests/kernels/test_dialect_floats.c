/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Floating point of the kernel dialect on a device has the bits of the machine's. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "command_lists.h"
#include "fixture.h"
#include "float_cases.h"
#include "support/cases.h"
#include "test_sets.h"

enum { CASES = 32000, LANES = 64 };

static const float_check_args args = {.n = CASES};
static const uint32_t groups[3] = {CASES / LANES, 1, 1};

/* Whether a device of this kind takes the native kernel. */
static bool check_choice(const EmulatorOptions *options)
{
    static const char *const names[] = {"float_check", "double_check"};
    const VmafDeviceKernel *found[2];
    Fixture fixture;
    fixture_open_kernels(&fixture, test_kernel_set(layer_name), options);
    const bool is_exact = fixture.device->info.caps.exact_float32;
    assert_int_equal(vmaf_find_kernels(fixture.device, names, found, 2), 0);
    assert_string_equal(found[0]->kernel->name, is_exact ? "float_check_native" : "float_check");
    assert_string_equal(found[1]->kernel->name, "double_check");
    fixture_close(&fixture);
    return is_exact;
}

CASE(given_a_device_then_it_takes_native_kernels_if_it_is_exact)
{
    const EmulatorOptions inexact = {.no_exact_float32 = true};
    const bool is_exact = check_choice(NULL);
    if (is_emulator()) {
        assert_int_equal(is_exact, FLT_EVAL_METHOD == 0);
        assert_false(check_choice(&inexact));
    }
}

static void check_floats(const char *kernel)
{
    static uint32_t a[CASES], b[CASES], c[CASES], results[CASES][FLOAT_RESULTS];
    uint64_t state = 0x123456789abcdef;
    for (unsigned i = 0; i < CASES; i++) {
        const FloatCase given = float_case(&state);
        a[i] = given.a;
        b[i] = given.b;
        c[i] = given.c;
    }
    Fixture fixture;
    const FixtureBuffer buffers[] = {{.size = sizeof(a), .in = a},
                                     {.size = sizeof(b), .in = b},
                                     {.size = sizeof(c), .in = c},
                                     {.size = sizeof(results), .out = results}};
    fixture_open_kernels(&fixture, test_kernel_set(layer_name), NULL);
    assert_int_equal(fixture_run(&fixture, kernel, buffers, &args, groups), 0);
    fixture_close(&fixture);
    for (unsigned i = 0; i < CASES; i++) {
        uint32_t expected[FLOAT_RESULTS];
        float_expected((FloatCase){a[i], b[i], c[i]}, expected);
        for (unsigned k = 0; k < FLOAT_RESULTS; k++) {
            if (results[i][k] != expected[k])
                fail_msg("result %u of %08x, %08x, %08x: %08x instead of %08x", k, a[i], b[i], c[i],
                         results[i][k], expected[k]);
        }
    }
}

CASE(given_integer_kernels_then_binary32_is_as_the_machines)
{
    check_floats("float_check");
}

CASE(given_an_exact_device_then_native_kernels_have_the_same_bits)
{
    if (!check_choice(NULL))
        skip();
    check_floats("float_check_native");
}

CASE(given_integer_kernels_then_binary64_is_as_the_machines)
{
    static uint64_t a[CASES], b[CASES], results[CASES][DOUBLE_RESULTS];
    uint64_t seed = 0x123456789abcdef;
    for (unsigned i = 0; i < CASES; i++) {
        const DoubleCase given = double_case(&seed);
        a[i] = given.a;
        b[i] = given.b;
    }
    Fixture fixture;
    const FixtureBuffer buffers[] = {{.size = sizeof(a), .in = a},
                                     {.size = sizeof(b), .in = b},
                                     {.size = sizeof(results), .out = results}};
    fixture_open_kernels(&fixture, test_kernel_set(layer_name), NULL);
    assert_int_equal(fixture_run(&fixture, "double_check", buffers, &args, groups), 0);
    fixture_close(&fixture);
    for (unsigned i = 0; i < CASES; i++) {
        uint64_t expected[DOUBLE_RESULTS];
        double_expected((DoubleCase){a[i], b[i]}, expected);
        for (unsigned k = 0; k < DOUBLE_RESULTS; k++) {
            if (results[i][k] != expected[k])
                fail_msg("result %u of %016llx, %016llx: %016llx instead of %016llx", k,
                         (unsigned long long)a[i], (unsigned long long)b[i],
                         (unsigned long long)results[i][k], (unsigned long long)expected[k]);
        }
    }
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
