/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of float_ssim and float_ms_ssim: images against those of the library, similarity
 * against its definition, and its means against those of the library. Bit for bit, for pictures and
 * for images of binary32 numbers that pictures cannot have.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/float_ssim/float_ssim.h"
#include "metrics/float_ssim/float_ssim_kernel.h"
#include "metrics/float_ssim/ssim_internal.h"
#include "random_numbers.h"
#include "support/cases.h"
#include "support/memory.h"
#include "test_sets.h"

static SsimFunctions functions;

/* -- content -- */

enum Content {
    CONTENT_NOISE,
    CONTENT_FLAT,
    CONTENT_EXTREME, /* black and white */
    CONTENT_DARK,    /* shades next to black, and some white */
    CONTENT_SMOOTH,  /* and the same with a little noise */
    PICTURE_CONTENTS,
    CONTENT_FRACTIONS = PICTURE_CONTENTS, /* what reduced pictures have */
    CONTENT_WIDE,                         /* with signs and many exponents */
    CONTENT_LIMIT,          /* ranges of magnitude that fixed point just holds, or not */
    CONTENT_TINY,           /* denormals, and numbers whose products are such */
    CONTENT_TIES,           /* products and sums half-way between two numbers */
    CONTENT_LOST_BY_WINDOW, /* bits that binary64 loses and that matter */
    CONTENT_LOST_BY_PYRAMID,
    CONTENTS,
};

static void make_samples(enum Content content, unsigned x, unsigned y, unsigned bpc,
                         unsigned samples[2])
{
    const unsigned peak = (1u << bpc) - 1;
    unsigned r = noise() & peak, d = noise() & peak;
    if (content == CONTENT_FLAT) {
        r = d = peak / 2;
    } else if (content == CONTENT_EXTREME) {
        r = r & 1 ? peak : 0;
        d = d & 1 ? peak : 0;
    } else if (content == CONTENT_DARK) {
        r = r % 16 ? r & 3 : peak;
        d = d % 16 ? d & 1 : peak - 1;
    } else if (content == CONTENT_SMOOTH) {
        r = (3 * x + 5 * y) * (peak / 255) % peak;
        d = r > peak / 2 ? r - d % 8 : r + d % 8;
    }
    samples[0] = r;
    samples[1] = d;
}

static float scaled(uint32_t mantissa, int exponent, bool is_negative)
{
    const float number = ldexpf((float)(0x800000 | (mantissa & 0x7fffff)), exponent - 23);
    return is_negative ? -number : number;
}

static float make_number(enum Content content, int picture)
{
    const uint32_t n = noise();
    switch (content) {
    case CONTENT_FRACTIONS:
        return (float)(n % 65281) / 256;
    case CONTENT_WIDE:
        return n % 5 ? scaled(noise(), (int)(n / 8 % 40) - 30, n & 1) : 0;
    case CONTENT_LIMIT: /* mostly large, a few at the other end */
        return n % 32 ? scaled(n % 8 ? noise() : 0x7fffff - n / 32 % 3, 7, picture && n & 1)
                      : scaled(0, 7 - 8 - (int)(n / 64 % 13), false);
    case CONTENT_TINY:
        return n % 3 ? scaled(noise(), -110 - (int)(n / 8 % 16), n & 1) : 0;
    default: /* few bits each, so that sums end there */
        return scaled((n & 3) << 21, (int)(n / 8 % 26) - 18, n / 4 & 1);
    }
}

/*
 * Images with windows over four samples but 0: the product of the first, at the centre, is followed
 * by half a unit of binary32; then one whose last bit binary64 cannot hold here, and the negative
 * of its other bits, both with the least tap. The exact sum is just above the middle between two
 * numbers and is rounded up; that in binary64 is in the middle, and goes to the even one.
 */
static float number_with_product(float product, float tap)
{
    float x = product / tap;
    for (int i = 0; i < 8 && x * tap != product; i++)
        x = nextafterf(x, x * tap < product ? INFINITY : -INFINITY);
    assert_true(x * tap == product);
    return x;
}

static float centre_with_even_product(float tap)
{
    float x = 255, product = x * tap;
    uint32_t bits;
    while (memcpy(&bits, &product, sizeof(bits)), bits & 1) {
        x = nextafterf(x, 0);
        product = x * tap;
    }
    assert_true(product >= 64 && product < 128);
    return x;
}

