/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The parts of float_ssim and float_ms_ssim against their definitions, sample by sample, and
 * against intermediate values of libvmaf 3.2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/rows.h"
#include "metrics/float_ssim/ssim_internal.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/ssim_pattern.h"

static SsimFunctions functions;

static int use_plain_c(void **state)
{
    ssim_functions_init(&functions, 0);
    return 0;
}

/* Whatever this processor has. */
static int use_vectors(void **state)
{
    ssim_functions_init(&functions, cpu_flags(0));
    return 0;
}

static float *plane_of(unsigned w, unsigned h)
{
    float *plane = calloc((ssim_row_size(w) + 1) * h, sizeof(float));
    assert_non_null(plane);
    return plane;
}

static float sample(const float *plane, unsigned w, ptrdiff_t x, ptrdiff_t y)
{
    return plane[y * (ptrdiff_t)ssim_row_size(w) + x];
}

/* The picture in binary32, mirrored beyond its border. */
static float picture_sample(const VmafPicture *pic, ptrdiff_t x, ptrdiff_t y)
{
    const unsigned mx = mirror_half_sample(x, pic->w[0]), my = mirror_half_sample(y, pic->h[0]);
    const char *row = (const char *)pic->data[0] + (ptrdiff_t)my * pic->stride[0];
    const unsigned code = pic->bpc == 8 ? ((const uint8_t *)row)[mx] : ((const uint16_t *)row)[mx];
    return (float)code / (float)(1u << (pic->bpc - 8));
}

enum { MAX_W = 360, MAX_LANES = 8, MAX_DEALT = MAX_W + 2 * SSIM_TAPS * MAX_LANES };

/* w outputs of one row, or of the product of two. */
static void filter_row(float *out, const float *a, const float *b, unsigned w, bool is_signed)
{
    static uint64_t dealt[SSIM_PICTURES][MAX_DEALT] __attribute__((aligned(64)));
    static float filtered[MAX_DEALT];
    const size_t lanes = functions.lanes, segment = (w + lanes - 1) / lanes;
    const size_t n = segment + SSIM_IN_PROGRESS;
    const size_t n_steps = (n + SSIM_TAPS - 1) / SSIM_TAPS * SSIM_TAPS;
    memset(dealt, 0, sizeof(dealt));
    functions.deal(dealt[0], a, segment, n);
    functions.deal(dealt[1], b ? b : a, segment, n);
    if (b)
        functions.filter_product(filtered, dealt[0], dealt[1], n_steps, is_signed);
    else
        functions.filter_row(filtered, dealt[0], n_steps, is_signed);
    for (unsigned x = 0; x < w; x++)
        out[x] = filtered[(x % segment + SSIM_IN_PROGRESS) * lanes + x / segment];
}

/* w columns of SSIM_TAPS rows. */
static void filter_columns(float *out, const float *const rows[SSIM_TAPS], unsigned w,
                           bool is_signed)
{
    enum { STRIDE = MAX_W + MAX_LANES };
    static float band[SSIM_TAPS][STRIDE];
    static double in_progress[SSIM_IN_PROGRESS * STRIDE] __attribute__((aligned(64)));
    for (int k = 0; k < SSIM_TAPS; k++)
        memcpy(band[k], rows[k], w * sizeof(float));
    memset(in_progress, 0, sizeof(in_progress));
    functions.filter_columns(band[0], STRIDE, in_progress,
                             (w + functions.lanes - 1) / functions.lanes, is_signed);
    memcpy(out, band[SSIM_TAPS - 1], w * sizeof(float));
}

static const double taps[SSIM_TAPS] = {0.001028, 0.007599, 0.036001, 0.109361, 0.213006, 0.266012,
                                       0.213006, 0.109361, 0.036001, 0.007599, 0.001028};

/* Signed numbers of very different size, of which the order of addition shows. */
static float wild(unsigned x, unsigned y)
{
    unsigned hash = (x * 374761393u + y * 668265263u) * 2654435761u;
    hash ^= hash >> 15;
    return ldexpf((float)(hash % 65537) - 32768, -(int)(hash >> 20 & 31));
}

static float product(const float *a, const float *b, unsigned x)
{
    return b ? a[x] * b[x] : a[x];
}

static void expect_filtered_row(const float *a, const float *b, unsigned w, bool is_signed)
{
    static float out[MAX_W];
    filter_row(out, a, b, w, is_signed);
    for (unsigned x = 0; x < w; x++) {
        double sum = 0;
        for (unsigned k = 0; k < SSIM_TAPS; k++)
            sum += (double)(product(a, b, x + k) * (float)taps[k]);
        assert_true(out[x] == (float)sum);
    }
}

static void expect_filtered_columns(const float *const rows[SSIM_TAPS], unsigned w, bool is_signed)
{
    static float out[MAX_W];
    filter_columns(out, rows, w, is_signed);
    for (unsigned x = 0; x < w; x++) {
        double sum = 0;
        for (unsigned k = 0; k < SSIM_TAPS; k++)
            sum += (double)(rows[k][x] * (float)taps[k]);
        assert_true(out[x] == (float)sum);
    }
}

