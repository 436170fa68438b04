/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/float_vif/float_vif.h"
#include "metrics/float_vif/float_vif_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 16, MAX_COLUMNS = 1024, GROUP = FLOAT_VIF_GROUP };
enum { MAX_ROWS = FLOAT_VIF_MAX_TAPS + GROUP - 1 };

static float *row_of(unsigned w)
{
    return simd_buffer((w + FLOAT_VIF_PADDING) * sizeof(float), SIMD_GUARD_AFTER);
}

/* Samples around 0, times a factor. */
static float *filled_row(unsigned w, enum SimdContent content, float factor)
{
    int32_t values[MAX_COLUMNS];
    float *row = row_of(w);
    simd_fill_int32(values, w, 32767, content);
    for (unsigned x = 0; x < w; x++)
        row[x] = (float)values[x] / 256 * factor;
    return row;
}

static void compare_weighted_sums(const FloatVifFunctions *scalar, const FloatVifFunctions *vector,
                                  unsigned w, double kernelscale, int scale,
                                  enum SimdContent content)
{
    const FloatVifWindow window = float_vif_window(kernelscale, scale);
    const int n_taps = 2 * window.radius + 1;
    const float *rows[MAX_ROWS];
    float *expected[GROUP], *actual[GROUP];
    for (int k = 0; k < n_taps + GROUP - 1; k++)
        rows[k] = filled_row(w, content, 1);
    for (int r = 0; r < GROUP; r++) {
        expected[r] = row_of(w);
        actual[r] = row_of(w);
    }
    simd_case("%d taps, %u columns, content %d", n_taps, w, content);
    for (int r = 0; r < GROUP; r++)
        scalar->weighted_sum(rows + r, window.taps, n_taps, expected[r], w);
    vector->weighted_sum(rows, window.taps, n_taps, actual[0], w);
    simd_expect_equal(expected[0], actual[0], w * sizeof(float));
    vector->weighted_sums(rows, window.taps, n_taps, actual, w);
    for (int r = 0; r < GROUP; r++)
        simd_expect_equal(expected[r], actual[r], w * sizeof(float));
    simd_free_buffers();
}

static void compare_products(const FloatVifFunctions *scalar, const FloatVifFunctions *vector,
                             unsigned w, enum SimdContent content)
{
    const float *a = filled_row(w, content, 1), *b = filled_row(w, SIMD_NOISE, 1);
    float *out[2][3];
    for (int i = 0; i < 2; i++) {
        for (int p = 0; p < 3; p++)
            out[i][p] = row_of(w);
        (i ? vector : scalar)->products(a, b, out[i][0], out[i][1], out[i][2], w);
    }
    simd_case("products, %u columns, content %d", w, content);
    for (int p = 0; p < 3; p++)
        simd_expect_equal(out[0][p], out[1][p], w * sizeof(float));
    simd_free_buffers();
}

static FloatVifMoments moments_of(unsigned w, enum SimdContent content)
{
    return (FloatVifMoments){
        .mean_ref = filled_row(w, content, 1),
        .mean_dist = filled_row(w, SIMD_SLOPE, 1),
        .ref_ref = filled_row(w, content, 120),
        .dist_dist = filled_row(w, SIMD_NOISE, 120),
        .ref_dist = filled_row(w, content, 90),
    };
}

static void compare_information(const FloatVifFunctions *scalar, const FloatVifFunctions *vector,
                                unsigned w, enum SimdContent content)
{
    /* The second noise variance has no exact inverse. */
    static const FloatVifParameters parameters[] = {
        {100, 2, 0.5f, 4.0f / 65025}, {1, 1.3, 0, 1.69f / 65025}, {1.5f, 0, 0, 0}};
    FloatVifMoments moments[GROUP];
    for (int r = 0; r < GROUP; r++)
        moments[r] = moments_of(w, content);
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        FloatVifSums expected[GROUP], actual[GROUP];
        simd_case("information, %u columns, content %d, noise %g", w, content,
                  parameters[i].noise_variance);
        for (int r = 0; r < GROUP; r++)
            scalar->information(&moments[r], 1, &parameters[i], w, &expected[r]);
        vector->information(moments, 1, &parameters[i], w, actual);
        simd_expect_equal(expected, actual, sizeof(expected[0]));
        vector->information(moments, GROUP, &parameters[i], w, actual);
        simd_expect_equal(expected, actual, sizeof(expected));
    }
    simd_free_buffers();
}

static void compare(unsigned cpu_flags)
{
    FloatVifFunctions scalar, vector;
    float_vif_functions_init(&scalar, 0);
    float_vif_functions_init(&vector, cpu_flags);
    for (int c = 0; c < SIMD_CONTENTS; c++) {
        const enum SimdContent content = (enum SimdContent)c;
        for (unsigned i = 0, w; (w = simd_width(i, VECTOR_COLUMNS)) != 0; i++) {
            for (int scale = 0; scale < 4; scale++)
                compare_weighted_sums(&scalar, &vector, w, 1, scale, content);
            compare_weighted_sums(&scalar, &vector, w, 360.0 / 97, 0, content);
            compare_products(&scalar, &vector, w, content);
            compare_information(&scalar, &vector, w, content);
        }
    }
}

/* -- measurement -- */

enum { BENCH_COLUMNS = 960 };

typedef struct Bench {
    FloatVifFunctions functions;
    FloatVifWindow window;
    FloatVifMoments moments[GROUP];
    FloatVifSums sums[GROUP];
    const float *rows[MAX_ROWS];
    float *out[GROUP];
} Bench;

static void call_weighted_sum(void *argument)
{
    Bench *b = argument;
    b->functions.weighted_sum(b->rows, b->window.taps, 2 * b->window.radius + 1, b->out[0],
                              BENCH_COLUMNS);
}

static void call_weighted_sums(void *argument)
{
    Bench *b = argument;
    b->functions.weighted_sums(b->rows, b->window.taps, 2 * b->window.radius + 1, b->out,
                               BENCH_COLUMNS);
}

static void call_information(void *argument)
{
    Bench *b = argument;
    const FloatVifParameters parameters = {100, 2, 0.5f, 4.0f / 65025};
    b->functions.information(b->moments, GROUP, &parameters, BENCH_COLUMNS, b->sums);
}

static void measure(unsigned cpu_flags)
{
    Bench b = {.window = float_vif_window(1, 0)};
    float_vif_functions_init(&b.functions, cpu_flags);
    for (int k = 0; k < MAX_ROWS; k++)
        b.rows[k] = filled_row(BENCH_COLUMNS, SIMD_NOISE, 1);
    for (int r = 0; r < GROUP; r++) {
        b.moments[r] = moments_of(BENCH_COLUMNS, SIMD_SLOPE);
        b.out[r] = row_of(BENCH_COLUMNS);
    }
    simd_measure("17 taps, one row", BENCH_COLUMNS, call_weighted_sum, &b);
    simd_measure("17 taps, four rows", GROUP * BENCH_COLUMNS, call_weighted_sums, &b);
    simd_measure("information", GROUP * BENCH_COLUMNS, call_information, &b);
}

const SimdCheck check_float_vif = {"float_vif", compare, measure};
