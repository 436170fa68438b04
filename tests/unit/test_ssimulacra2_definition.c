/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * ssimulacra2 against its definition: whole planes, one pixel after another, no shortcut. The sums
 * that the library makes equal the ones made here bit by bit, for random and for extreme pictures.
 */
#include <math.h>
#include <string.h>

#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"
#include "support/cases.h"
#include "support/metric_checks.h"

enum { MAX_W = 300, MAX_H = 260, C = SSIMULACRA2_COMPONENTS };

typedef struct Plane {
    float at[MAX_H][MAX_W];
} Plane;

/* By picture, 0 for the reference; planes of a scale. */
static Plane linear[2][3], xyb[2][C];
static Plane mean[2], moment[3]; /* ref * ref, dist * dist, ref * dist */
static VmafRecordSsimulacra2 expected;

static float sample(const VmafPicture *pic, int plane, unsigned x, unsigned y)
{
    const char *row = (const char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
    return pic->bpc == 8 ? ((const uint8_t *)row)[x] : ((const uint16_t *)row)[x];
}

/* -- colour -- */

static double srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static float to_linear(float v)
{
    if (v <= 0)
        return 0;
    if (v >= 1)
        return 1;
    const float t = v * 1023.0f;
    const int i = (int)t;
    const float f = t - (float)i;
    const float a = (float)srgb(i / 1023.0), b = (float)srgb((i + 1) / 1023.0);
    return a + (b - a) * f;
}

static void make_linear(Plane out[3], const VmafPicture *pic, int matrix)
{
    const float kr = matrix % 2 ? 0.299f : 0.2126f;
    const float kg = matrix % 2 ? 0.587f : 0.7152f;
    const float kb = matrix % 2 ? 0.114f : 0.0722f;
    const float inv = 1.0f / (float)((1 << pic->bpc) - 1);
    const float ys = matrix >= 2 ? 1 : 255.0f / 219.0f, cs = matrix >= 2 ? 1 : 255.0f / 224.0f;
    const float yo = matrix >= 2 ? 0 : 16.0f / 255.0f;
    const float cr_r = 2 * (1 - kr), cb_b = 2 * (1 - kb);
    const float cb_g = -((2 * kb) * (1 - kb)) / kg, cr_g = -((2 * kr) * (1 - kr)) / kg;
    for (unsigned y = 0; y < pic->h[0]; y++) {
        for (unsigned x = 0; x < pic->w[0]; x++) {
            const unsigned sx = x * pic->w[1] / pic->w[0], sy = y * pic->h[1] / pic->h[0];
            const float l = (sample(pic, 0, x, y) * inv - yo) * ys;
            const float u = (sample(pic, 1, sx, sy) * inv - 0.5f) * cs;
            const float v = (sample(pic, 2, sx, sy) * inv - 0.5f) * cs;
            out[0].at[y][x] = to_linear(l + cr_r * v);
            out[1].at[y][x] = to_linear((l + cb_g * u) + cr_g * v);
            out[2].at[y][x] = to_linear(l + cb_b * u);
        }
    }
}

static float cube_root(float x)
{
    uint32_t bits;
    if (x <= 0)
        return 0;
    memcpy(&bits, &x, sizeof(bits));
    bits = bits / 3 + 0x2a5137a0;
    float y;
    memcpy(&y, &bits, sizeof(y));
    for (int i = 0; i < 2; i++)
        y = (2 * y + x / (y * y)) * (1.0f / 3.0f);
    return y;
}

static float cone(float r, float g, float b, const float shares[3])
{
    static const float bias = 0.0037930732552754493f;
    const float v = ((shares[0] * r + shares[1] * g) + shares[2] * b) + bias;
    return cube_root(v < 0 ? 0 : v) - cube_root(bias);
}

static void make_xyb(Plane out[C], const Plane rgb[3], unsigned w, unsigned h)
{
    static const float long_shares[3] = {0.30f, (1 - 0.30f) - 0.078f, 0.078f};
    static const float medium_shares[3] = {0.23f, (1 - 0.23f) - 0.078f, 0.078f};
    static const float short_shares[3] = {0.24342268924547819f, 0.20476744424496821f,
                                          (1 - 0.24342268924547819f) - 0.20476744424496821f};
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            const float r = rgb[0].at[y][x], g = rgb[1].at[y][x], b = rgb[2].at[y][x];
            const float l = cone(r, g, b, long_shares), m = cone(r, g, b, medium_shares);
            const float s = cone(r, g, b, short_shares);
            out[0].at[y][x] = (0.5f * (l - m)) * 14 + 0.42f;
            out[1].at[y][x] = 0.5f * (l + m) + 0.01f;
            out[2].at[y][x] = (s - 0.5f * (l + m)) + 0.55f;
        }
    }
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void halve(Plane *plane, unsigned w, unsigned h)
{
    for (unsigned y = 0; 2 * y < h; y++) {
        for (unsigned x = 0; 2 * x < w; x++) {
            const float *top = plane->at[2 * y], *bottom = plane->at[smaller(2 * y + 1, h - 1)];
            const unsigned right = smaller(2 * x + 1, w - 1);
            plane->at[y][x] = (((top[2 * x] + top[right]) + bottom[2 * x]) + bottom[right]) * 0.25f;
        }
    }
}