CASE(given_any_rows_then_filters_follow_their_definition)
{
    static float rows[2][SSIM_TAPS][MAX_W + SSIM_PADDING];
    const float *wild_rows[SSIM_TAPS], *magnitudes[SSIM_TAPS];
    for (unsigned y = 0; y < SSIM_TAPS; y++) {
        wild_rows[y] = rows[0][y];
        magnitudes[y] = rows[1][y];
        for (unsigned x = 0; x < MAX_W; x++) {
            rows[0][y][x] = wild(x, y);
            rows[1][y][x] = fabsf(wild(x, y));
        }
    }
    for (unsigned w = 1; w <= MAX_W - SSIM_TAPS; w += w < 100 ? 1 : 83) {
        expect_filtered_row(wild_rows[0], NULL, w, true);
        expect_filtered_row(wild_rows[0], wild_rows[1], w, true);
        expect_filtered_row(magnitudes[0], NULL, w, false);
        expect_filtered_row(wild_rows[0], wild_rows[0], w, false);
        expect_filtered_columns(wild_rows, w, true);
        expect_filtered_columns(magnitudes, w, false);
    }
}

/* Numbers that binary32 cannot normalise, and products below all of its numbers. */
CASE(given_tiny_samples_then_filters_follow_their_definition)
{
    static float rows[SSIM_TAPS][50 + 2 * SSIM_PADDING];
    const float *const tiny[SSIM_TAPS] = {rows[0], rows[1], rows[2], rows[3], rows[4], rows[5],
                                          rows[6], rows[7], rows[8], rows[9], rows[10]};
    for (unsigned y = 0; y < SSIM_TAPS; y++) {
        for (unsigned x = 0; x < 50 + SSIM_PADDING; x++)
            rows[y][x] = ldexpf(wild(x, y), -100 - (int)((x + y) % 60));
    }
    expect_filtered_row(tiny[0], NULL, 50, true);
    expect_filtered_columns(tiny, 50, true);
}

/* Rows enter in bands; sums in progress go from one to the next. */
CASE(given_two_bands_then_every_output_is_that_of_its_rows)
{
    enum { W = 16, H = 2 * SSIM_TAPS };
    static float rows[H][W], in[H][W];
    static double in_progress[SSIM_IN_PROGRESS * W] __attribute__((aligned(64)));
    for (unsigned y = 0; y < H; y++) {
        for (unsigned x = 0; x < W; x++)
            rows[y][x] = in[y][x] = wild(x, y);
    }
    memset(in_progress, 0, sizeof(in_progress));
    for (unsigned begin = 0; begin < H; begin += SSIM_TAPS)
        functions.filter_columns(rows[begin], W, in_progress, W / functions.lanes, true);
    for (unsigned y = SSIM_IN_PROGRESS; y < H; y++) {
        for (unsigned x = 0; x < W; x++) {
            double sum = 0;
            for (unsigned k = 0; k < SSIM_TAPS; k++)
                sum += (double)(in[y - SSIM_IN_PROGRESS + k][x] * (float)taps[k]);
            assert_true(rows[y][x] == (float)sum);
        }
    }
}

static float clamped_variance(float mean_square, float mean)
{
    const float variance = mean_square - mean * mean;
    return variance < 0 ? 0 : variance;
}

/* Flat, barely correlated and inverted places, between others. */
CASE(given_any_means_then_similarity_follows_its_definition)
{
    enum { W = 301 };
    static const float c1 = 6.50249958f, c2 = 58.5224953f, c3 = 29.2612476f;
    static float rows[SSIM_MOMENTS][W + SSIM_PADDING], structure[W + SSIM_PADDING];
    static double luminance[W + SSIM_PADDING], contrast[W + SSIM_PADDING];
    const float *means[SSIM_MOMENTS];
    for (int m = 0; m < SSIM_MOMENTS; m++)
        means[m] = rows[m];
    for (unsigned x = 0; x < W; x++) {
        const float r = (float)(x * 37 % 256) + 0.3f, d = (float)(x * 91 % 256) + 0.7f;
        const float spread = (float)(x % 7) * 11.1f - 11.1f;
        rows[SSIM_REF][x] = r;
        rows[SSIM_DIST][x] = d;
        rows[SSIM_REF_REF][x] = r * r + spread;
        rows[SSIM_DIST_DIST][x] = d * d + spread / 3;
        rows[SSIM_REF_DIST][x] = r * d + (x % 2 ? spread : -spread);
    }
    functions.similarity(&(SsimSimilarity){luminance, contrast, structure}, means, W);
    for (unsigned x = 0; x < W; x++) {
        const float r = rows[SSIM_REF][x], d = rows[SSIM_DIST][x];
        const float v1 = clamped_variance(rows[SSIM_REF_REF][x], r);
        const float v2 = clamped_variance(rows[SSIM_DIST_DIST][x], d);
        const float sigma = sqrtf(v1 * v2);
        float covariance = rows[SSIM_REF_DIST][x] - r * d;
        if (covariance < 0 && sigma <= 0)
            covariance = 0;
        assert_true(luminance[x] ==
                    (2.0 * (double)r * (double)d + (double)c1) / (double)(r * r + d * d + c1));
        assert_true(contrast[x] == (2.0 * (double)sigma + (double)c2) / (double)(v1 + v2 + c2));
        assert_true(structure[x] == (covariance + c3) / (sigma + c3));
    }
}

