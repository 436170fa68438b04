/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernel of ssim, each pixel: in the sum over a picture, the last bits of terms would be lost.
 * Against the library's similarity of local sums that are made here, sample by sample. Takes the
 * layer's name.
 */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/ssim/ssim_internal.h"
#include "metrics/ssim/ssim_kernel.h"
#include "random_numbers.h"
#include "support/cases.h"
#include "test_sets.h"

enum { MAX_SIDE = 260, MAX_SAMPLES = MAX_SIDE * MAX_SIDE };
enum Content { CONTENT_NOISE, CONTENT_SIMILAR, CONTENT_FLAT, CONTENT_EXTREME, CONTENTS };

static IntegerSsimFunctions library;

typedef struct Frame {
    int w, h, stride; /* in samples */
    unsigned depth;
    uint16_t ref[MAX_SAMPLES], dist[MAX_SAMPLES]; /* with the stride */
} Frame;

static void fill(Frame *frame, enum Content content)
{
    const uint32_t peak = (1u << frame->depth) - 1;
    for (int i = 0; i < frame->h * frame->stride; i++) {
        const uint32_t x = (uint32_t)(i % frame->stride), y = (uint32_t)(i / frame->stride);
        uint32_t r = noise() & peak, d = noise() & peak;
        if (content == CONTENT_SIMILAR) {
            r = (7 * x + 5 * y + noise() % 8) & peak;
            d = r + (r < peak && noise() % 2);
        } else if (content == CONTENT_FLAT) {
            r = d = peak / 3;
        } else if (content == CONTENT_EXTREME) {
            r = (x / 3 + y / 2) & 1 ? peak : 0;
            d = x > 9 ? peak - r : peak;
        }
        frame->ref[i] = (uint16_t)r;
        frame->dist[i] = (uint16_t)d;
    }
}

static double defined(const Frame *frame, int x, int y)
{
    static const int taps[9] = {2, 9, 28, 55, 68, 55, 28, 9, 2};
    uint64_t sums[SSIM_SUMS] = {0};
    for (int j = -4; j <= 4; j++) {
        for (int i = -4; i <= 4; i++) {
            if (x + i < 0 || x + i >= frame->w || y + j < 0 || y + j >= frame->h)
                continue;
            const int at = (y + j) * frame->stride + x + i;
            const uint64_t r = frame->ref[at], d = frame->dist[at];
            const uint64_t weight = (uint64_t)(taps[i + 4] * taps[j + 4]);
            const uint64_t products[SSIM_SUMS] = {r, d, r * r, d * d, r * d};
            for (int k = 0; k < SSIM_SUMS; k++)
                sums[k] += weight * products[k];
        }
    }
    double moments[SSIM_SUMS], similarity;
    const double *rows[SSIM_SUMS];
    for (int k = 0; k < SSIM_SUMS; k++) {
        moments[k] = (double)sums[k];
        rows[k] = &moments[k];
    }
    const double weight = ssim_weight((uint32_t)x, (uint32_t)frame->w);
    const SsimConstants constants = ssim_constants(frame->depth);
    library.similarity(&similarity, rows, &weight, ssim_weight((uint32_t)y, (uint32_t)frame->h),
                       &constants, 1);
    return similarity;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static void run(const Frame *frame, double *terms)
{
    const size_t n = (size_t)frame->h * (size_t)frame->stride;
    static unsigned char bytes[2][MAX_SAMPLES];
    for (size_t i = 0; i < n; i++) {
        bytes[0][i] = (unsigned char)frame->ref[i];
        bytes[1][i] = (unsigned char)frame->dist[i];
    }
    const bool deep = frame->depth > 8;
    const SsimConstants constants = ssim_constants(frame->depth);
    const ssim_terms_args args = {.c1 = bits_of(constants.c1),
                                  .c2 = bits_of(constants.c2),
                                  .c1_inside = bits_of(constants.c1 * 0x1p32),
                                  .c2_inside = bits_of(constants.c2 * 0x1p32),
                                  .w = frame->w,
                                  .h = frame->h,
                                  .stride = frame->stride};
    const FixtureBuffer buffers[] = {
        {.size = deep ? 2 * n : n, .in = deep ? (const void *)frame->ref : bytes[0]},
        {.size = deep ? 2 * n : n, .in = deep ? (const void *)frame->dist : bytes[1]},
        {.size = (size_t)frame->w * (size_t)frame->h * sizeof(double), .out = terms},
    };
    const uint32_t groups[3] = {(uint32_t)(frame->w + SSIM_TERMS_COLUMNS - 1) / SSIM_TERMS_COLUMNS,
                                (uint32_t)(frame->h + SSIM_TERMS_ROWS - 1) / SSIM_TERMS_ROWS, 1};
    assert_int_equal(fixture_run(&group_fixture, deep ? "ssim_terms_16" : "ssim_terms_8", buffers,
                                 &args, groups),
                     0);
}

static void check(unsigned depth, int w, int h)
{
    static Frame frame;
    double *terms = calloc((size_t)w * (size_t)h, sizeof(*terms));
    frame.w = w;
    frame.h = h;
    frame.stride = w + 4 - w % 4;
    frame.depth = depth;
    for (int content = 0; content < CONTENTS; content++) {
        fill(&frame, (enum Content)content);
        run(&frame, terms);
        for (int i = 0; i < w * h; i++) {
            const double expected = defined(&frame, i % w, i / w);
            if (terms[i] != expected)
                fail_msg("%dx%d, %u bits, content %d, x %d, y %d: %a, not %a", w, h, depth, content,
                         i % w, i / w, terms[i], expected);
        }
    }
    free(terms);
}

CASE(given_any_depth_each_pixel_has_the_similarity_of_the_library)
{
    for (unsigned depth = 8; depth <= 16; depth++)
        check(depth, 29 + (int)depth, 21 - (int)depth / 2);
}

CASE(given_sizes_about_tiles_each_pixel_has_the_similarity_of_the_library)
{
    check(8, 119, 4);
    check(8, 120, 5);
    check(10, 121, 3);
    check(16, 241, 9);
    check(8, 125, 8);
}

CASE(given_tiny_pictures_each_pixel_has_the_similarity_of_the_library)
{
    check(8, 1, 1);
    check(16, 1, 7);
    check(12, 7, 1);
    for (int n = 2; n < 12; n++)
        check(n % 2 ? 8 : 10, n, 13 - n);
}

CASES_SHARE(fixture_begin_group, fixture_end_group);

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    integer_ssim_functions_init(&library, 0);
    return run_cases(argc, argv);
}
