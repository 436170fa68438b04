/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ansnr/float_ansnr_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 16, MEASURED_WIDTH = 1920 };

static const float taps[ANSNR_TAPS] = {7.0f / 571, 31.0f / 571, 52.0f / 571, 31.0f / 571,
                                       7.0f / 571};

/* Numbers of which few sums are exact. */
static float *random_row(unsigned w, enum SimdGuard guard)
{
    float *row = simd_buffer((w + 2 * ANSNR_RADIUS) * sizeof(float), guard);
    for (unsigned x = 0; x < w + 2 * ANSNR_RADIUS; x++)
        row[x] = (float)(int)(simd_random() % 65536 - 32768) / 259;
    return row + ANSNR_RADIUS;
}

static int32_t *random_columns(unsigned w, enum SimdGuard guard)
{
    int32_t *columns = simd_buffer((w + 2) * sizeof(*columns), guard);
    simd_fill_int32(columns, w + 2, 4 * 65535, SIMD_NOISE);
    return columns + 1;
}

static void compare_samples(const AnsnrFunctions *scalar, const AnsnrFunctions *vector, unsigned w,
                            enum SimdGuard guard)
{
    for (int deep = 0; deep < 2; deep++) {
        void *rows[3];
        float *expected = simd_buffer(w * sizeof(float), guard);
        float *actual = simd_buffer(w * sizeof(float), guard);
        int32_t *expected_sums = simd_buffer(w * sizeof(int32_t), guard);
        int32_t *actual_sums = simd_buffer(w * sizeof(int32_t), guard);
        for (int i = 0; i < 3; i++) {
            rows[i] = simd_buffer(deep ? 2 * w : w, guard);
            simd_fill_samples(rows[i], w, deep ? 16 : 8, i ? SIMD_NOISE : SIMD_EXTREMES);
        }
        simd_case("load, %u columns, deep %d", w, deep);
        scalar->load(rows[1], deep, deep ? 1.0f / 256 : 1, expected, w);
        vector->load(rows[1], deep, deep ? 1.0f / 256 : 1, actual, w);
        simd_expect_equal(expected, actual, w * sizeof(float));
        simd_case("columns, %u columns, deep %d", w, deep);
        scalar->sum_columns(rows[0], rows[1], rows[2], deep, expected_sums, w);
        vector->sum_columns(rows[0], rows[1], rows[2], deep, actual_sums, w);
        simd_expect_equal(expected_sums, actual_sums, w * sizeof(int32_t));
    }
}

static void compare_sums(const AnsnrFunctions *scalar, const AnsnrFunctions *vector, unsigned w,
                         enum SimdGuard guard)
{
    const size_t size = w * sizeof(float);
    float *expected = simd_buffer(size, guard), *actual = simd_buffer(size, guard);
    float *expected_noise = simd_buffer(size, guard), *actual_noise = simd_buffer(size, guard);
    const float *rows[ANSNR_TAPS];
    for (int i = 0; i < ANSNR_TAPS; i++)
        rows[i] = random_row(w, guard);
    const int32_t *columns = random_columns(w, guard);
    simd_case("taps, %u columns", w);
    scalar->sum_taps(rows[0], taps, expected, w);
    vector->sum_taps(rows[0], taps, actual, w);
    simd_expect_equal(expected, actual, size);
    simd_case("squares, %u columns", w);
    scalar->squares(columns, 1.0f / 4096, rows, expected, expected_noise, w);
    vector->squares(columns, 1.0f / 4096, rows, actual, actual_noise, w);
    simd_expect_equal(expected, actual, size);
    simd_expect_equal(expected_noise, actual_noise, size);
}

static void compare(unsigned cpu_flags)
{
    const AnsnrFunctions *scalar = ansnr_functions(0), *vector = ansnr_functions(cpu_flags);
    for (unsigned i = 0, w; (w = simd_width(i, VECTOR_COLUMNS)); i++) {
        for (int guard = 0; guard < SIMD_GUARDS; guard++) {
            compare_samples(scalar, vector, w, guard);
            compare_sums(scalar, vector, w, guard);
        }
        simd_free_buffers();
    }
}

typedef struct Call {
    const AnsnrFunctions *functions;
    const float *rows[ANSNR_TAPS];
    const int32_t *columns;
    float *out, *noise;
} Call;

static void call_sum_taps(void *opaque)
{
    const Call *call = opaque;
    call->functions->sum_taps(call->rows[0], taps, call->out, MEASURED_WIDTH);
}

static void call_squares(void *opaque)
{
    const Call *call = opaque;
    call->functions->squares(call->columns, 1.0f / 16, call->rows, call->out, call->noise,
                             MEASURED_WIDTH);
}

static void measure(unsigned cpu_flags)
{
    Call call = {.functions = ansnr_functions(cpu_flags)};
    call.columns = random_columns(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    call.out = simd_buffer(MEASURED_WIDTH * sizeof(float), SIMD_GUARD_AFTER);
    call.noise = simd_buffer(MEASURED_WIDTH * sizeof(float), SIMD_GUARD_AFTER);
    for (int i = 0; i < ANSNR_TAPS; i++)
        call.rows[i] = random_row(MEASURED_WIDTH, SIMD_GUARD_AFTER);
    simd_measure("taps", MEASURED_WIDTH, call_sum_taps, &call);
    simd_measure("squares", MEASURED_WIDTH, call_squares, &call);
    simd_free_buffers();
}

const SimdCheck check_float_ansnr = {"float_ansnr", compare, measure};
