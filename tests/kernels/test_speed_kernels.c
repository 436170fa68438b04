/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of SpEED against sums in binary32 that are written down as the kernels describe them:
 * filters and parts of any number, tables with any columns, rows and weights, planes around the
 * edges of what a group covers. test_metrics compares with the library.
 */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/common/rows.h"
#include "metrics/speed/speed_kernel.h"
#include "random_numbers.h"
#include "support/cases.h"

static uint32_t random_below(uint32_t n)
{
    return noise() % n;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc((n * size + 3) / 4, 4);
    assert_non_null(memory);
    return memory;
}

static void expect_equal(const float *actual, const float *expected, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (bits_of(actual[i]) != bits_of(expected[i]))
            fail_msg("%s: number %zu is %.9g, not %.9g", what, i, (double)actual[i],
                     (double)expected[i]);
    }
}

/* -- low-pass -- */

enum { PLANE_WIDTH = 53, PLANE_HEIGHT = 31, PLANE_SAMPLES = PLANE_WIDTH * PLANE_HEIGHT };

typedef struct LowPass {
    unsigned depth, w, h; /* of the decimated plane */
    unsigned n_taps, n_parts;
    bool is_difference, is_normalised;
    uint16_t plane[PLANE_SAMPLES], subtracted[PLANE_SAMPLES];
    speed_tap *columns, *rows;
    float taps[SPEED_LOW_PASS_MAX_TAPS];
    float factor;
} LowPass;

static uint16_t draw_sample(unsigned depth)
{
    const unsigned peak = (1u << depth) - 1;
    const unsigned kind = random_below(4);
    return (uint16_t)(kind == 0 ? 0 : kind == 1 ? peak : random_below(peak + 1));
}

static speed_tap *draw_axis(unsigned n_decimated, const LowPass *l, unsigned n, float factor)
{
    const unsigned n_entries = n_decimated * l->n_taps * l->n_parts;
    speed_tap *axis = allocate(n_entries, sizeof(*axis));
    for (unsigned i = 0; i < n_entries; i++) {
        const float weight = ((float)random_below(1 << 20) - (float)(1 << 18)) / (1 << 19);
        axis[i] = (speed_tap){random_below(n), bits_of(weight * factor)};
    }
    return axis;
}

static void draw_low_pass(LowPass *l)
{
    const float to_8bit = 1.0f / (float)(1u << (l->depth - 8));
    for (unsigned i = 0; i < PLANE_SAMPLES; i++) {
        l->plane[i] = draw_sample(l->depth);
        l->subtracted[i] = draw_sample(l->depth);
    }
    l->columns = draw_axis(l->w, l, PLANE_WIDTH, 1);
    l->rows = draw_axis(l->h, l, PLANE_HEIGHT, l->n_parts > 1 ? to_8bit : 1);
    for (unsigned i = 0; i < l->n_taps; i++)
        l->taps[i] = (float)(1 + random_below(1 << 24)) / (1 << 27);
    l->factor = l->n_parts > 1 ? 1 / to_8bit : to_8bit;
}

static float sample_at(const LowPass *l, unsigned column, unsigned row)
{
    const size_t at = (size_t)row * PLANE_WIDTH + column;
    const float to_8bit = 1.0f / (float)(1u << (l->depth - 8));
    if (l->is_difference)
        return (float)(l->plane[at] - l->subtracted[at]) * to_8bit;
    return (float)l->plane[at] * to_8bit - 128;
}

/* With samples and weights that are scaled before, as the library does. */
static float resized_at(const LowPass *l, const speed_tap *columns, const speed_tap *rows)
{
    if (l->n_parts == 1)
        return sample_at(l, columns[0].index, rows[0].index);
    const float of_rows = (float)(1u << (l->depth - 8));
    float sum = 0, weights = 0;
    for (unsigned v = 0; v < l->n_parts; v++) {
        for (unsigned u = 0; u < l->n_parts; u++) {
            const float weight = float_of(columns[u].weight) * (float_of(rows[v].weight) * of_rows);
            sum += sample_at(l, columns[u].index, rows[v].index) * weight;
            weights += weight;
        }
    }
    return l->is_normalised ? sum / weights : sum;
}

