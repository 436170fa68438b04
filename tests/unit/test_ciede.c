/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede from colours to scores. Known colours, differences and scores: libvmaf 3.2 reference
 * values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/ciede/ciede_approx.h"
#include "metrics/ciede/ciede_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/ssim_pattern.h"

typedef struct Code {
    unsigned y, u, v;
} Code;

/* 8 bits; the colours that these codes have are below. */
static const Code codes[] = {{16, 128, 128},  {235, 128, 128}, {126, 128, 128}, {81, 90, 240},
                             {145, 54, 34},   {41, 240, 110},  {0, 0, 0},       {255, 255, 255},
                             {100, 120, 140}, {101, 121, 139}, {30, 127, 129}};
static const CiedeLab colours[] = {
    {-5.96046448e-08f, 0, 0},
    {100, 0, 0},
    {53.6172256f, 0, 0},
    {51.3792572f, 71.7765656f, 69.2009888f},
    {73.3083267f, -74.2059937f, 74.7399979f},
    {39.1064682f, 88.6155701f, -121.548782f},
    {16.0289192f, -163.072556f, 155.082077f},
    {122.853264f, 139.771164f, -126.249527f},
    {41.7330551f, 5.78214216f, 12.4012175f},
    {42.1634865f, 5.38301468f, 10.8214264f},
    {4.80192804f, 0.209063292f, 1.31614208f},
};

static void expect_colour(unsigned bpc, Code code, CiedeLab expected)
{
    const CiedeRange range = ciede_range(bpc);
    const CiedeLab lab = ciede_lab(&range, code.y, code.u, code.v);
    if (memcmp(&lab, &expected, sizeof(lab)))
        fail_msg("%u bits %u %u %u: %.9g %.9g %.9g", bpc, code.y, code.u, code.v, lab.l, lab.a,
                 lab.b);
}

CASE(known_code_values_have_known_colours)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        expect_colour(8, codes[i], colours[i]);
    expect_colour(10, (Code){400, 480, 560}, colours[8]);
    expect_colour(16, (Code){40000, 20000, 50000},
                  (CiedeLab){71.782341f, 36.7688828f, 68.5154724f});
}

CASE(known_pairs_of_colours_have_known_differences)
{
    static const struct {
        int ref, dist;
        float delta_e;
    } known[] = {{0, 1, 153.846161f},  {2, 8, 21.2368832f},
                 {8, 9, 1.1640991f},   {3, 4, 34.3414803f},
                 {4, 5, 52.1262131f},  {3, 5, 23.3387909f},
                 {6, 7, 132.355423f},  {0, 10, 4.51327944f},
                 {2, 10, 57.5684013f}, {9, 9, 0}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const float e = ciede_delta_e(colours[known[i].ref], colours[known[i].dist]);
        if (e != known[i].delta_e)
            fail_msg("%d to %d: %.9g", known[i].ref, known[i].dist, e);
    }
}

static void run(const PictureFormat *format, HarnessSample ref_of, HarnessSample dist_of,
                unsigned n_frames)
{
    run_frames(&ciede_extractor, "", format, ref_of, dist_of, n_frames, NULL);
}

CASE(given_a_negative_then_the_score_is_known)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run(&format, motion_pattern, motion_pattern_negative, 1);
    expect_score(0, 0, 8.8155415133033088);
}

CASE(given_equal_pictures_then_the_score_is_infinite)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 10, 66, 50);
    run(&format, motion_pattern, motion_pattern, 1);
    expect_score(0, 0, INFINITY);
}

/* Chroma in the layout of libvmaf's pictures: two planes with padded rows, and zeros. */
static uint16_t *padded_chroma(const VmafPicture *pic, size_t *stride)
{
    *stride = (pic->w[1] + 31u) / 32 * 32;
    const size_t plane = *stride * pic->h[1];
    uint16_t *flat = calloc(2 * plane + 4096, sizeof(*flat));
    assert_non_null(flat);
    for (unsigned p = 1; p < 3; p++)
        for (unsigned y = 0; y < pic->h[p]; y++)
            for (unsigned x = 0; x < pic->w[p]; x++)
                flat[(p - 1) * plane + y * *stride + x] =
                    ((const uint16_t *)((const char *)pic->data[p] +
                                        (ptrdiff_t)y * pic->stride[p]))[x];
    return flat;
}

