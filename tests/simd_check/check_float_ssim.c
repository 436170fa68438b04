/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/float_ssim/ssim_internal.h"
#include "simd_check/simd_check.h"

enum { VECTOR_COLUMNS = 16, MAX_LANES = 8, MAX_COLUMNS = 1024 };

/* As the kernels have it: rows end with SSIM_PADDING more samples. */
static float *row_of(unsigned w)
{
    return simd_buffer((w + SSIM_PADDING) * sizeof(float), SIMD_GUARD_AFTER);
}

/* Samples of pictures, or, if signed, of planes: also negative and of any size. */
static void fill(float *row, size_t n, enum SimdContent content, bool is_signed)
{
    int32_t values[MAX_COLUMNS + SSIM_PADDING];
    simd_fill_int32(values, n, 32767, content);
    for (size_t x = 0; x < n; x++) {
        row[x] = (float)(values[x] + (is_signed ? 0 : 32767)) / 256;
        if (is_signed)
            row[x] = ldexpf(row[x], -(int)(simd_random() % 32));
    }
}

/* -- windows -- */

typedef struct Dealing {
    size_t segment, n, n_steps;
} Dealing;

static Dealing dealing_of(unsigned w, unsigned lanes)
{
    Dealing d = {.segment = (w + lanes - 1) / lanes};
    d.n = d.segment + SSIM_IN_PROGRESS;
    d.n_steps = (d.n + SSIM_TAPS - 1) / SSIM_TAPS * SSIM_TAPS;
    return d;
}

static uint64_t *deal(const SsimFunctions *functions, const float *row, const Dealing *d)
{
    const size_t fours = (d->n + 3) / 4 * 4, n = fours > d->n_steps ? fours : d->n_steps;
    uint64_t *dealt = simd_buffer(n * functions->lanes * sizeof(*dealt), SIMD_GUARD_AFTER);
    functions->deal(dealt, row, d->segment, d->n);
    return dealt;
}

/* The outputs of a filtered row in their order. */
static void collect(float *out, const float *filtered, const Dealing *d, unsigned lanes, unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        out[x] = filtered[(x % d->segment + SSIM_IN_PROGRESS) * lanes + x / d->segment];
}

enum { ROW, PRODUCT, FILTERED };

static void filter_rows(const SsimFunctions *functions, const float *a, const float *b, unsigned w,
                        bool is_signed, float out[FILTERED][MAX_COLUMNS])
{
    const Dealing d = dealing_of(w, functions->lanes);
    const uint64_t *dealt_a = deal(functions, a, &d), *dealt_b = deal(functions, b, &d);
    float *filtered =
        simd_buffer(d.n_steps * functions->lanes * sizeof(*filtered), SIMD_GUARD_AFTER);
    functions->filter_row(filtered, dealt_a, d.n_steps, is_signed);
    collect(out[ROW], filtered, &d, functions->lanes, w);
    functions->filter_product(filtered, dealt_a, dealt_b, d.n_steps, is_signed);
    collect(out[PRODUCT], filtered, &d, functions->lanes, w);
}

static void compare_filter_rows(const SsimFunctions *scalar, const SsimFunctions *vector,
                                unsigned w, enum SimdContent content, bool is_signed)
{
    static float expected[FILTERED][MAX_COLUMNS], actual[FILTERED][MAX_COLUMNS];
    const unsigned w_in = w + SSIM_IN_PROGRESS;
    float *a = row_of(w_in), *b = row_of(w_in);
    fill(a, w_in, content, is_signed);
    fill(b, w_in, SIMD_NOISE, is_signed);
    simd_case("along rows, %u columns, content %d, signed %d", w, content, is_signed);
    filter_rows(scalar, a, b, w, is_signed, expected);
    filter_rows(vector, a, b, w, is_signed, actual);
    for (int i = 0; i < FILTERED; i++)
        simd_expect_equal(expected[i], actual[i], w * sizeof(float));
}