static float decimated_at(const LowPass *l, unsigned x, unsigned y)
{
    float sum = 0;
    for (unsigned i = 0; i < l->n_taps; i++) {
        float column = 0;
        for (unsigned j = 0; j < l->n_taps; j++)
            column += l->taps[j] * resized_at(l, l->columns + (x * l->n_taps + i) * l->n_parts,
                                              l->rows + (y * l->n_taps + j) * l->n_parts);
        sum += l->taps[i] * column;
    }
    return sum;
}

/* In memory: a byte or two for each sample. */
static void *stored(const LowPass *l, const uint16_t *samples, size_t *size)
{
    const size_t sample_size = l->depth > 8 ? 2 : 1;
    *size = (PLANE_SAMPLES * sample_size + 3) / 4 * 4;
    unsigned char *memory = allocate(*size, 1);
    for (unsigned i = 0; i < PLANE_SAMPLES; i++) {
        const uint8_t byte = (uint8_t)samples[i];
        memcpy(memory + i * sample_size, l->depth > 8 ? (const void *)&samples[i] : &byte,
               sample_size);
    }
    return memory;
}

static const char *low_pass_kernel(const LowPass *l)
{
    if (l->n_parts > 1)
        return l->depth > 8 ? "speed_low_pass_resampled_16" : "speed_low_pass_resampled_8";
    return l->depth > 8 ? "speed_low_pass_16" : "speed_low_pass_8";
}

static void check_low_pass(Fixture *fixture, LowPass *l)
{
    draw_low_pass(l);
    const size_t n = (size_t)l->w * l->h;
    float *actual = allocate(n, sizeof(*actual)), *expected = allocate(n, sizeof(*expected));
    for (unsigned i = 0; i < n; i++)
        expected[i] = decimated_at(l, i % l->w, i / l->w);
    size_t size;
    void *plane = stored(l, l->plane, &size), *subtracted = stored(l, l->subtracted, &size);
    const size_t entry = l->n_taps * l->n_parts * sizeof(speed_tap);
    const FixtureBuffer buffers[] = {
        {.size = size, .in = plane},
        {.size = size, .in = subtracted},
        {.size = l->w * entry, .in = l->columns},
        {.size = l->h * entry, .in = l->rows},
        {.size = l->n_taps * sizeof(float), .in = l->taps},
        {.size = n * sizeof(float), .out = actual},
    };
    const speed_low_pass_args args = {
        .w = (int32_t)l->w,
        .stride = PLANE_WIDTH,
        .n_taps = (int32_t)l->n_taps,
        .n_parts = (int32_t)l->n_parts,
        .is_difference = l->is_difference,
        .centre = 128 << (l->depth - 8),
        .is_normalised = l->is_normalised,
        .factor = bits_of(l->factor),
    };
    const uint32_t groups[] = {(l->w + SPEED_LOW_PASS_COLUMNS - 1) / SPEED_LOW_PASS_COLUMNS, l->h,
                               1};
    assert_int_equal(fixture_run(fixture, low_pass_kernel(l), buffers, &args, groups), 0);
    expect_equal(actual, expected, n, low_pass_kernel(l));
    free(actual);
    free(expected);
    free(plane);
    free(subtracted);
    free(l->columns);
    free(l->rows);
}

CASE(given_any_plane_then_it_is_filtered_in_order)
{
    static const unsigned widths[] = {5, 13, 14, 15, 28, 29, 1};
    static const unsigned depths[] = {8, 10, 12, 16}, taps[] = {9, 3, 35, 7};
    static LowPass l;
    Fixture fixture;
    fixture_open_order(&fixture, 1);
    for (unsigned i = 0; i < 14; i++) {
        l = (LowPass){.depth = depths[i % 4],
                      .w = widths[i % 7],
                      .h = 1 + i % 3,
                      .n_taps = taps[(i + i / 4) % 4],
                      .n_parts = 1,
                      .is_difference = i / 2 % 2};
        check_low_pass(&fixture, &l);
    }
    fixture_close(&fixture);
}

