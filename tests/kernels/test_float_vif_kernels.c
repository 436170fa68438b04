/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of float_vif, each pixel: what it adds to the sums, in which small differences would
 * be lost, and the next scale. Against the library's statistics of windows that are filtered here,
 * sample by sample. Takes the layer's name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/common/rows.h"
#include "metrics/float_vif/float_vif.h"
#include "metrics/float_vif/float_vif_internal.h"
#include "metrics/float_vif/float_vif_kernel.h"
#include "random_numbers.h"
#include "support/cases.h"
#include "test_sets.h"

enum { REF, DIST, PICTURES, MAX_SIDE = 132, VARIANTS = 2, PARTS = 2 };
enum { IMAGES = 5 };

static FloatVifFunctions library;

/* Depth 32: pictures of binary32 numbers. */
typedef struct Pictures {
    unsigned w, h, depth;
    size_t stride, bytes; /* of a row in samples, of a sample */
    unsigned char *samples[PICTURES];
    float *values[PICTURES]; /* without gaps */
} Pictures;

enum Content { CONTENT_NOISE, CONTENT_SIMILAR, CONTENT_FLAT, CONTENT_EXTREME, CONTENTS };

static unsigned integer_sample(const Pictures *p, enum Content content, int picture, unsigned x,
                               unsigned y, unsigned ref)
{
    const unsigned peak = (1u << p->depth) - 1;
    switch (content) {
    case CONTENT_NOISE:
        return noise() & peak;
    case CONTENT_SIMILAR:
        return picture == REF ? (x * 7 + y * 5 + noise() % 8) & peak : ref + (ref < peak) * (x & 1);
    case CONTENT_FLAT:
        return peak / 3 + (x > 40) - (unsigned)(picture == DIST && x + y > 60);
    default:
        return (x / 3 + y / 2 + (unsigned)picture) & 1 ? peak : 0;
    }
}

static float float_sample(enum Content content, int picture, float ref)
{
    const float any = (float)(int)(noise() & 0xffff) / 256 - 128;
    if (content == CONTENT_SIMILAR && picture == DIST)
        return ref + any * 0x1p-9f;
    return content == CONTENT_FLAT      ? 17.3f + any * 0x1p-29f
           : content == CONTENT_EXTREME ? -128
                                        : any;
}

static void fill(Pictures *p, enum Content content)
{
    for (unsigned y = 0; y < p->h; y++) {
        for (unsigned x = 0; x < p->w; x++) {
            const size_t at = y * p->stride + x, to = (size_t)y * p->w + x;
            unsigned ref = 0;
            for (int i = 0; i < PICTURES; i++) {
                if (p->depth == 32) {
                    p->values[i][to] = float_sample(content, i, p->values[REF][to]);
                    memcpy(p->samples[i] + 4 * at, &p->values[i][to], 4);
                    continue;
                }
                const uint16_t sample = (uint16_t)integer_sample(p, content, i, x, y, ref);
                ref = sample;
                memcpy(p->samples[i] + p->bytes * at, &sample, p->bytes);
                p->values[i][to] = (float)sample / (float)(1u << (p->depth - 8)) - 128;
            }
        }
    }
}

static size_t size_of(const Pictures *p)
{
    return (p->stride * p->h * p->bytes + 3) / 4 * 4;
}

static Pictures make_pictures(unsigned depth, unsigned w, unsigned h, enum Content content)
{
    Pictures p = {.w = w, .h = h, .depth = depth};
    p.bytes = depth == 32 ? 4 : depth > 8 ? 2 : 1;
    p.stride = w + 8 - w % 4;
    for (int i = 0; i < PICTURES; i++) {
        p.samples[i] = calloc(1, size_of(&p));
        p.values[i] = calloc((size_t)w * h, sizeof(float));
    }
    fill(&p, content);
    return p;
}

static void free_pictures(Pictures *p)
{
    for (int i = 0; i < PICTURES; i++) {
        free(p->samples[i]);
        free(p->values[i]);
    }
}

/* -- the definition -- */

/* Filters an image, first columns, then rows; every `step`-th of each. Values are pixels of w x h.
 */
