/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * ssimulacra2 against its definition: whole planes, one pixel after another, no shortcut. Values in
 * between are compared with those of a fork of libvmaf, and the sums that the library makes with
 * the ones made here: they must be equal bit by bit, for random and for extreme pictures.
 */
#include <math.h>
#include <string.h>

#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/ssimulacra2_pattern.h"

enum { MAX_W = 300, MAX_H = 260, C = SSIMULACRA2_COMPONENTS };

typedef struct Plane {
    float at[MAX_H][MAX_W];
} Plane;

/* By picture, 0 for the reference; planes of a scale. */
static Plane linear[2][3], xyb[2][C];
static Plane mean[2], moment[3]; /* ref * ref, dist * dist, ref * dist */
static double norms[C][SSIMULACRA2_SCALES][SSIMULACRA2_NORMS];
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

/* Fills `expected` and `norms`. */
static void score_scale(unsigned scale, unsigned w, unsigned h)
{
    for (int i = 0; i < 2; i++)
        make_xyb(xyb[i], linear[i], w, h);
    for (unsigned c = 0; c < C; c++) {
        make_moments(c, w, h);
        compare(expected.sum[c][scale], c, w, h);
        for (unsigned k = 0; k < SSIMULACRA2_NORMS; k++) {
            const double m = 1.0 / (double)(w * h) * expected.sum[c][scale][k];
            norms[c][scale][k] = k < 3 ? m : sqrt(sqrt(m));
        }
    }
}

static void score_by_definition(const VmafPicture *ref, const VmafPicture *dist, int matrix)
{
    memset(&expected, 0, sizeof(expected));
    memset(norms, 0, sizeof(norms));
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

CASE(given_the_pattern_then_intermediate_values_are_known)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    PicturePair pair;
    pair_make(&pair, &format, ssimulacra2_pattern_ref, ssimulacra2_pattern_dist, 0);
    make_linear(linear[0], &pair.ref, 0);
    make_linear(linear[1], &pair.dist, 0);
    static const struct {
        unsigned x, y;
        float rgb[3], xyb[C], mean[C];
    } places[2] = {
        {0,
         0,
         {0, 0x1.bc20b2p-6f, 0},
         {0x1.739bccp-2f, 0x1.0f5856p-3f, 0x1.edbfcap-2f},
         {0x1.1a7ef2p-3f, 0x1.3814fcp-4f, 0x1.76ebaap-3f}},
        {32,
         24,
         {0x1.6bf656p-2f, 0, 0x1.8225e8p-3f},
         {0x1.56bb78p-1f, 0x1.587a5p-2f, 0x1.4b356cp-1f},
         {0x1.49771cp-1f, 0x1.a5cd5ep-2f, 0x1.48e80ep-1f}},
    };
    static const float ref_ref[C] = {0x1.aea8e8p-2f, 0x1.976b08p-3f, 0x1.a75d3ep-2f};
    static const float ref_dist[C] = {0x1.bb7e8ep-2f, 0x1.71a9p-3f, 0x1.af2be4p-2f};
    for (int i = 0; i < 2; i++)
        make_xyb(xyb[i], linear[i], 64, 48);
    for (unsigned c = 0; c < C; c++) {
        make_moments(c, 64, 48);
        for (int i = 0; i < 2; i++) {
            const unsigned x = places[i].x, y = places[i].y;
            assert_true(linear[0][c].at[y][x] == places[i].rgb[c]);
            assert_true(xyb[0][c].at[y][x] == places[i].xyb[c]);
            assert_true(mean[0].at[y][x] == places[i].mean[c]);
        }
        assert_true(moment[0].at[24][32] == ref_ref[c]);
        assert_true(moment[2].at[24][32] == ref_dist[c]);
    }
    pair_free(&pair);
}

typedef struct KnownNorms {
    unsigned c, scale;
    double norm[SSIMULACRA2_NORMS];
} KnownNorms;

