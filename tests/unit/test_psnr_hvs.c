/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs from pixels to scores. Known coefficients and scores: libvmaf 3.2 reference values. */
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/psnr_hvs/psnr_hvs_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/ssim_pattern.h"

enum { OUTPUTS = 4, N = PSNR_HVS_BLOCK };

static void run(const PictureFormat *format, HarnessSample ref_of, HarnessSample dist_of,
                unsigned frame)
{
    run_frame(&psnr_hvs_extractor, "", format, ref_of, dist_of, frame);
}

static void expect_planes(const double expected[OUTPUTS])
{
    assert_int_equal(harness.n_scores, OUTPUTS);
    for (unsigned output = 0; output < OUTPUTS; output++) {
        assert_int_equal(harness.scores[output].output, output);
        expect_score(output, 0, expected[output]);
    }
}

CASE(given_a_negative_then_scores_are_known)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 64, 48);
    run(&format, motion_pattern, motion_pattern_negative, 0);
    expect_planes((const double[]){1.9727593621056958, 2.5738944901937333, -1.7718878221632974,
                                   1.4654097386029032});
}

CASE(given_equal_pictures_then_scores_are_infinite)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV422P, 10, 66, 50);
    run(&format, motion_pattern, motion_pattern, 0);
    expect_planes((const double[]){INFINITY, INFINITY, INFINITY, INFINITY});
}

static unsigned beyond(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return motion_pattern(x, y, plane, frame, 8) % 2 ? 65535 : 0;
}

/* Flat blocks have no variance to divide by. */
CASE(flat_blocks_have_finite_scores)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, 32, 32);
    run(&format, sample_white, motion_pattern_negative, 0);
    for (unsigned output = 0; output < OUTPUTS; output++)
        assert_true(isfinite(harness_score(&harness, output, 0)));
}

/* -- the transform -- */

static int half(int a)
{
    return a / 2;
}

static int scaled(int a, int k, int shift)
{
    return (a * k + (1 << (shift - 1))) >> shift;
}

/* In 32 bits, where nothing can overflow. */
static void defined_transform(int *x, int step)
{
    int a = x[0], b = x[7 * step], c = x[2 * step], d = x[5 * step];
    int e = x[step], f = x[6 * step], g = x[3 * step], h = x[4 * step];
    b = a - b;
    const int bh = half(b);
    a -= bh;
    e += f;
    const int eh = half(e);
    f -= eh;
    d = c - d;
    c -= half(d);
    g += h;
    const int gh = half(g);
    h = gh - h;
    a += gh;
    g = a - g;
    c = eh - c;
    e = c - e;
    a -= scaled(e, 13573, 15);
    e += scaled(a, 11585, 14);
    a -= scaled(e, 13573, 15);
    g -= scaled(c, 21895, 15);
    c += scaled(g, 15137, 14);
    g -= scaled(c, 21895, 15);
    d += scaled(f, 19195, 15);
    f += scaled(d, 11585, 14);
    d -= scaled(f, 7489, 13);
    h = half(f) - h;
    f -= h;
    d = bh - d;
    b -= d;
    h += scaled(b, 3227, 15);
    b -= scaled(h, 6393, 15);
    h += scaled(b, 3227, 15);
    f += scaled(d, 2485, 13);
    d -= scaled(f, 18205, 15);
    f += scaled(d, 2485, 13);
    const int y[N] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < N; i++)
        x[i * step] = y[i];
}

static PsnrHvsWork work;

static void transform_lanes(void)
{
    PsnrHvsFunctions functions;
    PsnrHvsWeights weights;
    psnr_hvs_functions_init(&functions, 0);
    psnr_hvs_weights_init(&weights, 0);
    functions.errors(&weights, &work);
}

static void expect_defined_coefficients(void)
{
    transform_lanes();
    for (int i = 0; i < 2; i++) {
        for (int lane = 0; lane < PSNR_HVS_LANES; lane++) {
            int block[N * N];
            for (int k = 0; k < N * N; k++)
                block[k] = work.samples[i][k][lane];
            for (int column = 0; column < N; column++)
                defined_transform(block + column, N);
            for (int row = 0; row < N; row++)
                defined_transform(block + row * N, 1);
            for (int k = 0; k < N * N; k++)
                assert_int_equal(work.coefficients[i][k][lane], block[k]);
        }
    }
}