/* -- blur -- */

static void blur_line(float *line, unsigned stride, int n)
{
    static const float gain[3] = {0x1.c4fa84p-5f, -0x1.e1fd7ap-5f, 0x1.a8894ap-7f};
    static const float feedback[3] = {-0x1.e6f0e2p+0f, -0x1.2cf23p+0f, -0x1.1a6264p-53f};
    float in[MAX_W], a[3] = {0}, b[3] = {0};
    for (int k = 0; k < n; k++)
        in[k] = line[(unsigned)k * stride];
    for (int k = -4; k < n; k++) {
        const float sum = (k >= 6 ? in[k - 6] : 0) + (k + 4 < n ? in[k + 4] : 0);
        for (int j = 0; j < 3; j++) {
            const float v = (gain[j] * sum - feedback[j] * a[j]) - b[j];
            b[j] = a[j];
            a[j] = v;
        }
        if (k >= 0)
            line[(unsigned)k * stride] = (a[0] + a[1]) + a[2];
    }
}

/* Of the product of two planes, or of one plane. */
static void blur(Plane *out, const Plane *a, const Plane *b, unsigned w, unsigned h)
{
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++)
            out->at[y][x] = b ? a->at[y][x] * b->at[y][x] : a->at[y][x];
        blur_line(out->at[y], 1, (int)w);
    }
    for (unsigned x = 0; x < w; x++)
        blur_line(&out->at[0][x], MAX_W, (int)h);
}

static void make_moments(unsigned c, unsigned w, unsigned h)
{
    for (int i = 0; i < 2; i++) {
        blur(&mean[i], &xyb[i][c], NULL, w, h);
        blur(&moment[i], &xyb[i][c], &xyb[i][c], w, h);
    }
    blur(&moment[2], &xyb[0][c], &xyb[1][c], w, h);
}

/* -- maps -- */

static void add_errors(double *sums, double ssim, double edges)
{
    const double errors[3] = {ssim > 0 ? ssim : 0, edges > 0 ? edges : 0, edges < 0 ? -edges : 0};
    for (int i = 0; i < 3; i++) {
        sums[i] += errors[i];
        sums[i + 3] += (errors[i] * errors[i]) * (errors[i] * errors[i]);
    }
}

static void compare(double *sums, unsigned c, unsigned w, unsigned h)
{
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            const float u = mean[0].at[y][x], v = mean[1].at[y][x];
            const float m = 1 - (u - v) * (u - v);
            const float s = 2 * (moment[2].at[y][x] - u * v) + 0.0009f;
            const float d = ((moment[0].at[y][x] - u * u) + (moment[1].at[y][x] - v * v)) + 0.0009f;
            const double e1 = fabs((double)xyb[0][c].at[y][x] - (double)u);
            const double e2 = fabs((double)xyb[1][c].at[y][x] - (double)v);
            add_errors(sums, 1 - ((double)m * (double)s) / (double)d, (1 + e2) / (1 + e1) - 1);
        }
    }
}

/* Fills `expected`. */
static void score_scale(unsigned scale, unsigned w, unsigned h)
{
    for (int i = 0; i < 2; i++)
        make_xyb(xyb[i], linear[i], w, h);
    for (unsigned c = 0; c < C; c++) {
        make_moments(c, w, h);
        compare(expected.sum[c][scale], c, w, h);
    }
}

