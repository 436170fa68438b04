/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_moment/float_moment_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 64, MEASURED_WIDTH = 1920, LONG_WIDTH = 70000 };

static void compare_row(FloatMomentRow *scalar, FloatMomentRow *vector, unsigned w, unsigned bpc)
{
    for (int guard = 0; guard < SIMD_GUARDS; guard++) {
        void *row = simd_buffer(bpc > 8 ? 2 * (size_t)w : w, guard);
        for (int content = 0; content < SIMD_CONTENTS; content++) {
            uint64_t expected[2] = {1, 2}, actual[2] = {1, 2};
            simd_fill_samples(row, w, bpc, content);
            simd_case("%u columns, %u bits, content %d", w, bpc, content);
            scalar(row, w, &expected[0], &expected[1]);
            vector(row, w, &actual[0], &actual[1]);
            simd_expect_equal(expected, actual, sizeof(expected));
        }
    }
    simd_free_buffers();
}

static void compare_width(unsigned cpu_flags, unsigned w)
{
    const FloatMomentFunctions *scalar = float_moment_functions(0);
    const FloatMomentFunctions *vector = float_moment_functions(cpu_flags);
    compare_row(scalar->row_moments8, vector->row_moments8, w, 8);
    compare_row(scalar->row_moments12, vector->row_moments12, w, 10);
    compare_row(scalar->row_moments12, vector->row_moments12, w, 12);
}

static void compare(unsigned cpu_flags)
{
    for (unsigned i = 0, w; (w = simd_width(i, VECTOR_COLUMNS)); i++)
        compare_width(cpu_flags, w);
    compare_width(cpu_flags, LONG_WIDTH);
}

typedef struct Call {
    FloatMomentRow *function;
    const void *row;
} Call;

static void call_row(void *opaque)
{
    const Call *call = opaque;
    uint64_t first = 0, second = 0;
    call->function(call->row, MEASURED_WIDTH, &first, &second);
}

static void measure(unsigned cpu_flags)
{
    const FloatMomentFunctions *functions = float_moment_functions(cpu_flags);
    uint16_t *row = simd_buffer(MEASURED_WIDTH * sizeof(*row), SIMD_GUARD_AFTER);
    simd_fill_samples(row, MEASURED_WIDTH, 10, SIMD_NOISE);
    Call bytes = {functions->row_moments8, row}, words = {functions->row_moments12, row};
    simd_measure("row, 8 bits", MEASURED_WIDTH, call_row, &bytes);
    simd_measure("row, 10 bits", MEASURED_WIDTH, call_row, &words);
    simd_free_buffers();
}

const SimdCheck check_float_moment = {"float_moment", compare, measure};