static float lost_by_window(unsigned x)
{
    static const float taps[] = {SSIM_WINDOW(SSIM_NUMBER)};
    switch (x % SSIM_TAPS) {
    case 0:
        return number_with_product(-0x1p-24f, taps[0]);
    case 4:
        return number_with_product(0x1p-18f, taps[4]);
    case 5:
        return centre_with_even_product(taps[5]);
    case 10:
        return number_with_product(0x1.000002p-24f, taps[0]);
    default:
        return 0;
    }
}

static float lost_by_pyramid(unsigned x, unsigned y)
{
    switch (x % 16 + 16 * (y % 16)) {
    case 7 + 16 * 8:
        return number_with_product(0x1p-18f, ssim_pyramid_taps[4][3]);
    case 8 + 16 * 8:
        return centre_with_even_product(ssim_pyramid_taps[4][4]);
    case 4 + 16 * 12:
        return number_with_product(0x1.000002p-24f, ssim_pyramid_taps[0][0]);
    case 12 + 16 * 12:
        return number_with_product(-0x1p-24f, ssim_pyramid_taps[0][0]);
    default:
        return 0;
    }
}

/* -- images -- */

typedef struct Image {
    SsimImage view;
    size_t size;
    void *data;
} Image;

/* Two images of equal size; bpc 0: of binary32 numbers. */
static void make_images(Image images[2], enum Content content, unsigned bpc, unsigned w, unsigned h)
{
    const size_t stride = ssim_row_size(w), width = bpc == 0 ? 4 : bpc == 8 ? 1 : 2;
    for (int p = 0; p < 2; p++) {
        images[p].size = stride * h * width;
        images[p].data = calloc(1, images[p].size + 64 * width);
        assert_non_null(images[p].data);
        images[p].view = (SsimImage){images[p].data, (ptrdiff_t)(stride * width), w, h, bpc};
    }
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            const size_t at = y * stride + x;
            unsigned samples[2];
            if (bpc)
                make_samples(content, x, y, bpc, samples);
            for (int p = 0; p < 2; p++) {
                if (bpc == 0)
                    ((float *)images[p].data)[at] =
                        content == CONTENT_LOST_BY_WINDOW    ? lost_by_window(x)
                        : content == CONTENT_LOST_BY_PYRAMID ? lost_by_pyramid(x, y)
                                                             : make_number(content, p);
                else if (bpc == 8)
                    ((uint8_t *)images[p].data)[at] = (uint8_t)samples[p];
                else
                    ((uint16_t *)images[p].data)[at] = (uint16_t)samples[p];
            }
        }
    }
}

static void free_images(Image images[2])
{
    for (int p = 0; p < 2; p++)
        free(images[p].data);
}

static const char *name_of(const char *kernel, unsigned bpc)
{
    static char name[32];
    snprintf(name, sizeof(name), "%s_%d", kernel, bpc == 0 ? 32 : bpc == 8 ? 8 : 16);
    return name;
}

static uint32_t groups(uint32_t size, uint32_t covered)
{
    return (size + covered - 1) / covered;
}

static void expect_equal_planes(const float *found, const float *expected, unsigned w, unsigned h,
                                const char *what, const SsimImage *image)
{
    const size_t stride = ssim_row_size(w);
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            const float a = found[y * stride + x], b = expected[y * stride + x];
            if (memcmp(&a, &b, sizeof(a)) && (a != 0 || b != 0)) /* signs of zero are not used */
                fail_msg("%s of %ux%u, %u bits, at %u, %u: %a, not %a", what, image->w, image->h,
                         image->bpc, x, y, (double)a, (double)b);
        }
    }
}

/* -- the pyramid -- */