CASE(given_any_factor_then_reduction_follows_its_definition)
{
    static const unsigned sizes[][3] = {{64, 37, 8}, {63, 40, 8}, {99, 66, 12}, {97, 101, 16}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const unsigned w = sizes[i][0], h = sizes[i][1];
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, sizes[i][2], w, h);
        VmafPicture pic = harness_picture(&format, motion_pattern, 3);
        const SsimImage image = ssim_image_of_picture(&pic);
        SsimReducer *reducer;
        assert_int_equal(ssim_reducer_create(&reducer, w), 0);
        for (unsigned f = 2; f <= 10; f++) {
            const unsigned w_out = w / f + w % 2, h_out = h / f + h % 2;
            assert_int_equal(ssim_reduced_size(w, f), w_out);
            float *plane = plane_of(w_out, h_out);
            ssim_reduce(reducer, &functions, &image, f, plane);
            for (unsigned y = 0; y < h_out; y++) {
                for (unsigned x = 0; x < w_out; x++) {
                    const ptrdiff_t left = (ptrdiff_t)(f * x) - f / 2;
                    const ptrdiff_t top = (ptrdiff_t)(f * y) - f / 2;
                    double sum = 0;
                    for (unsigned v = 0; v < f; v++) {
                        for (unsigned u = 0; u < f; u++)
                            sum += (double)(picture_sample(&pic, left + u, top + v) *
                                            (1.0f / (float)(f * f)));
                    }
                    assert_true(sample(plane, w_out, x, y) == (float)sum);
                }
            }
            free(plane);
        }
        ssim_reducer_destroy(reducer);
        harness_picture_free(&pic);
    }
}

/* One quadrant of the filter between scales, in units of 10^-6. */
static const int quadrant[5][5] = {{714, -450, -2090, 7132, 16114},
                                   {-450, 283, 1316, -4490, -10146},
                                   {-2090, 1316, 6115, -20867, -47149},
                                   {7132, -4490, -20867, 71207, 160885},
                                   {16114, -10146, -47149, 160885, 363505}};

static float pyramid_tap(int v, int u)
{
    return (float)(quadrant[v < 4 ? v : 8 - v][u < 4 ? u : 8 - u] * 1e-6);
}

static void expect_pyramid(const float *plane, unsigned w, unsigned h, const float *in,
                           unsigned w_in, unsigned h_in)
{
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            double sum = 0;
            for (int v = 0; v < 9; v++) {
                for (int u = 0; u < 9; u++) {
                    const unsigned mx = mirror_half_sample(2 * (ptrdiff_t)x - 4 + u, w_in);
                    const unsigned my = mirror_half_sample(2 * (ptrdiff_t)y - 4 + v, h_in);
                    sum += (double)(sample(in, w_in, mx, my) * pyramid_tap(v, u));
                }
            }
            assert_true(sample(plane, w, x, y) == (float)sum);
        }
    }
}

/* For pictures, whose sums are exact in any order, and for planes, where the order shows. */
CASE(given_any_image_then_the_next_scale_follows_its_definition)
{
    static const unsigned sizes[][3] = {{22, 23, 8},  {300, 24, 10}, {301, 25, 12},
                                        {23, 57, 16}, {37, 41, 0},   {598, 22, 0}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const unsigned w = sizes[i][0], h = sizes[i][1], bpc = sizes[i][2];
        const unsigned w_out = ssim_pyramid_size(w), h_out = ssim_pyramid_size(h);
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc ? bpc : 8, w, h);
        VmafPicture pic = harness_picture(&format, motion_pattern, 0);
        float *in = plane_of(w, h), *out = plane_of(w_out, h_out);
        for (unsigned y = 0; y < h; y++) {
            for (unsigned x = 0; x < w; x++)
                in[y * ssim_row_size(w) + x] = bpc ? picture_sample(&pic, x, y) : wild(x, y);
        }
        const SsimImage image = bpc ? ssim_image_of_picture(&pic) : ssim_image_of_plane(in, w, h);
        SsimPyramid *pyramid;
        assert_int_equal(ssim_pyramid_create(&pyramid, w), 0);
        ssim_pyramid_step(pyramid, &functions, &image, out);
        expect_pyramid(out, w_out, h_out, in, w, h);
        ssim_pyramid_destroy(pyramid);
        free(in);
        free(out);
        harness_picture_free(&pic);
    }
}

int main(int argc, char **argv)
{
    select_cases(argc, argv);
    const int failed = run_defined_cases(use_plain_c, NULL);
    return end_cases(failed + run_defined_cases(use_vectors, NULL));
}