static void filter(const FloatVifWindow *window, const float *values, unsigned w, unsigned h,
                   unsigned step, float *out)
{
    static float columns[MAX_SIDE * MAX_SIDE];
    const int n = 2 * window->radius + 1;
    for (unsigned y = 0; y < h / step; y++) {
        for (unsigned x = 0; x < w; x++) {
            float sum = 0;
            for (int k = 0; k < n; k++) {
                const int row = (int)(y * step) + k - window->radius;
                sum += window->taps[k] * values[(size_t)mirror_whole_sample(row, h) * w + x];
            }
            columns[y * w + x] = sum;
        }
        for (unsigned x = 0; x < w / step; x++) {
            float sum = 0;
            for (int k = 0; k < n; k++) {
                const int column = (int)(x * step) + k - window->radius;
                sum += window->taps[k] * columns[y * w + mirror_whole_sample(column, w)];
            }
            out[y * (w / step) + x] = sum;
        }
    }
}

static void images_of(const Pictures *p, float *images[IMAGES])
{
    for (size_t i = 0; i < (size_t)p->w * p->h; i++) {
        const float r = p->values[REF][i], d = p->values[DIST][i];
        const float values[IMAGES] = {r, d, r * r, d * d, r * d};
        for (int k = 0; k < IMAGES; k++)
            images[k][i] = values[k];
    }
}

static void moments_of(const Pictures *p, const FloatVifWindow *window, float *filtered[IMAGES])
{
    const size_t n = (size_t)p->w * p->h;
    float *images[IMAGES];
    for (int k = 0; k < IMAGES; k++)
        images[k] = calloc(n, sizeof(float));
    images_of(p, images);
    for (int k = 0; k < IMAGES; k++) {
        filter(window, images[k], p->w, p->h, 1, filtered[k]);
        free(images[k]);
    }
}

/* -- kernels -- */

static bool is_native; /* whether those kernels run that use the device's own binary32 */

static const char *name_of(char name[40], const char *kernel, const Pictures *p,
                           const FloatVifWindow *window)
{
    snprintf(name, 40, "float_vif_%s_%d%s%s", kernel, (int)p->bytes * 8,
             window->radius > FLOAT_VIF_REACH_NARROW ? "_wide" : "", is_native ? "_native" : "");
    return name;
}

static uint32_t ceil_div(unsigned a, int b)
{
    return (a + (unsigned)b - 1) / (unsigned)b;
}

static void put_constants(uint32_t constants[FLOAT_VIF_CONSTANTS], const FloatVifWindow *window,
                          const FloatVifParameters parameters[VARIANTS])
{
    memset(constants, 0xff, FLOAT_VIF_CONSTANTS * sizeof(*constants));
    memcpy(constants, window->taps, (2 * (size_t)window->radius + 1) * sizeof(float));
    for (int v = 0; v < VARIANTS; v++) {
        uint32_t *variant = constants + FLOAT_VIF_WINDOW_SIZE + v * FLOAT_VIF_VARIANT_SIZE;
        const float threshold = float_vif_round_up(parameters[v].noise_variance);
        uint64_t bits;
        memcpy(&bits, &parameters[v].noise_variance, sizeof(bits));
        memcpy(&variant[FLOAT_VIF_GAIN_LIMIT], &parameters[v].gain_limit, 4);
        memcpy(&variant[FLOAT_VIF_INVERSE_NOISE], &parameters[v].inverse_noise, 4);
        memcpy(&variant[FLOAT_VIF_FLAT_FACTOR], &parameters[v].flat_factor, 4);
        memcpy(&variant[FLOAT_VIF_THRESHOLD], &threshold, 4);
        variant[FLOAT_VIF_NOISE_UPPER] = (uint32_t)(bits >> 32);
        variant[FLOAT_VIF_NOISE_LOWER] = (uint32_t)bits;
    }
}