CASE(known_blocks_have_known_coefficients)
{
    static const int corner[3][N] = {{32, 44, 42, 37, 32, 25, 17, 8},
                                     {44, 62, 58, 51, 45, 34, 24, 12},
                                     {9, 13, 12, 10, 9, 7, 5, 2}};
    static const int pattern[N] = {307, -77, -19, -7, -17, 6, -21, -13};
    memset(&work, 0, sizeof(work));
    for (unsigned k = 0; k < N * N; k++) {
        work.samples[0][k][0] = 255;
        work.samples[0][k][1] = (int16_t)motion_pattern(k % N, k / N, 0, 0, 8);
    }
    work.samples[1][0][0] = 255;
    transform_lanes();
    for (int j = 0; j < N; j++) {
        assert_int_equal(work.coefficients[0][j][0], j ? 0 : 2039);
        assert_int_equal(work.coefficients[0][j][1], pattern[j]);
        assert_int_equal(work.coefficients[1][j][0], corner[0][j]);
        assert_int_equal(work.coefficients[1][N + j][0], corner[1][j]);
        assert_int_equal(work.coefficients[1][7 * N + j][0], corner[2][j]);
    }
    for (int k = N; k < N * N; k++)
        assert_int_equal(work.coefficients[0][k][0], 0);
}

/* Black and white of 12 bits after the signs of each basis function of the cosine transform, which
 * drive a coefficient to its greatest and its least value. */
CASE(extreme_samples_of_12_bits_do_not_overflow)
{
    const double pi = 3.14159265358979323846;
    int lane = 0;
    for (int k = 0; k < N * N; k++) {
        for (int s = 0; s < N * N; s++) {
            const double basis = cos((2 * (s / N) + 1) * (k / N) * pi / 16) *
                                 cos((2 * (s % N) + 1) * (k % N) * pi / 16);
            work.samples[0][s][lane] = basis > 0 ? 4095 : 0;
            work.samples[1][s][lane] = basis > 0 ? 0 : 4095;
        }
        lane = (lane + 1) % PSNR_HVS_LANES;
        if (lane == 0)
            expect_defined_coefficients();
    }
}

CASE(samples_beyond_their_depth_are_harmless)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV444P, 12, 40, 40);
    run(&format, beyond, sample_white, 0);
    for (unsigned output = 0; output < OUTPUTS; output++)
        assert_true(isfinite(harness_score(&harness, output, 0)));
}

static unsigned twelve_bits(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return motion_pattern(x, y, plane, frame, 12);
}

static unsigned twelve_bits_and_more(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                     unsigned bpc)
{
    return twelve_bits(x, y, plane, frame, bpc) + ((x + y) % 16 << 12);
}

/* At every depth: 12 bits are what transforms have room for. */
CASE(bits_above_the_twelfth_do_not_count)
{
    for (unsigned bpc = 10; bpc <= 12; bpc += 2) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, bpc, 70, 42);
        double expected[OUTPUTS];
        run(&format, twelve_bits, sample_white, 0);
        for (unsigned output = 0; output < OUTPUTS; output++)
            expected[output] = harness_score(&harness, output, 0);
        run(&format, twelve_bits_and_more, sample_white, 0);
        expect_planes(expected);
    }
}

CASE(more_than_12_bits_are_refused)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++)
        expect_format(&psnr_hvs_extractor, "", VMAF_PIX_FMT_YUV444P, bpc, 8, 8,
                      bpc > 12 ? "8 to 12 bits" : NULL);
}

CASE(planes_without_a_block_are_refused)
{
    static const struct {
        enum VmafPixelFormat pix_fmt;
        unsigned w, h;
    } least[] = {{VMAF_PIX_FMT_YUV420P, 16, 16},
                 {VMAF_PIX_FMT_YUV422P, 16, 8},
                 {VMAF_PIX_FMT_YUV444P, 8, 8}};
    const FeatureExtractor *hvs = &psnr_hvs_extractor;
    for (int i = 0; i < 3; i++) {
        const unsigned w = least[i].w, h = least[i].h;
        expect_format(hvs, "", least[i].pix_fmt, 8, w, h, NULL);
        expect_format(hvs, "", least[i].pix_fmt, 8, w - 1, h, "8x8");
        expect_format(hvs, "", least[i].pix_fmt, 8, w, h - 1, "8x8");
    }
    expect_format(hvs, "", VMAF_PIX_FMT_YUV400P, 8, 64, 48, "chroma");
}

CASE(given_psnr_hvs_then_each_sum_is_bounded_by_its_coefficients)
{
    PictureFormat pictures; /* 3 x 2 blocks of luma, and of Cb and Cr one each */
    for (unsigned bpc = 8; bpc <= 10; bpc++) {
        assert_int_equal(picture_format_init(&pictures, VMAF_PIX_FMT_YUV420P, bpc, 22, 16), 0);
        const float term = bpc == 8 ? 0x1p28f : 0x1p36f;
        const VmafRecordPsnrHvs most = {{term * 6 * 64, term * 64, 0}};
        assert_true(record_of("psnr_hvs")->is_possible(&most, NULL, &pictures));
        for (unsigned plane = 0; plane < 3; plane++) {
            const float wrong[] = {term * (plane ? 65 : 6 * 65), -1, NAN, INFINITY};
            for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
                VmafRecordPsnrHvs record = most;
                record.error[plane] = wrong[i];
                assert_false(record_of("psnr_hvs")->is_possible(&record, NULL, &pictures));
            }
        }
    }
}
