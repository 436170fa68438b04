/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What metrics share: mirroring, Gaussian windows, resizing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/resample.h"
#include "metrics/common/rows.h"
#include "support/cases.h"

/* What the samples of a picture of five are at positions -4 to 8. */
enum { N = 5, FIRST = -4, POSITIONS = 13 };

static void expect(unsigned (*rule)(int, unsigned), const unsigned samples[POSITIONS])
{
    for (int i = 0; i < POSITIONS; i++)
        assert_int_equal(rule(FIRST + i, N), samples[i]);
}

CASE(test_whole_sample_symmetry_does_not_repeat_the_border)
{
    static const unsigned samples[POSITIONS] = {4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0};
    expect(mirror_whole_sample, samples);
}

CASE(test_half_sample_symmetry_repeats_the_border)
{
    static const unsigned samples[POSITIONS] = {3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 3, 2, 1};
    expect(mirror_half_sample, samples);
}

CASE(test_mixed_symmetry_repeats_the_last_sample_only)
{
    static const unsigned samples[POSITIONS] = {4, 3, 2, 1, 0, 1, 2, 3, 4, 4, 3, 2, 1};
    expect(mirror_whole_and_half, samples);
}

CASE(test_windows_wider_than_the_picture_are_folded_again)
{
    for (int i = -20; i < 20; i++) {
        /* 0, 1, 2, 1 over and over */
        static const unsigned period[4] = {0, 1, 2, 1};
        assert_int_equal(mirror_whole_sample(i, 3), period[(unsigned)i % 4]);
        assert_int_equal(mirror_whole_sample(i, 2), (unsigned)i % 2);
        assert_int_equal(mirror_whole_sample(i, 1), 0);
    }
}

/* Gaussian windows. Sizes and taps: libvmaf 3.2 reference values. */

static const struct {
    double scale;
    int nine, two; /* sizes of the windows of 9 and of 2 taps */
} windows[] = {
    {1, 9, 3},         {1.0 / 2, 5, 3},     {3.0 / 2, 15, 3}, {2, 19, 5},       {2.0 / 3, 7, 3},
    {2.4, 23, 5},      {360.0 / 97, 35, 9}, {4.0 / 3, 13, 3}, {3.5 / 3, 11, 3}, {1.25, 13, 3},
    {4.25 / 3, 13, 3}, {5.0 / 3, 15, 5},    {3, 27, 7},       {1 / 2.25, 5, 3}, {1.4746, 15, 3},
    {1.54, 15, 5},     {1.6, 15, 5},        {1.06667, 11, 3}, {0.711111, 7, 3}, {0.740740, 7, 3},
    {1.111111, 11, 3},
};

CASE(given_known_scales_then_sizes_are_known)
{
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        assert_int_equal(gaussian_scale_check("ks", windows[i].scale, NULL), 0);
        assert_int_equal(gaussian_window_size(9, windows[i].scale), windows[i].nine);
        assert_int_equal(gaussian_window_size(2, windows[i].scale), windows[i].two);
    }
}

CASE(given_other_scales_then_refused_with_the_list)
{
    static const double rejected[] = {0.1, 4, 1.002, 0.998, 1.7, 3.3};
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
        Reason why = {""};
        assert_true(gaussian_scale_check("ks", rejected[i], &why) < 0);
        assert_non_null(strstr(why.text, "option ks: "));
        assert_non_null(strstr(why.text, "1.06667, 0.711111, 0.74074, 1.111111"));
    }
    assert_int_equal(gaussian_scale_check("ks", 1.0009, NULL), 0);
    assert_int_equal(gaussian_scale_check("ks", 0.9991, NULL), 0);
}

CASE(given_sizes_then_taps_are_known)
{
    static const float nine[] = {0x1.35db8cp-4f, 0x1.95ed7p-4f,  0x1.ec4b3cp-4f,
                                 0x1.1459bp-3f,  0x1.1f3866p-3f, 0x1.1459bp-3f,
                                 0x1.ec4b3cp-4f, 0x1.95ed7p-4f,  0x1.35db8cp-4f};
    static const float three[] = {0x1.54be42p-3f, 0x1.55a0dep-1f, 0x1.54be42p-3f};
    float taps[9];
    gaussian_window(taps, 9, 3.6f);
    assert_memory_equal(taps, nine, sizeof(nine));
    gaussian_window(taps, 3, 0.6f);
    assert_memory_equal(taps, three, sizeof(three));
}