static void check_halving(enum Content content, unsigned bpc, unsigned w, unsigned h)
{
    Image images[2];
    make_images(images, content, bpc, w, h);
    const unsigned next_w = ssim_pyramid_size(w), next_h = ssim_pyramid_size(h);
    const size_t stride = ssim_row_size(next_w), size = stride * next_h * sizeof(float);
    float *expected = calloc(1, size), *found = calloc(1, size);
    assert_non_null(expected);
    assert_non_null(found);
    SsimPyramid *pyramid;
    assert_int_equal(ssim_pyramid_create(&pyramid, w), 0);
    const ssim_halve_args args = {
        .w = (int32_t)w,
        .h = (int32_t)h,
        .stride = (int32_t)ssim_row_size(w),
        .depth = (int32_t)bpc,
        .next_w = (int32_t)next_w,
        .next_h = (int32_t)next_h,
        .next_stride = (int32_t)stride,
    };
    for (int p = 0; p < 2; p++) {
        ssim_pyramid_step(pyramid, &functions, &images[p].view, expected);
        const FixtureBuffer buffers[] = {
            {.size = images[p].size, .in = images[p].data},
            {.size = sizeof(ssim_pyramid_taps), .in = ssim_pyramid_taps},
            {.size = size, .out = found},
        };
        const uint32_t n[] = {groups(next_w, SSIM_HALVE_COLUMNS), groups(next_h, SSIM_HALVE_ROWS),
                              1};
        assert_int_equal(fixture_run(&group_fixture, name_of("ssim_halve", bpc), buffers, &args, n),
                         0);
        expect_equal_planes(found, expected, next_w, next_h, "next scale", &images[p].view);
    }
    ssim_pyramid_destroy(pyramid);
    free(expected);
    free(found);
    free_images(images);
}

/* -- reduction -- */

static void check_reduction(enum Content content, unsigned bpc, unsigned w, unsigned h,
                            unsigned factor)
{
    Image images[2];
    make_images(images, content, bpc, w, h);
    const unsigned reduced_w = ssim_reduced_size(w, factor);
    const unsigned reduced_h = ssim_reduced_size(h, factor);
    const size_t stride = ssim_row_size(reduced_w), size = stride * reduced_h * sizeof(float);
    float *expected = calloc(1, size), *found = calloc(1, size);
    assert_non_null(expected);
    assert_non_null(found);
    SsimReducer *reducer;
    assert_int_equal(ssim_reducer_create(&reducer, w), 0);
    ssim_reduce_args args = {
        .w = (int32_t)w,
        .h = (int32_t)h,
        .stride = (int32_t)ssim_row_size(w),
        .depth = (int32_t)bpc,
        .factor = (int32_t)factor,
        .reduced_w = (int32_t)reduced_w,
        .reduced_h = (int32_t)reduced_h,
        .reduced_stride = (int32_t)stride,
    };
    const float share = ssim_reduction_share(factor);
    memcpy(&args.share, &share, sizeof(args.share));
    for (int p = 0; p < 2; p++) {
        ssim_reduce(reducer, &functions, &images[p].view, factor, expected);
        const FixtureBuffer buffers[] = {{.size = images[p].size, .in = images[p].data},
                                         {.size = size, .out = found}};
        const uint32_t n[] = {groups(reduced_w, SSIM_REDUCE_COLUMNS),
                              groups(reduced_h, SSIM_REDUCE_ROWS), 1};
        assert_int_equal(
            fixture_run(&group_fixture, name_of("ssim_reduce", bpc), buffers, &args, n), 0);
        expect_equal_planes(found, expected, reduced_w, reduced_h, "reduced picture",
                            &images[p].view);
    }
    ssim_reducer_destroy(reducer);
    free(expected);
    free(found);
    free_images(images);
}

/* -- similarity -- */

enum { INDEX, LUMINANCE, CONTRAST, STRUCTURE, TERMS };

static float sample_of(const Image *image, size_t at)
{
    const unsigned bpc = image->view.bpc;
    if (bpc == 0)
        return ((const float *)image->data)[at];
    const float scale = 1.0f / (float)(1u << (bpc - 8));
    return (bpc == 8 ? (float)((const uint8_t *)image->data)[at]
                     : (float)((const uint16_t *)image->data)[at]) *
           scale;
}

/* The mean under the window at x, y; of the product with a second image unless that is NULL. */
static float moment(const Image *a, const Image *b, unsigned x, unsigned y)
{
    static const float taps[] = {SSIM_WINDOW(SSIM_NUMBER)};
    const size_t stride = ssim_row_size(a->view.w);
    double sum = 0;
    for (unsigned v = 0; v < SSIM_TAPS; v++) {
        double row = 0;
        for (unsigned u = 0; u < SSIM_TAPS; u++) {
            const size_t at = (y + v) * stride + x + u;
            float value = sample_of(a, at);
            if (b)
                value *= sample_of(b, at);
            value *= taps[u < SSIM_TAPS / 2 ? u : SSIM_TAPS - 1 - u];
            row += (double)value;
        }
        const float product = (float)row * taps[v < SSIM_TAPS / 2 ? v : SSIM_TAPS - 1 - v];
        sum += (double)product;
    }
    return (float)sum;
}