static void score_by_definition(const VmafPicture *ref, const VmafPicture *dist, int matrix)
{
    memset(&expected, 0, sizeof(expected));
    make_linear(linear[0], ref, matrix);
    make_linear(linear[1], dist, matrix);
    unsigned w = ref->w[0], h = ref->h[0];
    for (unsigned scale = 0; scale < SSIMULACRA2_SCALES && w >= 8 && h >= 8; scale++) {
        score_scale(scale, w, h);
        for (int i = 0; i < 6; i++)
            halve(&linear[i / 3][i % 3], w, h);
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
}

/* -- tests -- */

static unsigned hash(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    unsigned h = x * 374761393u + y * 668265263u + plane * 2246822519u + frame * 3266489917u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return h ^ (h >> 16);
}

static unsigned noise(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return hash(x, y, plane, frame) & ((1u << bpc) - 1);
}

/* Flat black and white areas with saturated colours, and noise that only moves some samples. */
static unsigned extremes(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned area = hash(x / 23, y / 19, plane, 0);
    const unsigned flips = frame && hash(x, y, plane, frame) % 50 == 0;
    return (area & 1) ^ flips ? (1u << bpc) - 1 : 0;
}

static unsigned dark(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned middle = 1u << (bpc - 1);
    return plane ? middle : (17u << (bpc - 8)) + hash(x, y, plane, frame) % 3;
}

static void expect_equal_sums(const PictureFormat *format, HarnessSample content, int matrix)
{
    static const char *const options[] = {"yuv_matrix=0", "yuv_matrix=1", "yuv_matrix=2",
                                          "yuv_matrix=3"};
    VmafPicture ref = harness_picture(format, content, 0);
    VmafPicture dist = harness_picture(format, content, 1);
    score_by_definition(&ref, &dist, matrix);
    VmafRecordSsimulacra2 record;
    harness_start(&harness, &ssimulacra2_extractor, options[matrix], format);
    /* Twice: nothing may be left over from the frame before. */
    harness_frame(&harness, &(FrameInput){.ref = &dist, .dist = &ref}, 0);
    harness_frame(&harness, &(FrameInput){.ref = &ref, .dist = &dist}, 1);
    memcpy(&record, harness.record, sizeof(record));
    harness_stop(&harness);
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(format->w[0], format->h[0]);
    for (unsigned c = 0; c < C; c++) {
        for (unsigned s = 0; s < sizes.n_scales; s++) {
            for (unsigned k = 0; k < SSIMULACRA2_NORMS; k++) {
                if (ssimulacra2_has_weight(c, s, k) &&
                    memcmp(&record.sum[c][s][k], &expected.sum[c][s][k], sizeof(double)))
                    fail_msg("%ux%u, component %u, scale %u, norm %u: %a, not %a", format->w[0],
                             format->h[0], c, s, k, record.sum[c][s][k], expected.sum[c][s][k]);
            }
        }
    }
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

CASE(given_any_pictures_then_sums_are_those_of_the_definition)
{
    static const unsigned sizes[][2] = {{8, 8},   {9, 8},   {8, 9},     {10, 17},   {15, 16},
                                        {17, 31}, {64, 48}, {131, 97},  {127, 132}, {33, 200},
                                        {257, 9}, {9, 257}, {300, 250}, {16, 15}};
    static const HarnessSample contents[] = {noise, extremes, dark};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (int content = 0; content < 3; content++, n++) {
            const PictureFormat format =
                harness_format(VMAF_PIX_FMT_YUV420P + n % 3, 8 + n % 9, sizes[i][0], sizes[i][1]);
            expect_equal_sums(&format, contents[content], (int)(n % 4));
        }
    }
}

/* What kernels compute with. */
CASE(given_constants_then_kernels_have_their_bits)
{
#define CONSTANT(name)                                                                             \
    {                                                                                              \
        SSIMULACRA2_##name, SSIMULACRA2_##name##_BITS                                              \
    }
    static const struct {
        float value;
        uint32_t bits;
    } constants[] = {
        CONSTANT(LONG_R),    CONSTANT(LONG_G),   CONSTANT(LONG_B),    CONSTANT(MEDIUM_R),
        CONSTANT(MEDIUM_G),  CONSTANT(MEDIUM_B), CONSTANT(SHORT_R),   CONSTANT(SHORT_G),
        CONSTANT(SHORT_B),   CONSTANT(BIAS),     CONSTANT(BIAS_ROOT), CONSTANT(THIRD),
        CONSTANT(X_FACTOR),  CONSTANT(X_OFFSET), CONSTANT(Y_OFFSET),  CONSTANT(B_OFFSET),
        CONSTANT(GAIN0),     CONSTANT(GAIN1),    CONSTANT(GAIN2),     CONSTANT(FEEDBACK0),
        CONSTANT(FEEDBACK1), CONSTANT(C2),
    };
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
        assert_memory_equal(&constants[i].value, &constants[i].bits, sizeof(float));
    const float root = cube_root(SSIMULACRA2_BIAS);
    assert_true(root == SSIMULACRA2_BIAS_ROOT);
    assert_true(SSIMULACRA2_LONG_G == (1 - SSIMULACRA2_LONG_R) - SSIMULACRA2_LONG_B);
    assert_true(SSIMULACRA2_MEDIUM_G == (1 - SSIMULACRA2_MEDIUM_R) - SSIMULACRA2_MEDIUM_B);
    assert_true(SSIMULACRA2_SHORT_B == (1 - SSIMULACRA2_SHORT_R) - SSIMULACRA2_SHORT_G);
}