/* Resizing of planes, against its definition sample by sample. */

static float sample(unsigned x, unsigned y)
{
    unsigned hash = x * 374761393u + y * 668265263u;
    hash = (hash ^ (hash >> 13)) * 1274126177u;
    return (float)(hash >> 16 & 1023) / 4 - 128;
}

static float *plane(unsigned w, unsigned h, size_t stride)
{
    float *samples = malloc(stride * h * sizeof(*samples));
    assert_non_null(samples);
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < stride; x++)
            samples[y * stride + x] = x < w ? sample(x, y) : NAN;
    }
    return samples;
}

static int reflected(int i, int n)
{
    return i < 0 ? -i : i > n - 1 ? 2 * (n - 1) - i : i;
}

static float at(unsigned x, unsigned n_in, unsigned n_out)
{
    const float ratio = (float)n_in / (float)n_out;
    return (float)(((double)x + 0.5) * (double)ratio - 0.5);
}

static float bilinear(unsigned x, unsigned y, const unsigned in[2], const unsigned out[2])
{
    const float place_x = at(x, in[0], out[0]), place_y = at(y, in[1], out[1]);
    const int x1 = reflected((int)floorf(place_x), (int)in[0]);
    const int x2 = reflected((int)ceilf(place_x), (int)in[0]);
    const int y1 = reflected((int)floorf(place_y), (int)in[1]);
    const int y2 = reflected((int)ceilf(place_y), (int)in[1]);
    const float fx = place_x - (float)x1, fy = place_y - (float)y1;
    float sum = (1 - fy) * (1 - fx) * sample((unsigned)x1, (unsigned)y1);
    sum += (1 - fy) * fx * sample((unsigned)x2, (unsigned)y1);
    sum += fy * (1 - fx) * sample((unsigned)x1, (unsigned)y2);
    sum += fy * fx * sample((unsigned)x2, (unsigned)y2);
    return sum;
}

static float cubic_weight(float offset)
{
    const float a = -0.75f, t = fabsf(offset);
    if (t < 1)
        return ((a + 2) * t - (a + 3)) * t * t + 1;
    return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0;
}

static float lanczos_weight(float offset)
{
    const double t = offset;
    if (t == 0)
        return 1;
    if (!(t > -4 && t < 4))
        return 0;
    return (float)(4 * sin(M_PI * t) * sin(M_PI * t / 4) / (M_PI * M_PI * t * t));
}

static float windowed(unsigned x, unsigned y, const unsigned in[2], const unsigned out[2],
                      int first, int last, float (*weight)(float), int normalise)
{
    const float place_x = at(x, in[0], out[0]), place_y = at(y, in[1], out[1]);
    const float fx = place_x - floorf(place_x), fy = place_y - floorf(place_y);
    float sum = 0, weights = 0;
    for (int j = first; j <= last; j++) {
        for (int i = first; i <= last; i++) {
            const int sx = reflected((int)floorf(place_x) + i, (int)in[0]);
            const int sy = reflected((int)floorf(place_y) + j, (int)in[1]);
            const float w = weight((float)i - fx) * weight((float)j - fy);
            sum += sample((unsigned)sx, (unsigned)sy) * w;
            weights += w;
        }
    }
    return normalise ? sum / weights : sum;
}

static float defined(ResampleMethod method, unsigned x, unsigned y, const unsigned in[2],
                     const unsigned out[2])
{
    switch (method) {
    case RESAMPLE_NEAREST: {
        const float rx = (float)in[0] / (float)out[0], ry = (float)in[1] / (float)out[1];
        return sample((unsigned)((float)x * rx), (unsigned)((float)y * ry));
    }
    case RESAMPLE_BILINEAR:
        return bilinear(x, y, in, out);
    case RESAMPLE_BICUBIC:
        return windowed(x, y, in, out, -1, 2, cubic_weight, 0);
    case RESAMPLE_LANCZOS4:
        return windowed(x, y, in, out, -4, 4, lanczos_weight, 1);
    }
    return NAN;
}

static const unsigned sizes[][2][2] = {
    {{64, 48}, {32, 24}},  {{64, 48}, {38, 29}}, {{31, 17}, {40, 22}}, {{31, 17}, {62, 34}},
    {{31, 17}, {124, 68}}, {{133, 9}, {150, 3}}, {{5, 5}, {20, 20}},   {{100, 100}, {10, 10}},
};