static double defined_sum(const VmafPicture *pictures[2])
{
    const CiedeRange range = ciede_range(pictures[0]->bpc);
    const unsigned w = pictures[0]->w[0], h = pictures[0]->h[0];
    size_t stride;
    uint16_t *chroma[2];
    for (int i = 0; i < 2; i++)
        chroma[i] = padded_chroma(pictures[i], &stride);
    double sum = 0;
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w; x++) {
            CiedeLab lab[2];
            for (int i = 0; i < 2; i++) {
                const uint16_t *luma = (const uint16_t *)((const char *)pictures[i]->data[0] +
                                                          (ptrdiff_t)y * pictures[i]->stride[0]);
                const bool is_422 = pictures[i]->pix_fmt == VMAF_PIX_FMT_YUV422P;
                const uint16_t *u = chroma[i] + y / 2 * stride + (is_422 ? x : x / 2);
                lab[i] = ciede_lab(&range, luma[x], u[0], u[stride * pictures[i]->h[1]]);
            }
            sum += ciede_delta_e(lab[0], lab[1]);
        }
    }
    free(chroma[0]);
    free(chroma[1]);
    return sum;
}

/* Odd sides and 4:2:2: chroma beyond the end of rows and planes, as libvmaf finds it there. */
CASE(chroma_is_taken_from_the_padded_planes)
{
    static const unsigned sizes[][2] = {{1, 1},  {1, 2},   {2, 1},  {3, 3},   {63, 5}, {64, 4},
                                        {65, 3}, {65, 14}, {66, 6}, {129, 2}, {130, 7}};
    for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
        const PictureFormat format =
            harness_format(i % 2 ? VMAF_PIX_FMT_YUV422P : VMAF_PIX_FMT_YUV420P, 10, sizes[i / 2][0],
                           sizes[i / 2][1]);
        PicturePair pair;
        pair_make(&pair, &format, motion_pattern, ssim_pattern_dist, 0);
        harness_start(&harness, &ciede_extractor, "", &format);
        CiedeRecord record;
        harness_accumulate_bands(&harness, &pair.input, NULL, 0, &record);
        const double expected = defined_sum((const VmafPicture *[]){&pair.ref, &pair.dist});
        if (record.sum != expected)
            fail_msg("%s %ux%u: %.17g, not %.17g", picture_format_name(format.pix_fmt), format.w[0],
                     format.h[0], record.sum, expected);
        harness_stop(&harness);
        pair_free(&pair);
    }
}

CASE(grey_pictures_and_uncommon_depths_are_refused)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++)
        expect_format(&ciede_extractor, "", VMAF_PIX_FMT_YUV400P, bpc, 64, 48, "chroma");
    expect_depths_8_10_12_16(&ciede_extractor, VMAF_PIX_FMT_YUV444P, 1, 1);
}

/* -- approximations -- */

enum { N_ARGUMENTS = 100000 };

static double ratio_error(double actual, double expected)
{
    return expected == 0 ? fabs(actual) : fabs(actual / expected - 1);
}

CASE(approximations_have_45_bits)
{
    double worst[6] = {0};
    for (int i = 0; i <= N_ARGUMENTS; i++) {
        const double t = (double)i / N_ARGUMENTS, x = exp(-5 + 12 * t),
                     angle = CIEDE_PI * (t - 0.5);
        const double errors[6] = {
            ratio_error(ciede_gamma(x), pow(x, 2.4)),
            ratio_error(ciede_cube_root(x), pow(x, 1.0 / 3)),
            ratio_error(ciede_sin(angle), sin(angle)),
            fabs(ciede_cos(angle) - cos(angle)),
            ratio_error(ciede_exp_minus(128 * t), exp(-128 * t)),
            ratio_error(ciede_atan2(sin(4 * angle), cos(4 * angle)),
                        atan2(sin(4 * angle), cos(4 * angle))),
        };
        for (int k = 0; k < 6; k++)
            worst[k] = fmax(worst[k], errors[k]);
    }
    for (int k = 0; k < 6; k++) {
        if (!(worst[k] < 0x1p-45))
            fail_msg("function %d: 2^%.2f", k, log2(worst[k]));
    }
}

CASE(doubt_is_raised_near_the_middle_of_two_floats_only)
{
    for (int i = 0; i < N_ARGUMENTS; i++) {
        const float f = (float)exp(-5 + 10.0 * i / N_ARGUMENTS);
        const double middle = (f + (double)nextafterf(f, INFINITY)) / 2;
        assert_true(ciede_doubt(middle, 41) >> 63);
        assert_true(ciede_doubt(middle * (1 + 0x1p-42), 41) >> 63);
        assert_true(ciede_doubt(middle * (1 - 0x1p-42), 41) >> 63);
        assert_false(ciede_doubt(middle * (1 + 0x1p-39), 41) >> 63);
        assert_false(ciede_doubt(middle * (1 - 0x1p-39), 41) >> 63);
        assert_false(ciede_doubt(f, 41) >> 63);
    }
}
