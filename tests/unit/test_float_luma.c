/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_psnr, float_moment and float_ansnr. Known scores: libvmaf 3.2 reference values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "definition/math/math_functions.h"
#include "feature/common/rounded_square.h"
#include "feature/float_ansnr/float_ansnr.h"
#include "feature/float_moment/float_moment.h"
#include "feature/float_psnr/float_psnr.h"
#include "libvmaf/backend_records.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/tile_pattern.h"

static FinishHarness harness;

static const struct {
    unsigned w, h, bpc;
} formats[] = {{131, 97, 8}, {176, 144, 10}, {131, 97, 12}, {133, 75, 16}};

enum { N_FORMATS = sizeof(formats) / sizeof(formats[0]) };

static void run(const FeatureExtractor *extractor, const PictureFormat *format,
                HarnessSample ref_of, HarnessSample dist_of)
{
    VmafPicture ref = harness_picture(format, ref_of, 0);
    VmafPicture dist = harness_picture(format, dist_of, 0);
    harness_start(&harness, extractor, "", format);
    harness_frame(&harness, &(FrameInput){.ref = &ref, .dist = &dist}, 0);
    harness_flush(&harness);
    harness_stop(&harness);
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

static void expect(const FeatureExtractor *extractor, unsigned output,
                   const double known[N_FORMATS])
{
    for (unsigned i = 0; i < N_FORMATS; i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, formats[i].bpc, formats[i].w, formats[i].h);
        run(extractor, &format, tile_pattern_ref, tile_pattern_dist);
        const double score = harness_score(&harness, output, 0);
        if (memcmp(&score, &known[i], sizeof(score)))
            fail_msg("output %u at %u bits is %.17g, not %.17g", output, formats[i].bpc, score,
                     known[i]);
    }
}

static void given_the_pattern_then_float_psnr_is_known(void **state)
{
    expect(
        &float_psnr_extractor, 0,
        (double[]){14.258616101880577, 14.953040082928933, 14.290023341027949, 14.437989252193121});
}

static void given_the_pattern_then_moments_are_known(void **state)
{
    expect(
        &float_moment_extractor, 0,
        (double[]){137.5124734398363, 135.34855389835857, 137.98041433855354, 137.37684758771931});
    expect(
        &float_moment_extractor, 1,
        (double[]){132.44054458172661, 131.52566682449495, 132.90861336271345, 131.59836113721803});
    expect(
        &float_moment_extractor, 2,
        (double[]){21250.397497442355, 20491.051710957228, 21379.234114931729, 21051.954364131459});
    expect(
        &float_moment_extractor, 3,
        (double[]){19570.611001810026, 19438.33087713068, 19694.942429000748, 19347.654818431882});
}

static void given_the_pattern_then_ansnr_is_known(void **state)
{
    expect(&float_ansnr_extractor, 0,
           (double[]){0.15880166820443553, 0.62183797023753784, 0.18039618646156771,
                      0.0089964039228486361});
    expect(
        &float_ansnr_extractor, 1,
        (double[]){15.738074169593595, 16.657322236433739, 15.769965577836714, 15.906003069781065});
}

static void given_equal_pictures_then_psnr_is_capped(void **state)
{
    for (unsigned i = 0; i < N_FORMATS; i++) {
        const PictureFormat format =
            harness_format(VMAF_PIX_FMT_YUV400P, formats[i].bpc, formats[i].w, formats[i].h);
        run(&float_psnr_extractor, &format, tile_pattern_ref, tile_pattern_ref);
        assert_true(harness_score(&harness, 0, 0) == 6 * formats[i].bpc + 12);
    }
}

static unsigned white(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame;
    return (1u << bpc) - 1;
}

static unsigned black(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)x, (void)y, (void)plane, (void)frame, (void)bpc;
    return 0;
}

static void given_extreme_pictures_then_sums_do_not_overflow(void **state)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 4; i++) {
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, depths[i], 70001, 1);
        const double peak = ldexp((1u << depths[i]) - 1, 8 - (int)depths[i]);
        run(&float_psnr_extractor, &format, white, black);
        assert_true(fabs(harness_score(&harness, 0, 0)) < 1e-6);
        run(&float_moment_extractor, &format, white, black);
        assert_true(harness_score(&harness, 0, 0) == peak);
        assert_true(harness_score(&harness, 1, 0) == 0);
        assert_true(harness_score(&harness, 2, 0) == (double)((float)peak * (float)peak));
    }
}

