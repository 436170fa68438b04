/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_psnr, float_moment and float_ansnr. */
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/float_ansnr/float_ansnr_internal.h"
#include "metrics/float_moment/float_moment_internal.h"
#include "metrics/float_psnr/float_psnr.h"
#include "metrics/psnr/psnr_internal.h"
#include "support/cases.h"
#include "support/metric_checks.h"
#include "support/tile_pattern.h"

static const struct {
    unsigned w, h, bpc;
} formats[] = {{131, 97, 8}, {176, 144, 10}, {131, 97, 12}, {133, 75, 16}};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static void run(const FeatureExtractor *extractor, const PictureFormat *format,
                HarnessSample ref_of, HarnessSample dist_of)
{
    run_frame(extractor, "", format, ref_of, dist_of, 0);
}

CASE(given_equal_pictures_then_psnr_is_capped)
{
    for (unsigned i = 0; i < N_FORMATS; i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, formats[i].bpc, formats[i].w, formats[i].h);
        run(&float_psnr_extractor, &format, tile_pattern_ref, tile_pattern_ref);
        assert_true(harness_score(&harness, 0, 0) == 6 * formats[i].bpc + 12);
    }
}

CASE(given_extreme_pictures_then_sums_do_not_overflow)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 4; i++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, depths[i], 70001, 1);
        const double peak = ldexp((1u << depths[i]) - 1, 8 - (int)depths[i]);
        run(&float_psnr_extractor, &format, sample_white, sample_black);
        assert_true(fabs(harness_score(&harness, 0, 0)) < 1e-6);
        run(&float_moment_extractor, &format, sample_white, sample_black);
        assert_true(harness_score(&harness, 0, 0) == peak);
        assert_true(harness_score(&harness, 1, 0) == 0);
        assert_true(harness_score(&harness, 2, 0) == (double)((float)peak * (float)peak));
    }
}

/* Rows of every picture cut at random places must merge to the record of the whole. */
CASE(given_bands_when_merged_then_records_are_equal)
{
    const FeatureExtractor *const extractors[] = {&float_psnr_extractor, &float_moment_extractor,
                                                  &float_ansnr_extractor};
    for (unsigned i = 0; i < 3 * N_FORMATS; i++) {
        const unsigned f = i % N_FORMATS;
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, formats[f].bpc, formats[f].w, formats[f].h);
        PicturePair pair;
        pair_make(&pair, &format, tile_pattern_ref, tile_pattern_dist, f);
        harness_start(&harness, extractors[i / N_FORMATS], "", &format);
        harness_frame(&harness, &pair.input, 0);
        expect_bands(&pair.input, (unsigned[]){1, 2, 7, 8, 40, 73}, 6);
        harness_stop(&harness);
        pair_free(&pair);
    }
}

CASE(given_16_bit_rows_then_squares_round_one_by_one)
{
    uint16_t a[1003], b[1003];
    uint64_t squares = 0, differences = 0;
    for (unsigned x = 0; x < 1003; x++) {
        a[x] = (uint16_t)(x * 40503u);
        b[x] = (uint16_t)(x * 60013u + 17);
        const float v = a[x], d = (float)(a[x] - b[x]);
        squares += (uint64_t)(float)(v * v);
        differences += (uint64_t)(float)(d * d);
        assert_true(rounded_square_sum(a, x + 1) == squares);
        assert_true(rounded_square_difference_sum(a, b, x + 1) == differences);
    }
}

/* Sums over a row by their definitions. */
typedef struct NaiveSums {
    uint64_t first[2], second[2], sse;
} NaiveSums;

static unsigned hashed(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const uint32_t mixed = (x * 374761393u + y * 668265263u + plane + frame) * 2246822519u;
    return (mixed ^ mixed >> 15) >> 3 & ((1u << bpc) - 1);
}

/* The last column of a row has a level that no other has. */
static unsigned hashed_inverse(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return ((1u << bpc) - 1) ^ (hashed(x + 77, y, plane, frame, bpc) & 0xff);
}

static NaiveSums naive_sums(unsigned w, unsigned bpc)
{
    NaiveSums sums = {0};
    for (unsigned x = 0; x < w; x++) {
        const unsigned v[2] = {hashed(x, 0, 0, 0, bpc), hashed_inverse(x, 0, 0, 0, bpc)};
        for (int p = 0; p < 2; p++) {
            sums.first[p] += v[p];
            sums.second[p] += (uint64_t)((float)v[p] * (float)v[p]);
        }
        const float d = (float)v[0] - (float)v[1];
        sums.sse += (uint64_t)(d * d);
    }
    return sums;
}

CASE(given_every_width_then_records_are_sums_over_all_columns)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 4 * 300; i++) {
        const unsigned bpc = depths[i % 4], w = i / 4 + 1;
        const NaiveSums known = naive_sums(w, bpc);
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, 1);
        PicturePair pair;
        pair_make(&pair, &format, hashed, hashed_inverse, 0);
        harness_start(&harness, &float_moment_extractor, "", &format);
        harness_frame(&harness, &pair.input, 0);
        const VmafRecordFloatMoment moments = *(const VmafRecordFloatMoment *)harness.record;
        harness_stop(&harness);
        harness_start(&harness, &float_psnr_extractor, "", &format);
        harness_frame(&harness, &pair.input, 0);
        const VmafRecordFloatPsnr psnr = *(const VmafRecordFloatPsnr *)harness.record;
        harness_stop(&harness);
        if (memcmp(moments.first, known.first, sizeof(known.first)) ||
            memcmp(moments.second, known.second, sizeof(known.second)) || psnr.sse != known.sse)
            fail_msg("%u columns, %u bits", w, bpc);
        pair_free(&pair);
    }
}