static void run_scale(const Pictures *p, const FloatVifWindow *window,
                      const FloatVifParameters parameters[VARIANTS], int variants,
                      float *terms[VARIANTS][PARTS])
{
    const int reach =
        window->radius > FLOAT_VIF_REACH_NARROW ? FLOAT_VIF_REACH_WIDE : FLOAT_VIF_REACH_NARROW;
    uint32_t constants[FLOAT_VIF_CONSTANTS];
    put_constants(constants, window, parameters);
    const size_t size = (size_t)p->w * p->h * sizeof(float);
    const float_vif_scale_args args = {.w = (int32_t)p->w,
                                       .h = (int32_t)p->h,
                                       .stride = (int32_t)p->stride,
                                       .depth = (int32_t)p->depth,
                                       .radius = window->radius,
                                       .variants = variants};
    FixtureBuffer buffers[] = {
        {.size = size_of(p), .in = p->samples[REF]},
        {.size = size_of(p), .in = p->samples[DIST]},
        {.size = sizeof(constants), .in = constants},
        {.size = size, .out = terms[0][0]},
        {.size = size, .out = terms[0][1]},
        {.size = variants > 1 ? size : 4, .out = variants > 1 ? terms[1][0] : NULL},
        {.size = variants > 1 ? size : 4, .out = variants > 1 ? terms[1][1] : NULL},
    };
    const uint32_t groups[3] = {ceil_div(p->w, FLOAT_VIF_TILE_COLUMNS(reach)),
                                ceil_div(p->h, FLOAT_VIF_TILE_ROWS(reach)), 1};
    char name[40];
    assert_int_equal(
        fixture_run(&group_fixture, name_of(name, "scale", p, window), buffers, &args, groups), 0);
}

static void compare_terms(const Pictures *p, float *const filtered[IMAGES],
                          const FloatVifParameters *parameters, float *const terms[PARTS],
                          const char *what)
{
    enum { PADDED = 1 + FLOAT_VIF_PADDING };
    for (size_t i = 0; i < (size_t)p->w * p->h; i++) {
        float padded[IMAGES][PADDED] = {{0}};
        for (int k = 0; k < IMAGES; k++)
            padded[k][0] = filtered[k][i];
        const FloatVifMoments moments = {padded[0], padded[1], padded[2], padded[3], padded[4]};
        FloatVifSums expected;
        library.information(&moments, 1, parameters, 1, &expected);
        if (expected.num != terms[0][i] || expected.den != terms[1][i])
            fail_msg("%s, %ux%u, depth %u, x %zu, y %zu: %a, %a, not %a, %a", what, p->w, p->h,
                     p->depth, i % p->w, i / p->w, (double)terms[0][i], (double)terms[1][i],
                     (double)expected.num, (double)expected.den);
    }
}

static void check_scale(unsigned depth, unsigned w, unsigned h, double kernelscale, int scale,
                        int variants)
{
    static const FloatVifOptions options[VARIANTS] = {
        {.vif_enhn_gain_limit = 100, .vif_sigma_nsq = 2},
        {.vif_enhn_gain_limit = 1, .vif_sigma_nsq = 1.3}};
    const FloatVifParameters parameters[VARIANTS] = {float_vif_parameters(&options[0]),
                                                     float_vif_parameters(&options[1])};
    const FloatVifWindow window = float_vif_window(kernelscale, scale);
    const size_t n = (size_t)w * h;
    for (int content = 0; content < CONTENTS; content++) {
        Pictures p = make_pictures(depth, w, h, (enum Content)content);
        float *filtered[IMAGES], *terms[VARIANTS][PARTS];
        for (int k = 0; k < IMAGES; k++)
            filtered[k] = calloc(n, sizeof(float));
        for (int i = 0; i < VARIANTS * PARTS; i++)
            terms[i / PARTS][i % PARTS] = calloc(n, sizeof(float));
        moments_of(&p, &window, filtered);
        run_scale(&p, &window, parameters, variants, terms);
        for (int v = 0; v < variants; v++)
            compare_terms(&p, filtered, &parameters[v], terms[v], v ? "second" : "first");
        for (int k = 0; k < IMAGES; k++)
            free(filtered[k]);
        for (int i = 0; i < VARIANTS * PARTS; i++)
            free(terms[i / PARTS][i % PARTS]);
        free_pictures(&p);
    }
}