/* All rows of two bands. */
static float *filter_columns(const SsimFunctions *functions, const float *samples, unsigned w,
                             bool is_signed)
{
    enum { ROWS = 2 * SSIM_TAPS };
    const size_t n = (w + functions->lanes - 1) / functions->lanes, stride = n * functions->lanes;
    float *rows = simd_buffer(ROWS * stride * sizeof(*rows), SIMD_GUARD_AFTER);
    double *in_progress =
        simd_buffer(SSIM_IN_PROGRESS * stride * sizeof(*in_progress), SIMD_GUARD_AFTER);
    float *out = simd_buffer(ROWS * w * sizeof(*out), SIMD_GUARD_AFTER);
    for (size_t y = 0; y < ROWS; y++)
        memcpy(rows + y * stride, samples + y * w, w * sizeof(float));
    for (size_t y = 0; y < ROWS; y += SSIM_TAPS)
        functions->filter_columns(rows + y * stride, stride, in_progress, n, is_signed);
    for (size_t y = 0; y < ROWS; y++)
        memcpy(out + y * w, rows + y * stride, w * sizeof(float));
    return out;
}

static void compare_filter_columns(const SsimFunctions *scalar, const SsimFunctions *vector,
                                   unsigned w, enum SimdContent content, bool is_signed)
{
    const size_t n_samples = 2 * (size_t)SSIM_TAPS * w;
    float *samples = simd_buffer(n_samples * sizeof(float), SIMD_GUARD_AFTER);
    for (size_t y = 0; y < 2 * SSIM_TAPS; y++)
        fill(samples + y * w, w, content, is_signed);
    simd_case("along columns, %u columns, content %d, signed %d", w, content, is_signed);
    simd_expect_equal(filter_columns(scalar, samples, w, is_signed),
                      filter_columns(vector, samples, w, is_signed), n_samples * sizeof(float));
}

/* -- similarity -- */

static void compare_similarity(const SsimFunctions *scalar, const SsimFunctions *vector, unsigned w,
                               enum SimdContent content)
{
    const float *means[SSIM_MOMENTS];
    for (int m = 0; m < SSIM_MOMENTS; m++) {
        float *row = simd_buffer(w * sizeof(*row), SIMD_GUARD_AFTER);
        fill(row, w, content, m == SSIM_REF_DIST);
        means[m] = row;
    }
    SsimSimilarity out[2];
    for (int i = 0; i < 2; i++) {
        out[i].luminance = simd_buffer(w * sizeof(double), SIMD_GUARD_AFTER);
        out[i].contrast = simd_buffer(w * sizeof(double), SIMD_GUARD_AFTER);
        out[i].structure = simd_buffer(w * sizeof(float), SIMD_GUARD_AFTER);
        (i ? vector : scalar)->similarity(&out[i], means, w);
    }
    simd_case("similarity, %u columns, content %d", w, content);
    simd_expect_equal(out[0].luminance, out[1].luminance, w * sizeof(double));
    simd_expect_equal(out[0].contrast, out[1].contrast, w * sizeof(double));
    simd_expect_equal(out[0].structure, out[1].structure, w * sizeof(float));
}

/* -- the next scale -- */

static void compare_pyramid_row(const SsimFunctions *scalar, const SsimFunctions *vector,
                                unsigned w, enum SimdContent content)
{
    SsimSplitRow rows[SSIM_PYRAMID_TAPS];
    for (int v = 0; v < SSIM_PYRAMID_TAPS; v++) {
        float *even = row_of(w + 4), *odd = row_of(w + 4);
        fill(even, w + 4, content, true);
        fill(odd, w + 4, content, true);
        rows[v] = (SsimSplitRow){even + 2, odd + 2};
    }
    float *expected = row_of(w), *actual = row_of(w);
    simd_case("pyramid of planes, %u columns, content %d", w, content);
    scalar->pyramid_row(expected, rows, w);
    vector->pyramid_row(actual, rows, w);
    simd_expect_equal(expected, actual, w * sizeof(float));
}

