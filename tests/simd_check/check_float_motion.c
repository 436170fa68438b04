/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/row_sums.h"
#include "feature/float_motion/float_motion_kernels.h"
#include "simd_check/simd_check.h"

enum { MAX_TAPS = 5, MARGIN = MAX_TAPS / 2, VECTOR_COLUMNS = 16, MEASURED_WIDTH = 1920 };

static const float five_taps[] = {0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f,
                                  0.054488685f};

/* Numbers of which few sums are exact. */
static float *random_row(unsigned w, enum SimdGuard guard)
{
    float *row = simd_buffer((w + 2 * MARGIN) * sizeof(float), guard);
    for (unsigned x = 0; x < w + 2 * MARGIN; x++)
        row[x] = (float)(int)(simd_random() % 65536 - 32768) / 259;
    return row + MARGIN;
}

static void compare_width(const FloatMotionKernels *scalar, const FloatMotionKernels *vector,
                          unsigned w, enum SimdGuard guard)
{
    const size_t size = w * sizeof(float);
    float *expected = simd_buffer(size, guard), *actual = simd_buffer(size, guard);
    const float *rows[MAX_TAPS];
    for (int i = 0; i < MAX_TAPS; i++)
        rows[i] = random_row(w, guard);
    for (int deep = 0; deep < 2; deep++) {
        void *samples = simd_buffer(deep ? 2 * w : w, guard);
        simd_fill_samples(samples, w, deep ? 16 : 8, SIMD_NOISE);
        simd_case("load, %u columns, deep %d", w, deep);
        scalar->load(samples, deep, deep ? 1.0f / 256 : 1, expected, w);
        vector->load(samples, deep, deep ? 1.0f / 256 : 1, actual, w);
        simd_expect_equal(expected, actual, size);
    }
    for (int n_taps = 3; n_taps <= MAX_TAPS; n_taps += 2) {
        simd_case("columns, %u columns, %d taps", w, n_taps);
        scalar->filter_columns(rows, five_taps, n_taps, expected, w);
        vector->filter_columns(rows, five_taps, n_taps, actual, w);
        simd_expect_equal(expected, actual, size);
        simd_case("row, %u columns, %d taps", w, n_taps);
        scalar->filter_row(rows[0], five_taps, n_taps, expected, w);
        vector->filter_row(rows[0], five_taps, n_taps, actual, w);
        simd_expect_equal(expected, actual, size);
    }
    simd_case("differences, %u columns", w);
    scalar->differences(rows[0], rows[1], expected, w);
    vector->differences(rows[0], rows[1], actual, w);
    simd_expect_equal(expected, actual, size);
}

static void compare(unsigned cpu_flags)
{
    const FloatMotionKernels *scalar = float_motion_kernels(0);
    const FloatMotionKernels *vector = float_motion_kernels(cpu_flags);
    for (unsigned i = 0, w; (w = simd_width(i, VECTOR_COLUMNS)); i++) {
        for (int guard = 0; guard < SIMD_GUARDS; guard++)
            compare_width(scalar, vector, w, guard);
        simd_free_buffers();
    }
}

typedef struct Call {
    const FloatMotionKernels *kernels;
    const float *rows[ROW_SUMS];
    const uint8_t *samples;
    float *out;
} Call;

static void call_load(void *opaque)
{
    const Call *call = opaque;
    call->kernels->load(call->samples, false, 1, call->out, MEASURED_WIDTH);
}

static void call_filter_columns(void *opaque)
{
    const Call *call = opaque;
    call->kernels->filter_columns(call->rows, five_taps, MAX_TAPS, call->out, MEASURED_WIDTH);
}

static void call_filter_row(void *opaque)
{
    const Call *call = opaque;
    call->kernels->filter_row(call->rows[0], five_taps, MAX_TAPS, call->out, MEASURED_WIDTH);
}

static void call_differences(void *opaque)
{
    const Call *call = opaque;
    call->kernels->differences(call->rows[0], call->rows[1], call->out, MEASURED_WIDTH);
}

static void call_sum_rows(void *opaque)
{
    const Call *call = opaque;
    row_sums_f32(call->rows, MEASURED_WIDTH, call->out);
}

static void measure(unsigned cpu_flags)
{
    Call call = {.kernels = float_motion_kernels(cpu_flags)};
    call.samples = simd_buffer(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    call.out = simd_buffer(MEASURED_WIDTH * sizeof(float), SIMD_GUARD_AFTER);
    for (int i = 0; i < ROW_SUMS; i++)
        call.rows[i] = random_row(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    simd_measure("load, 8 bits", MEASURED_WIDTH, call_load, &call);
    simd_measure("columns, 5 taps", MEASURED_WIDTH, call_filter_columns, &call);
    simd_measure("row, 5 taps", MEASURED_WIDTH, call_filter_row, &call);
    simd_measure("differences", MEASURED_WIDTH, call_differences, &call);
    simd_measure("sums of 8 rows", ROW_SUMS * MEASURED_WIDTH, call_sum_rows, &call);
    simd_free_buffers();
}

const SimdCheck check_float_motion = {"float_motion", compare, measure};
