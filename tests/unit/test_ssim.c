/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssim, from integer sums. libvmaf 3.2 holds its code but does not offer it; known scores are those
 * of that code. */
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/ssim/ssim_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/ssim_pattern.h"

static double score(const PictureFormat *format, HarnessSample ref_of, HarnessSample dist_of)
{
    run_frame(&ssim_extractor, "", format, ref_of, dist_of, 0);
    return harness_score(&harness, 0, 0);
}

CASE(given_the_pattern_then_scores_are_known)
{
    static const struct {
        unsigned bpc, w, h;
        double score;
    } known[] = {
        {8, 64, 48, 0.93641639341542027},  {8, 33, 21, 0.93421852077032852},
        {10, 64, 48, 0.93632997953793773}, {10, 33, 21, 0.93445171606331823},
        {12, 64, 48, 0.93631249055933641}, {12, 33, 21, 0.93384816223718059},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, known[i].bpc, known[i].w, known[i].h);
        run_frame(&ssim_extractor, "", &format, motion_pattern, ssim_pattern_dist, 0);
        expect_score(0, 0, known[i].score);
    }
}

/* Sums of integers, tap by tap, then the formula. */
static double defined_score(const PictureFormat *format)
{
    static const int taps[9] = {2, 9, 28, 55, 68, 55, 28, 9, 2};
    const int w = (int)format->w[0], h = (int)format->h[0];
    const double peak = (1u << format->bpc) - 1;
    double num = 0, den = 0;
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            int64_t sums[6] = {0};
            for (int j = -4; j <= 4; j++) {
                for (int i = -4; i <= 4; i++) {
                    if (x + i < 0 || x + i >= w || y + j < 0 || y + j >= h)
                        continue;
                    const unsigned col = (unsigned)(x + i), row = (unsigned)(y + j);
                    const int64_t tap = taps[j + 4] * taps[i + 4];
                    const int64_t s = motion_pattern(col, row, 0, 0, format->bpc);
                    const int64_t e = ssim_pattern_dist(col, row, 0, 0, format->bpc);
                    const int64_t terms[6] = {s, e, s * s, e * e, s * e, 1};
                    for (int k = 0; k < 6; k++)
                        sums[k] += tap * terms[k];
                }
            }
            const double mx = (double)sums[0], my = (double)sums[1], mxx = (double)sums[2];
            const double myy = (double)sums[3], mxy = (double)sums[4], weight = (double)sums[5];
            const double c1 = peak * peak * (0.01 * 0.01) * weight * weight;
            const double c2 = peak * peak * (0.03 * 0.03) * weight * weight;
            const double xx = mx * mx, xy = mx * my, yy = my * my;
            num += weight * (2 * xy + c1) * (c2 + 2 * (mxy * weight - xy)) /
                   ((xx + yy + c1) * (mxx * weight - xx + myy * weight - yy + c2));
            den += weight;
        }
    }
    return num / den;
}

static void expect_defined_score(unsigned w, unsigned h, unsigned bpc)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    const double value = score(&format, motion_pattern, ssim_pattern_dist);
    if (value != defined_score(&format))
        fail_msg("%ux%u: %.17g is not %.17g", w, h, value, defined_score(&format));
}

CASE(given_any_size_and_depth_then_scores_follow_the_definition)
{
    static const unsigned sizes[][3] = {{1, 1, 8},  {1, 9, 9},    {5, 1, 16},  {3, 4, 10},
                                        {8, 8, 11}, {31, 17, 14}, {50, 33, 16}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        expect_defined_score(sizes[i][0], sizes[i][1], sizes[i][2]);
    for (unsigned n = 1; n <= 140; n++) {
        expect_defined_score(n, 1 + n % 7, 8 + n % 9);
        expect_defined_score(1 + n % 7, n, 8 + n % 9);
    }
}

CASE(given_extreme_pictures_then_scores_are_at_the_ends)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, 40, 30);
        assert_true(score(&format, sample_white, sample_white) == 1);
        assert_true(score(&format, sample_black, sample_black) == 1);
        /* Luminance c1 / (L^2 + c1), contrast and structure 1. */
        assert_true(fabs(score(&format, sample_white, sample_black) - 1e-4 / (1 + 1e-4)) < 1e-9);
        assert_true(fabs(score(&format, motion_pattern, motion_pattern) - 1) < 1e-9);
    }
}

CASE(given_ssim_then_no_similarity_exceeds_its_weight)
{
    VmafRecordSsim record = {-65536.0 * 54};
    assert_true(record_within("ssim", &record, NULL));
    record.weighted_similarity = 65538.0 * 54;
    assert_false(record_within("ssim", &record, NULL));
    record.weighted_similarity = -65538.0 * 54;
    assert_false(record_within("ssim", &record, NULL));
    record.weighted_similarity = NAN;
    assert_false(record_within("ssim", &record, NULL));
}