static void compare_picture_pyramid(const SsimFunctions *scalar, const SsimFunctions *vector,
                                    unsigned w, enum SimdContent content)
{
    const float *rows[2 * SSIM_PYRAMID_BAND];
    for (int i = 0; i < 2 * SSIM_PYRAMID_BAND; i++) {
        const size_t n = 2 * (size_t)w + 2 * SSIM_PYRAMID_MARGIN;
        float *row = simd_buffer(n * sizeof(*row), SIMD_GUARD_AFTER);
        fill(row + SSIM_PYRAMID_MARGIN - 4, w + 4, content, false);
        fill(row + SSIM_PYRAMID_MARGIN + w, w + 4, content, false);
        rows[i] = row + SSIM_PYRAMID_MARGIN;
    }
    simd_case("pyramid of pictures, %u columns, content %d", w, content);
    float *out[2][SSIM_PYRAMID_BAND];
    for (int i = 0; i < 2; i++) {
        double *in_progress =
            simd_buffer(ssim_pyramid_in_progress(w) * sizeof(double), SIMD_GUARD_AFTER);
        for (int y = 0; y < SSIM_PYRAMID_BAND; y++)
            out[i][y] = row_of(w);
        for (int band = 0; band < 2; band++)
            (i ? vector : scalar)->picture_pyramid(out[i], rows, in_progress, w);
    }
    for (int y = 0; y < SSIM_PYRAMID_BAND; y++)
        simd_expect_equal(out[0][y], out[1][y], w * sizeof(float));
}

/* -- samples -- */

static void compare_load(const SsimFunctions *scalar, const SsimFunctions *vector, unsigned w,
                         enum SimdContent content)
{
    void *bytes = simd_buffer(w, SIMD_GUARD_AFTER);
    void *words = simd_buffer(2 * (size_t)w, SIMD_GUARD_AFTER);
    float *expected = row_of(w), *actual = row_of(w);
    simd_fill_samples(bytes, w, 8, content);
    simd_fill_samples(words, w, 16, content);
    simd_case("samples, %u columns, content %d", w, content);
    scalar->load_bytes(expected, bytes, w, 1);
    vector->load_bytes(actual, bytes, w, 1);
    simd_expect_equal(expected, actual, w * sizeof(float));
    scalar->load_words(expected, words, w, 1.0f / 256);
    vector->load_words(actual, words, w, 1.0f / 256);
    simd_expect_equal(expected, actual, w * sizeof(float));
}

static void compare(unsigned cpu_flags)
{
    SsimFunctions scalar, vector;
    ssim_functions_init(&scalar, 0);
    ssim_functions_init(&vector, cpu_flags);
    for (int c = 0; c < SIMD_CONTENTS; c++) {
        const enum SimdContent content = (enum SimdContent)c;
        for (unsigned i = 0, w; (w = simd_width(i, VECTOR_COLUMNS)) != 0; i++) {
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                compare_filter_rows(&scalar, &vector, w, content, is_signed);
                compare_filter_columns(&scalar, &vector, w, content, is_signed);
            }
            compare_similarity(&scalar, &vector, w, content);
            compare_pyramid_row(&scalar, &vector, w, content);
            compare_picture_pyramid(&scalar, &vector, w, content);
            compare_load(&scalar, &vector, w, content);
            simd_free_buffers();
        }
    }
}

/* -- measurement -- */

enum { BENCH_COLUMNS = 880 }; /* whole turns of SSIM_TAPS for every number of lanes */

typedef struct Bench {
    SsimFunctions functions;
    float *row, *rows, *out;
    uint64_t *dealt;
    double *in_progress;
    const float *means[SSIM_MOMENTS], *picture_rows[2 * SSIM_PYRAMID_BAND];
    float *finished[SSIM_PYRAMID_BAND];
    SsimSimilarity similarity;
} Bench;

static void call_deal(void *argument)
{
    Bench *b = argument;
    b->functions.deal(b->dealt, b->row, BENCH_COLUMNS / b->functions.lanes,
                      BENCH_COLUMNS / b->functions.lanes);
}