static void define_terms(const Image images[2], unsigned x, unsigned y, double terms[TERMS])
{
    const float c1 = SSIM_C1(SSIM_NUMBER), c2 = SSIM_C2(SSIM_NUMBER), c3 = SSIM_C3(SSIM_NUMBER);
    const Image *r = &images[0], *d = &images[1];
    const float m1 = moment(r, NULL, x, y), m2 = moment(d, NULL, x, y);
    float v1 = moment(r, r, x, y) - m1 * m1, v2 = moment(d, d, x, y) - m2 * m2;
    float covariance = moment(r, d, x, y) - m1 * m2;
    v1 = v1 < 0 ? 0 : v1;
    v2 = v2 < 0 ? 0 : v2;
    const float sigma = sqrtf(v1 * v2);
    if (covariance < 0 && sigma <= 0)
        covariance = 0;
    terms[LUMINANCE] =
        (2.0 * (double)m1 * (double)m2 + (double)c1) / (double)(m1 * m1 + m2 * m2 + c1);
    terms[CONTRAST] = (2.0 * (double)sigma + (double)c2) / (double)(v1 + v2 + c2);
    terms[STRUCTURE] = (double)((covariance + c3) / (sigma + c3));
    terms[INDEX] = terms[LUMINANCE] * terms[CONTRAST] * terms[STRUCTURE];
}

static void expect_means(const SsimMeans *means, double *const terms[TERMS], const SsimImage *image)
{
    const float of_library[TERMS] = {means->index, means->luminance, means->contrast,
                                     means->structure};
    const size_t n = (size_t)ssim_positions(image->w) * ssim_positions(image->h);
    for (int k = 0; k < TERMS; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += terms[k][i];
        const float mean = ssim_mean(sum, image->w, image->h);
        assert_memory_equal(&mean, &of_library[k], sizeof(mean));
    }
}

static void check_comparison(enum Content content, unsigned bpc, unsigned w, unsigned h,
                             unsigned wanted)
{
    enum { UNUSED = 8 };
    Image images[2];
    make_images(images, content, bpc, w, h);
    const uint32_t w_out = ssim_positions(w), h_out = ssim_positions(h);
    double *found[TERMS];
    FixtureBuffer buffers[2 + TERMS] = {{.size = images[0].size, .in = images[0].data},
                                        {.size = images[1].size, .in = images[1].data}};
    for (int k = 0; k < TERMS; k++) {
        const size_t size = (size_t)w_out * h_out * sizeof(double);
        found[k] = calloc(1, size);
        assert_non_null(found[k]);
        buffers[2 + k].size = wanted >> k & 1 ? size : UNUSED;
        buffers[2 + k].out = wanted >> k & 1 ? found[k] : NULL;
    }
    const ssim_compare_args args = {.w = (int32_t)w,
                                    .h = (int32_t)h,
                                    .stride = (int32_t)ssim_row_size(w),
                                    .depth = (int32_t)bpc,
                                    .terms = (int32_t)wanted};
    const uint32_t n[] = {groups(w_out, SSIM_COMPARE_COLUMNS), groups(h_out, SSIM_COMPARE_ROWS), 1};
    assert_int_equal(fixture_run(&group_fixture, name_of("ssim_compare", bpc), buffers, &args, n),
                     0);
    for (unsigned y = 0; y < h_out; y++) {
        for (unsigned x = 0; x < w_out; x++) {
            double terms[TERMS];
            define_terms(images, x, y, terms);
            for (int k = 0; k < TERMS; k++) {
                const double term = found[k][y * w_out + x];
                if (wanted >> k & 1 && memcmp(&term, &terms[k], sizeof(term)))
                    fail_msg("term %d of %ux%u, %u bits, content %d, at %u, %u: %a, not %a", k, w,
                             h, bpc, (int)content, x, y, term, terms[k]);
            }
        }
    }
    if (wanted == (1u << TERMS) - 1 && content != CONTENT_TINY) {
        SsimCore *core;
        assert_int_equal(ssim_core_create(&core, &functions, w), 0);
        const SsimMeans means = ssim_compare(core, &images[0].view, &images[1].view, true);
        expect_means(&means, found, &images[0].view);
        ssim_core_destroy(core);
    }
    for (int k = 0; k < TERMS; k++)
        free(found[k]);
    free_images(images);
}