static const KnownNorms norms_of_64x48[] = {
    /* clang-format off */
    {0, 0,
     {0.10224387055339279, 0.0056189229540398195, 0.004767723539660965, 0.26148479474304259,
      0.033061716834416041, 0.044598289680259556}},
    {0, 1,
     {0.053558676708373068, 0.005324863223048191, 0.0051969120064025969, 0.12115077967414174,
      0.038335582023471246, 0.059402909443319545}},
    {0, 2,
     {0.017359238564732898, 0.0060337695895819991, 0.0058491648721667663, 0.036884045817826991,
      0.034656472703773165, 0.058742539694586461}},
    {1, 0,
     {0.15871913163646961, 0.012210399430277883, 0.0080280332201734163, 0.32752619379381231,
      0.043424211644809377, 0.046051807390246578}},
    {1, 1,
     {0.059149585571039248, 0.011805739114392401, 0.010879780658762026, 0.098832004012150781,
      0.094138463415165449, 0.049386653647346485}},
    {1, 2,
     {0.017049101922854609, 0.011090161129788854, 0.010487412482226705, 0.025165178384184281,
      0.061415591604396275, 0.036657311398982449}},
    {2, 0,
     {0.092472687889606747, 0.0051747468341885984, 0.0037429730337028696, 0.24479602968264752,
      0.044067255050728255, 0.036258688797082314}},
    {2, 1,
     {0.040200901500563394, 0.0046868077830675182, 0.0045256373265279079, 0.098474196895948038,
      0.034172523598723165, 0.032744795872919272}},
    {2, 2,
     {0.0084682907653717849, 0.0046307668198520037, 0.0045760900592403935, 0.020958680461303482,
      0.026303985802663441, 0.031520075371354588}},
    /* clang-format on */
};

static const KnownNorms norms_of_300x260[] = {
    /* clang-format off */
    {0, 3,
     {0.0047833384576048557, 0.0038924292272178211, 0.0040997239733119636, 0.0061110331070517131,
      0.013719484358697841, 0.012045482994930809}},
    {0, 4,
     {0.0018797532655240603, 0.0017260192025469294, 0.0018304812010963237, 0.0031558748440202555,
      0.0055458289708451066, 0.0056326334598479173}},
    {0, 5,
     {0.00024912330884371283, 0.0010266671115741186, 0.00091991000733917779, 0.00081271497047436046,
      0.0040804010643069235, 0.00349748983608507}},
    {1, 3,
     {0.014459719883269216, 0.0079658674316753029, 0.0083686817960276199, 0.018102831591453636,
      0.020911754887847165, 0.019744941562269098}},
    {1, 4,
     {0.0036790847032553355, 0.0026150693541910695, 0.0023755480301166851, 0.0075915594618783727,
      0.008396495473772381, 0.0077117308960203369}},
    {1, 5,
     {0.00027938387900282828, 0.0013005899649361559, 0.0012054885616936634, 0.0013343539381227172,
      0.0061980303566826246, 0.0038708359004939021}},
    {2, 3,
     {0.0032898803758068394, 0.0032998746860172803, 0.0034412826522342657, 0.0041720785446106908,
      0.012069463091095684, 0.01100191950600648}},
    {2, 4,
     {0.00082912432015486929, 0.0019776521024166705, 0.0018896379818432987, 0.0012878688965734717,
      0.0049209304996189135, 0.005304842069294745}},
    {2, 5,
     {0.00017087611460360073, 0.0011215165539046569, 0.0010956807230602242, 0.00057712597256933664,
      0.0031710392054176816, 0.0031266607061790682}},
    /* clang-format on */
};

enum { N_KNOWN = sizeof(norms_of_64x48) / sizeof(norms_of_64x48[0]) };

static void expect_norms(const PictureFormat *format, const KnownNorms known[N_KNOWN],
                         double weighted_norms)
{
    PicturePair pair;
    pair_make(&pair, format, ssimulacra2_pattern_ref, ssimulacra2_pattern_dist, 0);
    score_by_definition(&pair.ref, &pair.dist, 0);
    for (int i = 0; i < N_KNOWN; i++)
        assert_memory_equal(norms[known[i].c][known[i].scale], known[i].norm,
                            sizeof(known[i].norm));
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(format->w[0], format->h[0]);
    assert_true(ssimulacra2_weighted_norms(&expected, &sizes) == weighted_norms);
    pair_free(&pair);
}

CASE(given_the_pattern_then_norms_are_known)
{
    PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    expect_norms(&format, norms_of_64x48, 8.8819633040661543);
    format = harness_format(VMAF_PIX_FMT_YUV444P, 8, 300, 260);
    expect_norms(&format, norms_of_300x260, 16.967986620378635);
}

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