static void check_reduction(unsigned depth, unsigned w, unsigned h, double kernelscale, int scale)
{
    const FloatVifWindow window = float_vif_window(kernelscale, scale + 1);
    const int reach =
        window.radius > FLOAT_VIF_REACH_NARROW ? FLOAT_VIF_REACH_WIDE : FLOAT_VIF_REACH_NARROW;
    const unsigned next_w = w / 2, next_h = h / 2;
    const size_t n = (size_t)next_w * next_h, dist = n + 5;
    for (int content = 0; content < CONTENTS; content++) {
        Pictures p = make_pictures(depth, w, h, (enum Content)content);
        float *next = calloc(dist + n, sizeof(float)), *expected = calloc(n, sizeof(float));
        const float_vif_reduce_args args = {.w = (int32_t)w,
                                            .h = (int32_t)h,
                                            .stride = (int32_t)p.stride,
                                            .depth = (int32_t)depth,
                                            .radius = window.radius,
                                            .next_w = (int32_t)next_w,
                                            .next_h = (int32_t)next_h,
                                            .next_dist = (int32_t)dist};
        const FixtureBuffer buffers[] = {
            {.size = size_of(&p), .in = p.samples[REF]},
            {.size = size_of(&p), .in = p.samples[DIST]},
            {.size = (2 * (size_t)window.radius + 1) * sizeof(float), .in = window.taps},
            {.size = (dist + n) * sizeof(float), .out = next},
        };
        const uint32_t groups[3] = {ceil_div(next_w, FLOAT_VIF_NEXT_COLUMNS(reach)),
                                    ceil_div(next_h, FLOAT_VIF_NEXT_ROWS), 1};
        char name[40];
        assert_int_equal(fixture_run(&group_fixture, name_of(name, "reduce", &p, &window), buffers,
                                     &args, groups),
                         0);
        for (int i = 0; i < PICTURES; i++) {
            filter(&window, p.values[i], w, h, 2, expected);
            for (size_t k = 0; k < n; k++) {
                if (next[(i ? dist : 0) + k] != expected[k])
                    fail_msg("%ux%u, depth %u, picture %d, sample %zu: %a, not %a", w, h, depth, i,
                             k, (double)next[(i ? dist : 0) + k], (double)expected[k]);
            }
        }
        free(next);
        free(expected);
        free_pictures(&p);
    }
}

/* -- cases -- */

CASE(given_samples_of_any_kind_each_pixel_adds_what_the_library_adds)
{
    check_scale(8, 33, 19, 1, 0, 2);
    check_scale(10, 21, 25, 1, 0, 1);
    check_scale(16, 24, 18, 1, 0, 2);
    check_scale(32, 30, 21, 1, 1, 2);
    check_scale(32, 21, 13, 1, 2, 1);
    check_scale(32, 13, 21, 1, 3, 2);
}

CASE(given_sizes_about_tiles_each_pixel_adds_what_the_library_adds)
{
    check_scale(8, 113, 17, 1, 0, 1);
    check_scale(12, 112, 9, 1, 0, 1);
    check_scale(32, 111, 8, 1, 2, 1);
    check_scale(32, 2, 2, 1, 3, 1);
    check_scale(32, 130, 3, 1, 3, 1);
    check_scale(8, 9, 9, 1, 0, 1);
}

CASE(given_wide_windows_each_pixel_adds_what_the_library_adds)
{
    check_scale(8, 57, 33, 360.0 / 97, 0, 1);
    check_scale(10, 33, 34, 360.0 / 97, 0, 2);
    check_scale(32, 34, 18, 2, 0, 1);
    check_scale(32, 58, 19, 360.0 / 97, 1, 1);
    check_scale(8, 20, 15, 0.5, 0, 1);
}

CASE(given_pictures_then_the_next_scale_is_that_of_the_library)
{
    check_reduction(8, 33, 19, 1, 0);
    check_reduction(10, 130, 35, 1, 0);
    check_reduction(16, 112, 16, 1, 0);
    check_reduction(32, 114, 33, 1, 1);
    check_reduction(32, 21, 7, 1, 2);
    check_reduction(8, 67, 38, 360.0 / 97, 0);
    check_reduction(10, 66, 37, 2.4, 0);
    check_reduction(32, 130, 35, 360.0 / 97, 0);
    check_reduction(32, 20, 21, 0.5, 1);
}

CASE(given_an_exact_device_then_native_kernels_have_the_same_bits)
{
    if (!group_fixture.device->info.caps.exact_float32)
        skip();
    is_native = true;
    given_samples_of_any_kind_each_pixel_adds_what_the_library_adds(state);
    given_sizes_about_tiles_each_pixel_adds_what_the_library_adds(state);
    given_wide_windows_each_pixel_adds_what_the_library_adds(state);
    given_pictures_then_the_next_scale_is_that_of_the_library(state);
    is_native = false;
}

CASES_SHARE(fixture_begin_group, fixture_end_group);

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    float_vif_functions_init(&library, 0);
    return run_cases(argc, argv);
}