/* -- tests -- */

enum { ALL = (1 << TERMS) - 1 };
static const unsigned depths[] = {8, 10, 12, 16};

CASE(given_pictures_then_the_next_scale_is_that_of_the_library)
{
    for (unsigned i = 0; i < 4; i++) {
        for (int c = 0; c < PICTURE_CONTENTS; c++)
            check_halving((enum Content)c, depths[i], 61 + i + (unsigned)c, 31 + i);
    }
    /* Sizes about those of tiles, and the smallest. */
    static const unsigned sizes[][2] = {{22, 22}, {23, 24}, {63, 15},
                                        {64, 16}, {65, 17}, {129, 33}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check_halving(CONTENT_NOISE, i & 1 ? 10 : 8, sizes[i][0], sizes[i][1]);
}

CASE(given_numbers_then_the_next_scale_is_that_of_the_library)
{
    for (int c = CONTENT_FRACTIONS; c < CONTENTS; c++) {
        check_halving((enum Content)c, 0, 66, 35);
        check_halving((enum Content)c, 0, 24, 22);
    }
}

CASE(given_pictures_then_the_reduced_one_is_that_of_the_library)
{
    static const unsigned factors[] = {2, 3, 4, 5, 7, 8, 10, 17, 64};
    for (unsigned i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        const unsigned f = factors[i];
        for (unsigned d = 0; d < 4; d++) {
            for (int c = 0; c < PICTURE_CONTENTS; c += 2)
                check_reduction((enum Content)c, depths[d], 11 * f + d * (f / 2) + i % 2,
                                11 * f + d + (unsigned)c, f);
        }
    }
    check_reduction(CONTENT_NOISE, 8, 131, 37, 3);
    check_reduction(CONTENT_NOISE, 16, 195, 65, 3);
}

CASE(given_pictures_then_terms_are_as_defined)
{
    for (unsigned i = 0; i < 4; i++) {
        for (int c = 0; c < PICTURE_CONTENTS; c++)
            check_comparison((enum Content)c, depths[i], 41 + i + (unsigned)c, 15 + i, ALL);
    }
    static const unsigned sizes[][2] = {{11, 11}, {12, 14}, {11, 50}, {42, 49}, {43, 51},
                                        {74, 55}, {75, 60}, {20, 90}, {11, 91}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        check_comparison(CONTENT_NOISE, i & 1 ? 12 : 8, sizes[i][0], sizes[i][1], ALL);
}

CASE(given_numbers_then_terms_are_as_defined)
{
    for (int c = CONTENT_FRACTIONS; c < CONTENTS; c++) {
        check_comparison((enum Content)c, 0, 45, 53, ALL);
        check_comparison((enum Content)c, 0, 11, 19, ALL);
    }
}

CASE(given_some_terms_then_no_others_are_written)
{
    check_comparison(CONTENT_NOISE, 8, 45, 53, 1u << INDEX);
    check_comparison(CONTENT_NOISE, 10, 45, 53, 1u << CONTRAST | 1u << STRUCTURE);
    check_comparison(CONTENT_FRACTIONS, 0, 45, 53,
                     1u << LUMINANCE | 1u << CONTRAST | 1u << STRUCTURE);
}

CASE(given_the_bits_of_constants_then_they_are_those_of_the_numbers)
{
    static const float numbers[] = {SSIM_WINDOW(SSIM_NUMBER), SSIM_C1(SSIM_NUMBER),
                                    SSIM_C2(SSIM_NUMBER), SSIM_C3(SSIM_NUMBER)};
    static const uint32_t bits[] = {SSIM_WINDOW(SSIM_BITS), SSIM_C1(SSIM_BITS), SSIM_C2(SSIM_BITS),
                                    SSIM_C3(SSIM_BITS)};
    assert_memory_equal(numbers, bits, sizeof(bits));
}

CASES_SHARE(fixture_begin_group, fixture_end_group);

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    ssim_functions_init(&functions, 0);
    return run_cases(argc, argv);
}