CASE(given_sizes_then_every_sample_is_as_defined)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const unsigned *in = sizes[i][0], *out = sizes[i][1];
        const size_t in_stride = in[0] + 3, out_stride = out[0] + 5;
        float *source = plane(in[0], in[1], in_stride);
        float *result = plane(out[0], out[1], out_stride);
        for (int m = RESAMPLE_NEAREST; m <= RESAMPLE_LANCZOS4; m++) {
            Resampler *resampler;
            assert_int_equal(
                resampler_create(&resampler, (ResampleMethod)m, in[0], in[1], out[0], out[1]), 0);
            resampler_run(resampler, source, in_stride, result, out_stride);
            for (unsigned y = 0; y < out[1]; y++) {
                for (unsigned x = 0; x < out[0]; x++) {
                    const float known = defined((ResampleMethod)m, x, y, in, out);
                    const float value = result[y * out_stride + x];
                    if (!(value == known))
                        fail_msg("method %d, %ux%u to %ux%u, (%u,%u): %.9g, not %.9g", m, in[0],
                                 in[1], out[0], out[1], x, y, (double)value, (double)known);
                }
                assert_true(isnan(result[y * out_stride + out[0]]));
            }
            resampler_destroy(resampler);
        }
        free(source);
        free(result);
    }
}

/* Sample x of a row of n_in that became n_out, by the definition in one dimension. */
static float defined_in_row(ResampleMethod method, unsigned x, unsigned n_in, unsigned n_out)
{
    const unsigned in[2] = {n_in, 1}, out[2] = {n_out, 1};
    return defined(method, x, 0, in, out);
}

/* Which samples stand in for those beyond the edges depends on how many there are, so every number
 * is tried, and those of usual pictures. */
static void expect_edges(ResampleMethod method, unsigned n_in, unsigned n_out, const float *source,
                         float *result)
{
    enum { EDGE = 24 };
    Resampler *resampler;
    assert_int_equal(resampler_create(&resampler, method, n_in, 1, n_out, 1), 0);
    resampler_run(resampler, source, n_in, result, n_out);
    resampler_destroy(resampler);
    for (unsigned x = 0; x < n_out; x++) {
        if (x == EDGE && n_out > 2 * EDGE)
            x = n_out - EDGE;
        const float known = defined_in_row(method, x, n_in, n_out);
        if (!(result[x] == known))
            fail_msg("method %d, %u to %u columns, column %u: %.9g, not %.9g", method, n_in, n_out,
                     x, (double)result[x], (double)known);
    }
}

/* The rows that a row is made of: whole numbers, so all of them are looked at. */
static void expect_rows(ResampleMethod method, unsigned n_in, unsigned n_out)
{
    static const int first_taps[] = {0, 0, -1, -4};
    Resampler *resampler;
    assert_int_equal(resampler_create(&resampler, method, 1, n_in, 1, n_out), 0);
    for (unsigned y = 0; y < n_out; y++) {
        unsigned rows[RESAMPLE_MAX_TAPS];
        const unsigned n_taps = resampler_input_rows(resampler, y, rows);
        for (unsigned j = 0; j < n_taps; j++) {
            const float place = at(y, n_in, n_out);
            int row = (int)floorf(place) + first_taps[method] + (int)j;
            if (method == RESAMPLE_NEAREST)
                row = (int)((float)y * ((float)n_in / (float)n_out));
            else if (method == RESAMPLE_BILINEAR && j == 1)
                row = (int)ceilf(place);
            if (rows[j] != (unsigned)reflected(row, (int)n_in))
                fail_msg("method %d, %u to %u rows, row %u, tap %u: %u, not %d", method, n_in,
                         n_out, y, j, rows[j], reflected(row, (int)n_in));
        }
    }
    resampler_destroy(resampler);
}