/* Rows of every picture cut at random places must merge to the record of the whole. */
static void given_bands_when_merged_then_records_are_equal(void **state)
{
    const FeatureExtractor *const extractors[] = {&float_psnr_extractor, &float_moment_extractor,
                                                  &float_ansnr_extractor};
    for (unsigned e = 0; e < 3; e++) {
        for (unsigned i = 0; i < N_FORMATS; i++) {
            const PictureFormat format =
                harness_format(VMAF_PIX_FMT_YUV400P, formats[i].bpc, formats[i].w, formats[i].h);
            VmafPicture ref = harness_picture(&format, tile_pattern_ref, i);
            VmafPicture dist = harness_picture(&format, tile_pattern_dist, i);
            const FrameInput input = {.ref = &ref, .dist = &dist};
            harness_start(&harness, extractors[e], "", &format);
            harness_frame(&harness, &input, 0);
            const size_t size = extractor_record_size(extractors[e], harness.options, &format);
            void *merged = calloc(1, size);
            const unsigned cuts[] = {1, 2, 7, 8, 40, 73};
            harness_accumulate_bands(&harness, &input, cuts, 6, merged);
            assert_memory_equal(merged, harness.record, size);
            free(merged);
            harness_stop(&harness);
            harness_picture_free(&ref);
            harness_picture_free(&dist);
        }
    }
}

static void given_16_bit_rows_then_squares_round_one_by_one(void **state)
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

static void given_every_width_then_records_are_sums_over_all_columns(void **state)
{
    static const unsigned depths[] = {8, 10, 12, 16};
    for (unsigned i = 0; i < 4 * 300; i++) {
        const unsigned bpc = depths[i % 4], w = i / 4 + 1;
        const NaiveSums known = naive_sums(w, bpc);
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, 1);
        VmafPicture ref = harness_picture(&format, hashed, 0);
        VmafPicture dist = harness_picture(&format, hashed_inverse, 0);
        const FrameInput input = {.ref = &ref, .dist = &dist};
        harness_start(&harness, &float_moment_extractor, "", &format);
        harness_frame(&harness, &input, 0);
        const VmafRecordFloatMoment moments = *(const VmafRecordFloatMoment *)harness.record;
        harness_stop(&harness);
        harness_start(&harness, &float_psnr_extractor, "", &format);
        harness_frame(&harness, &input, 0);
        const VmafRecordFloatPsnr psnr = *(const VmafRecordFloatPsnr *)harness.record;
        harness_stop(&harness);
        if (memcmp(moments.first, known.first, sizeof(known.first)) ||
            memcmp(moments.second, known.second, sizeof(known.second)) || psnr.sse != known.sse)
            fail_msg("%u columns, %u bits", w, bpc);
        harness_picture_free(&ref);
        harness_picture_free(&dist);
    }
}

static void expect_refusal(const FeatureExtractor *extractor, unsigned bpc, unsigned w, unsigned h,
                           const char *limit)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, bpc, w, h);
    Reason why = {""};
    const int err = extractor_check_format(extractor, NULL, &format, &why);
    if (limit) {
        assert_int_not_equal(err, 0);
        assert_non_null(strstr(why.text, limit));
    } else {
        assert_int_equal(err, 0);
    }
}

static void given_no_noise_then_ansnr_is_the_cap(void **state)
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

static void given_unusable_formats_then_refused_with_the_limit(void **state)
{
    const FeatureExtractor *const extractors[] = {&float_psnr_extractor, &float_moment_extractor,
                                                  &float_ansnr_extractor};
    for (unsigned e = 0; e < 3; e++) {
        expect_refusal(extractors[e], 9, 64, 64, "8, 10, 12 or 16 bits");
        expect_refusal(extractors[e], 14, 64, 64, "8, 10, 12 or 16 bits");
        expect_refusal(extractors[e], 16, 64, 64, NULL);
    }
    expect_refusal(&float_psnr_extractor, 8, 1, 1, NULL);
    expect_refusal(&float_ansnr_extractor, 8, 2, 3, "at least 3x3");
    expect_refusal(&float_ansnr_extractor, 8, 3, 2, "at least 3x3");
    expect_refusal(&float_ansnr_extractor, 8, 3, 3, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_the_pattern_then_float_psnr_is_known),
        cmocka_unit_test(given_the_pattern_then_moments_are_known),
        cmocka_unit_test(given_the_pattern_then_ansnr_is_known),
        cmocka_unit_test(given_equal_pictures_then_psnr_is_capped),
        cmocka_unit_test(given_extreme_pictures_then_sums_do_not_overflow),
        cmocka_unit_test(given_bands_when_merged_then_records_are_equal),
        cmocka_unit_test(given_16_bit_rows_then_squares_round_one_by_one),
        cmocka_unit_test(given_no_noise_then_ansnr_is_the_cap),
        cmocka_unit_test(given_every_width_then_records_are_sums_over_all_columns),
        cmocka_unit_test(given_unusable_formats_then_refused_with_the_limit),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