static void call_filter_row(void *argument)
{
    Bench *b = argument;
    b->functions.filter_row(b->out, b->dealt, BENCH_COLUMNS / b->functions.lanes, false);
}

static void call_filter_product(void *argument)
{
    Bench *b = argument;
    b->functions.filter_product(b->out, b->dealt, b->dealt, BENCH_COLUMNS / b->functions.lanes,
                                false);
}

static void call_filter_signed_row(void *argument)
{
    Bench *b = argument;
    b->functions.filter_row(b->out, b->dealt, BENCH_COLUMNS / b->functions.lanes, true);
}

static void call_filter_columns(void *argument)
{
    Bench *b = argument;
    b->functions.filter_columns(b->rows, BENCH_COLUMNS, b->in_progress,
                                BENCH_COLUMNS / b->functions.lanes, false);
}

static void call_similarity(void *argument)
{
    Bench *b = argument;
    b->functions.similarity(&b->similarity, b->means, BENCH_COLUMNS);
}

static void call_picture_pyramid(void *argument)
{
    Bench *b = argument;
    b->functions.picture_pyramid(b->finished, b->picture_rows, b->in_progress, BENCH_COLUMNS / 2);
}

static void measure(unsigned cpu_flags)
{
    enum { ROOM = BENCH_COLUMNS + 2 * SSIM_PYRAMID_MARGIN };
    Bench b = {.row = row_of(BENCH_COLUMNS), .out = row_of(BENCH_COLUMNS)};
    ssim_functions_init(&b.functions, cpu_flags);
    b.rows = simd_buffer(SSIM_TAPS * BENCH_COLUMNS * sizeof(float), SIMD_GUARD_BEFORE);
    b.dealt = simd_buffer((BENCH_COLUMNS + 3 * MAX_LANES) * sizeof(uint64_t), SIMD_GUARD_BEFORE);
    b.in_progress = simd_buffer(
        (SSIM_IN_PROGRESS * BENCH_COLUMNS + ssim_pyramid_in_progress(BENCH_COLUMNS / 2)) *
            sizeof(double),
        SIMD_GUARD_BEFORE);
    b.similarity.luminance = simd_buffer(BENCH_COLUMNS * sizeof(double), SIMD_GUARD_BEFORE);
    b.similarity.contrast = simd_buffer(BENCH_COLUMNS * sizeof(double), SIMD_GUARD_BEFORE);
    b.similarity.structure = b.out;
    fill(b.row, BENCH_COLUMNS, SIMD_NOISE, false);
    for (int m = 0; m < SSIM_MOMENTS; m++)
        b.means[m] = b.row;
    for (int i = 0; i < 2 * SSIM_PYRAMID_BAND; i++) {
        float *row = simd_buffer(ROOM * sizeof(*row), SIMD_GUARD_BEFORE);
        fill(row + SSIM_PYRAMID_MARGIN, BENCH_COLUMNS, SIMD_NOISE, false);
        b.picture_rows[i] = row + SSIM_PYRAMID_MARGIN;
    }
    for (int i = 0; i < SSIM_PYRAMID_BAND; i++)
        b.finished[i] = row_of(BENCH_COLUMNS);
    simd_measure("dealing", BENCH_COLUMNS, call_deal, &b);
    simd_measure("window along rows", BENCH_COLUMNS, call_filter_row, &b);
    simd_measure("of products", BENCH_COLUMNS, call_filter_product, &b);
    simd_measure("of signed samples", BENCH_COLUMNS, call_filter_signed_row, &b);
    simd_measure("window along columns", SSIM_TAPS * BENCH_COLUMNS, call_filter_columns, &b);
    simd_measure("similarity", BENCH_COLUMNS, call_similarity, &b);
    simd_measure("pyramid of pictures", 2 * SSIM_PYRAMID_BAND * BENCH_COLUMNS, call_picture_pyramid,
                 &b);
}

const SimdCheck check_float_ssim = {"float_ssim", compare, measure};