CASE(given_no_noise_then_ansnr_is_the_cap)
{
    static const double caps[] = {60, 72, 84, 108};
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 4; i++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, depths[i], 3, 3);
        VmafRecordFloatAnsnrRow rows[3] = {{5, 0}, {6, 0}, {7, 0}};
        harness_start(&harness, &float_ansnr_extractor, "", &format);
        harness_record(&harness, rows, 0);
        rows[1].noise = 1;
        harness_record(&harness, rows, 1);
        harness_stop(&harness);
        assert_true(harness_score(&harness, 0, 0) == caps[i]);
        assert_true(harness_score(&harness, 1, 0) == caps[i]);
        assert_true(harness_score(&harness, 0, 1) == 10 * math_log10(18));
    }
}

CASE(given_unusable_formats_then_refused_with_the_limit)
{
    const FeatureExtractor *const extractors[] = {&float_psnr_extractor, &float_moment_extractor,
                                                  &float_ansnr_extractor};
    for (unsigned e = 0; e < 3; e++)
        expect_depths_8_10_12_16(extractors[e], VMAF_PIX_FMT_YUV420P, 64, 64);
    expect_format(&float_psnr_extractor, "", VMAF_PIX_FMT_YUV420P, 8, 1, 1, NULL);
    expect_format(&float_ansnr_extractor, "", VMAF_PIX_FMT_YUV420P, 8, 2, 3, "at least 3x3");
    expect_format(&float_ansnr_extractor, "", VMAF_PIX_FMT_YUV420P, 8, 3, 2, "at least 3x3");
    expect_format(&float_ansnr_extractor, "", VMAF_PIX_FMT_YUV420P, 8, 3, 3, NULL);
}

/*
 * float_ansnr against its definition: two-dimensional filters, every tap of every sample looked up
 * in the picture. Sums of rows must be equal to the last bit at every width.
 */

enum { MAX_WIDTH = 140, MAX_HEIGHT = 20 };

typedef struct Plane {
    int w, h;
    float at[MAX_HEIGHT][MAX_WIDTH];
} Plane;

static const double smooth[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
static const double smoother[5][5] = {{2, 7, 12, 7, 2},
                                      {7, 31, 52, 31, 7},
                                      {12, 52, 127, 52, 12},
                                      {7, 31, 52, 31, 7},
                                      {2, 7, 12, 7, 2}};

static void load(Plane *plane, const PictureFormat *format, HarnessSample sample)
{
    plane->w = (int)format->w[0];
    plane->h = (int)format->h[0];
    for (int y = 0; y < plane->h; y++)
        for (int x = 0; x < plane->w; x++)
            plane->at[y][x] = (float)sample((unsigned)x, (unsigned)y, 0, 0, format->bpc) /
                                  (float)(1u << (format->bpc - 8)) -
                              128;
}

/* The first sample of a row or column is not repeated beyond it, the last one is. */
static int mirrored(int i, int n)
{
    return i < 0 ? -i : i >= n ? 2 * n - i - 1 : i;
}

static float filtered(const Plane *plane, int x, int y, int size, const double *taps,
                      double divisor)
{
    float total = 0;
    for (int j = 0; j < size; j++) {
        const float *row = plane->at[mirrored(y + j - size / 2, plane->h)];
        float sum = 0;
        for (int i = 0; i < size; i++)
            sum +=
                (float)(taps[j * size + i] / divisor) * row[mirrored(x + i - size / 2, plane->w)];
        total += sum;
    }
    return total;
}

static VmafRecordFloatAnsnrRow defined_row(const Plane *ref, const Plane *dist, int y)
{
    VmafRecordFloatAnsnrRow sums = {0, 0};
    for (int x = 0; x < ref->w; x++) {
        const float a = filtered(ref, x, y, 3, smooth[0], 16);
        const float difference = a - filtered(dist, x, y, 5, smoother[0], 571);
        sums.signal += a * a;
        sums.noise += difference * difference;
    }
    return sums;
}

static void check(const PictureFormat *format)
{
    static Plane ref, dist;
    load(&ref, format, tile_pattern_ref);
    load(&dist, format, tile_pattern_dist);
    PicturePair pair;
    pair_make(&pair, format, tile_pattern_ref, tile_pattern_dist, 0);
    harness_start(&harness, &float_ansnr_extractor, "", format);
    harness_frame(&harness, &pair.input, 0);
    const VmafRecordFloatAnsnrRow *rows = harness.record;
    for (int y = 0; y < ref.h; y++) {
        const VmafRecordFloatAnsnrRow expected = defined_row(&ref, &dist, y);
        if (memcmp(&rows[y], &expected, sizeof(expected)))
            fail_msg("%dx%d, %u bits, row %d: %.9g %.9g, not %.9g %.9g", ref.w, ref.h, format->bpc,
                     y, (double)rows[y].signal, (double)rows[y].noise, (double)expected.signal,
                     (double)expected.noise);
    }
    harness_stop(&harness);
    pair_free(&pair);
}

CASE(given_any_width_then_sums_are_those_of_the_definition)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned w = 3; w <= MAX_WIDTH; w++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, depths[w % 4], w, 3 + w % 3);
        check(&format);
    }
}

CASE(given_any_height_then_sums_are_those_of_the_definition)
{
    for (unsigned h = 3; h <= MAX_HEIGHT; h++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 3 + h % 5, h);
        check(&format);
    }
}