CASE(given_every_number_of_samples_then_edges_are_as_defined)
{
    enum { LARGEST = 8192 };
    float *source = plane(LARGEST, 1, LARGEST);
    float *result = malloc(2 * LARGEST * sizeof(*result));
    assert_non_null(result);
    for (unsigned n = 6; n <= LARGEST; n += n < 2200 || n % 64 >= 63 ? 1 : 63 - n % 64) {
        const unsigned twice = 2 * n, fewer = n * 3 / 4;
        for (int m = RESAMPLE_NEAREST; m <= RESAMPLE_LANCZOS4; m++) {
            const ResampleMethod method = (ResampleMethod)m;
            expect_rows(method, n, n % 2 ? twice : fewer);
            expect_edges(method, n, n % 2 ? fewer : twice, source, result);
        }
    }
    free(result);
    free(source);
}

CASE(given_rows_one_by_one_then_they_are_those_of_the_plane)
{
    static const unsigned n_rows[] = {1, 2, 4, 9};
    enum { W = 31, H = 17, W_OUT = 40, H_OUT = 22 };
    float *source = plane(W, H, W);
    float whole[W_OUT * H_OUT], row[W_OUT];
    for (int m = RESAMPLE_NEAREST; m <= RESAMPLE_LANCZOS4; m++) {
        Resampler *resampler;
        assert_int_equal(resampler_create(&resampler, (ResampleMethod)m, W, H, W_OUT, H_OUT), 0);
        resampler_run(resampler, source, W, whole, W_OUT);
        for (unsigned y = 0; y < H_OUT; y++) {
            unsigned numbers[RESAMPLE_MAX_TAPS];
            const float *rows[RESAMPLE_MAX_TAPS];
            assert_int_equal(resampler_input_rows(resampler, y, numbers), n_rows[m]);
            for (unsigned j = 0; j < n_rows[m]; j++) {
                assert_true(numbers[j] < H);
                assert_true(abs((int)numbers[j] - (int)numbers[0]) < 16);
                rows[j] = source + numbers[j] * W;
            }
            resampler_row(resampler, y, rows, row);
            assert_memory_equal(row, whole + y * W_OUT, sizeof(row));
        }
        resampler_destroy(resampler);
    }
    free(source);
}

/* By hand: halving averages pairs, doubling extrapolates at the first sample as libvmaf does. */
CASE(given_a_short_row_when_bilinear_then_samples_are_those_of_hand_calculation)
{
    const float in[] = {0, 4, 8, 16};
    float halved[2], doubled[8];
    Resampler *resampler;
    assert_int_equal(resampler_create(&resampler, RESAMPLE_BILINEAR, 4, 1, 2, 1), 0);
    resampler_run(resampler, in, 4, halved, 2);
    resampler_destroy(resampler);
    assert_true(halved[0] == 2 && halved[1] == 12);
    assert_int_equal(resampler_create(&resampler, RESAMPLE_BILINEAR, 4, 1, 8, 1), 0);
    resampler_run(resampler, in, 4, doubled, 8);
    resampler_destroy(resampler);
    static const float known[] = {9, 1, 3, 5, 7, 10, 14, 14};
    for (int x = 0; x < 8; x++)
        assert_true(doubled[x] == known[x]);
}

/* Where one reflection does not suffice, indices must still be inside of the plane. */
CASE(given_tiny_planes_then_nothing_outside_of_them_is_read)
{
    for (unsigned n = 1; n < 5; n++) {
        float *source = plane(n, n, n);
        float result[16 * 16];
        for (int m = RESAMPLE_NEAREST; m <= RESAMPLE_LANCZOS4; m++) {
            Resampler *resampler;
            assert_int_equal(resampler_create(&resampler, (ResampleMethod)m, n, n, 16, 16), 0);
            resampler_run(resampler, source, n, result, 16);
            for (int i = 0; i < 16 * 16; i++)
                assert_true(isfinite(result[i]));
            resampler_destroy(resampler);
        }
        free(source);
    }
}

CASE(given_names_then_methods_are_found_or_listed)
{
    static const char *const names[] = {"nearest", "bilinear", "bicubic", "lanczos4"};
    ResampleMethod method;
    for (int m = RESAMPLE_NEAREST; m <= RESAMPLE_LANCZOS4; m++) {
        assert_int_equal(resample_method_parse("psm", names[m], &method, NULL), 0);
        assert_int_equal(method, m);
        assert_int_equal(resample_method(names[m]), m);
    }
    Reason why = {""};
    assert_true(resample_method_parse("psm", "Bilinear", &method, &why) < 0);
    assert_string_equal(why.text, "option psm: \"Bilinear\" is not one of nearest, bilinear, "
                                  "bicubic, lanczos4");
}
