/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <string.h>

#include "metrics/speed/speed_internal.h"
#include "simd_check/simd_check.h"

enum { MAX_WIDTH = 300, MAX_ROWS = 35, ROUND = 16 };

typedef double PaddedSamples[SPEED_PADDED_SAMPLES];

static void fill(float *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = (float)(int)(simd_random() % 65536) / 256 - 128;
}

static void compare_rows(const SpeedFunctions *scalar, const SpeedFunctions *vector, unsigned w)
{
    const size_t size = w * sizeof(float);
    float *expected = simd_buffer(size, SIMD_GUARD_AFTER);
    float *actual = simd_buffer(size, SIMD_GUARD_AFTER);
    for (int deep = 0; deep < 2; deep++) {
        const size_t bytes = w * (deep ? 2 : 1);
        const float factor = deep ? 1.0f / 256 : 1;
        void *a = simd_buffer(bytes, SIMD_GUARD_AFTER), *b = simd_buffer(bytes, SIMD_GUARD_AFTER);
        simd_fill_samples(a, w, deep ? 16 : 8, SIMD_NOISE);
        simd_fill_samples(b, w, deep ? 16 : 8, SIMD_EXTREMES);
        simd_case("samples, %u columns, deep %d", w, deep);
        scalar->load_samples(a, deep, factor, expected, w);
        vector->load_samples(a, deep, factor, actual, w);
        simd_expect_equal(expected, actual, size);
        simd_case("differences, %u columns, deep %d", w, deep);
        scalar->load_differences(a, b, deep, factor, expected, w);
        vector->load_differences(a, b, deep, factor, actual, w);
        simd_expect_equal(expected, actual, size);
    }
}

static void compare_weights(const SpeedFunctions *scalar, const SpeedFunctions *vector, unsigned w)
{
    const unsigned padded = (w + ROUND - 1) / ROUND * ROUND;
    const size_t size = padded * sizeof(float);
    float *expected = simd_buffer(size, SIMD_GUARD_AFTER);
    float *actual = simd_buffer(size, SIMD_GUARD_AFTER);
    float taps[MAX_ROWS];
    const float *rows[MAX_ROWS];
    fill(taps, MAX_ROWS);
    for (int i = 0; i < MAX_ROWS; i++) {
        float *row = simd_buffer(size, SIMD_GUARD_AFTER);
        fill(row, padded);
        rows[i] = row;
    }
    for (int n_taps = 1; n_taps <= MAX_ROWS; n_taps += 2) {
        simd_case("weighted rows, %u columns, %d taps", w, n_taps);
        scalar->weigh_rows(rows, taps, n_taps, expected, w);
        vector->weigh_rows(rows, taps, n_taps, actual, w);
        simd_expect_equal(expected, actual, w * sizeof(float));
    }
}

static void compare_windows(const SpeedFunctions *scalar, const SpeedFunctions *vector, unsigned w)
{
    enum { HEIGHT = 11, EXTRA = 8 };
    const SpeedGeometry geometry = {.window_w = w, .window_h = HEIGHT - SPEED_BLOCK + 1};
    const size_t stride = w + EXTRA;
    float *plane = simd_buffer(stride * HEIGHT * sizeof(float), SIMD_GUARD_AFTER);
    fill(plane, stride * HEIGHT);
    float expected[SPEED_BLOCK][8], actual[SPEED_BLOCK][8];
    scalar->window_sums(plane, stride, &geometry, expected);
    vector->window_sums(plane, stride, &geometry, actual);
    simd_case("window sums, %u columns", w);
    for (int i = 0; i < SPEED_BLOCK; i++)
        simd_expect_equal(expected[i], actual[i], SPEED_BLOCK * sizeof(float));
}

static void fill_deviations(PaddedSamples *deviations, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        for (int j = 0; j < SPEED_BLOCK_SAMPLES; j++)
            deviations[i][j] = (double)(int)(simd_random() % 100000) / 7 - 7000;
    }
}

static void compare_products(const SpeedFunctions *scalar, const SpeedFunctions *vector, unsigned n)
{
    enum { SUMS_SIZE = SPEED_BLOCK_SAMPLES * sizeof(PaddedSamples) };
    PaddedSamples *deviations = simd_buffer(n * sizeof(*deviations), SIMD_GUARD_AFTER);
    PaddedSamples *expected = simd_buffer(SUMS_SIZE, SIMD_GUARD_AFTER);
    PaddedSamples *actual = simd_buffer(SUMS_SIZE, SIMD_GUARD_AFTER);
    for (int round = 0; round < 2; round++) { /* the second one adds to what is there */
        fill_deviations(deviations, n);
        scalar->add_products(deviations, n, expected);
        vector->add_products(deviations, n, actual);
        simd_case("products of %u windows, round %d", n, round);
        for (size_t a = 0; a < SPEED_BLOCK_SAMPLES; a++)
            simd_expect_equal(expected[a], actual[a], (a + 1) * sizeof(double));
    }
}

static void compare(unsigned cpu_flags)
{
    SpeedFunctions scalar, vector;
    speed_functions_init(&scalar, 0);
    speed_functions_init(&vector, cpu_flags);
    unsigned w;
    for (unsigned i = 0; (w = simd_width(i, ROUND)) != 0 && w <= MAX_WIDTH; i++) {
        compare_rows(&scalar, &vector, w);
        compare_weights(&scalar, &vector, w);
        compare_windows(&scalar, &vector, w);
        compare_products(&scalar, &vector, w);
        simd_free_buffers();
    }
}

enum { MEASURED = 64 };

typedef struct Arguments {
    SpeedFunctions functions;
    const float *rows[9];
    float *out;
    PaddedSamples *deviations, *sums;
} Arguments;

static void call_load(void *opaque)
{
    Arguments *a = opaque;
    a->functions.load_samples(a->rows[0], false, 1, a->out, MEASURED);
}

static void call_weigh(void *opaque)
{
    static const float taps[9] = {1, 2, 3, 4, 5, 4, 3, 2, 1};
    Arguments *a = opaque;
    a->functions.weigh_rows(a->rows, taps, 9, a->out, MEASURED);
}

static void call_products(void *opaque)
{
    Arguments *a = opaque;
    a->functions.add_products(a->deviations, MEASURED, a->sums);
}

static void measure(unsigned cpu_flags)
{
    Arguments a = {
        .out = simd_buffer(MEASURED * sizeof(float), SIMD_GUARD_BEFORE),
        .deviations = simd_buffer(MEASURED * sizeof(PaddedSamples), SIMD_GUARD_BEFORE),
        .sums = simd_buffer(SPEED_BLOCK_SAMPLES * sizeof(PaddedSamples), SIMD_GUARD_BEFORE),
    };
    for (int i = 0; i < 9; i++)
        a.rows[i] = simd_buffer(MEASURED * sizeof(float), SIMD_GUARD_BEFORE);
    fill_deviations(a.deviations, MEASURED);
    speed_functions_init(&a.functions, cpu_flags);
    simd_measure("samples", MEASURED, call_load, &a);
    simd_measure("weighted rows, 9 taps", MEASURED, call_weigh, &a);
    simd_measure("products", MEASURED, call_products, &a);
    simd_free_buffers();
}

const SimdCheck check_speed = {"speed", compare, measure};