CASE(given_a_plane_that_is_resized_then_its_parts_are_added_in_order)
{
    static const unsigned depths[] = {8, 16, 10, 12}, parts[] = {2, 4, 9};
    static LowPass l;
    Fixture fixture;
    fixture_open_order(&fixture, 2);
    for (unsigned i = 0; i < 12; i++) {
        l = (LowPass){.depth = depths[i % 4],
                      .w = i % 3 == 2 ? 3 : 15 + i % 2,
                      .h = 1,
                      .n_taps = i % 5 == 4 ? 19 : 5,
                      .n_parts = parts[i % 3],
                      .is_difference = i / 3 % 2,
                      .is_normalised = i % 3 == 2 && i % 2};
        check_low_pass(&fixture, &l);
    }
    fixture_close(&fixture);
}

/* -- residual -- */

enum { MAX_PLANES = 4, SECTION = 64 };

static void check_residual(Fixture *fixture, unsigned w, unsigned h, unsigned n_taps,
                           unsigned n_planes)
{
    const unsigned blocks_w = w / 5 * 5, blocks_h = h / 5 * 5;
    const unsigned stride = (w * h + SECTION - 1) / SECTION * SECTION;
    const size_t n = (size_t)blocks_w * blocks_h * n_planes, n_in = (size_t)stride * n_planes;
    float *in = allocate(n_in, sizeof(*in)), *actual = allocate(n, sizeof(*actual));
    float *expected = allocate(n, sizeof(*expected));
    float taps[9];
    for (size_t i = 0; i < n_in; i++)
        in[i] = random_below(5) ? ((float)random_below(1 << 24) - (1 << 23)) / (1 << 16) : 0;
    for (unsigned i = 0; i < n_taps; i++)
        taps[i] = (float)(1 + random_below(1 << 24)) / (1 << 25);
    for (size_t k = 0; k < n; k++) {
        const float *plane = in + k / (blocks_w * blocks_h) * stride;
        const unsigned y = (unsigned)(k / blocks_w) % blocks_h, x = (unsigned)k % blocks_w;
        float mean = 0;
        for (unsigned i = 0; i < n_taps; i++) {
            const unsigned column = mirror_whole_sample((int)(x + i) - (int)n_taps / 2, w);
            float sum = 0;
            for (unsigned j = 0; j < n_taps; j++)
                sum += taps[j] *
                       plane[mirror_whole_sample((int)(y + j) - (int)n_taps / 2, h) * w + column];
            mean += taps[i] * sum;
        }
        expected[k] = plane[y * w + x] - mean;
    }
    const FixtureBuffer buffers[] = {
        {.size = n_in * sizeof(float), .in = in},
        {.size = n_taps * sizeof(float), .in = taps},
        {.size = n * sizeof(float), .out = actual},
    };
    const speed_residual_args args = {(int32_t)w,        (int32_t)h,        (int32_t)stride,
                                      (int32_t)blocks_w, (int32_t)blocks_h, (int32_t)n_taps};
    const uint32_t groups[] = {(blocks_w + SPEED_RESIDUAL_COLUMNS - 1) / SPEED_RESIDUAL_COLUMNS,
                               (blocks_h + SPEED_RESIDUAL_ROWS - 1) / SPEED_RESIDUAL_ROWS,
                               n_planes};
    assert_int_equal(fixture_run(fixture, "speed_residual", buffers, &args, groups), 0);
    expect_equal(actual, expected, n, "speed_residual");
    free(in);
    free(actual);
    free(expected);
}

CASE(given_decimated_planes_then_their_local_mean_is_subtracted)
{
    static const unsigned widths[] = {5, 9, 30, 34, 36, 65}, heights[] = {5, 6, 9, 10, 14, 20};
    Fixture fixture;
    fixture_open_order(&fixture, 3);
    for (unsigned i = 0; i < 12; i++)
        check_residual(&fixture, widths[i % 6], heights[(i + i / 6) % 6], 3 + i % 4 * 2,
                       i % 2 ? MAX_PLANES : 2);
    fixture_close(&fixture);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
