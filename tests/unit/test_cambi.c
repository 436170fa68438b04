/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CAMBI from pixels to scores. Known numbers: libvmaf 3.2 reference values. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/cambi/cambi_geometry.h"
#include "feature/cambi/cambi.h"
#include "feature/cambi/cambi_pool.h"
#include "platform/file.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "support/test_folder.h"

static FinishHarness harness;

/* A slope with steps, dithered in every second tile. */
static unsigned banded(unsigned x, unsigned y, unsigned frame, unsigned bpc, unsigned steepness)
{
    const unsigned slope = 5 * x + 3 * y + 17 * frame;
    const unsigned dither = ((x >> 5) + (y >> 5)) & 1 ? (7 * x + 13 * y) >> 3 & 1 : 0;
    if (bpc == 8)
        return 40 + (slope >> (8 - steepness)) + dither;
    return ((160 + (slope >> (7 - steepness)) + dither) << (bpc - 8)) >> 2;
}

static unsigned dist_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)plane;
    return banded(x, y, frame, bpc, 2);
}

static unsigned ref_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)plane;
    return banded(x, y, frame, bpc, 1);
}

static void run(const char *options, unsigned bpc, unsigned w, unsigned h, unsigned n_frames)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    harness_start(&harness, &cambi_extractor, options, &format);
    for (unsigned t = 0; t < n_frames; t++) {
        VmafPicture ref = harness_picture(&format, ref_sample, t);
        VmafPicture dist = harness_picture(&format, dist_sample, t);
        harness_frame(&harness, &(FrameInput){.ref = &ref, .dist = &dist}, t);
        harness_picture_free(&ref);
        harness_picture_free(&dist);
    }
}

static void expect(double value, double expected, const char *what)
{
    if (memcmp(&value, &expected, sizeof(value)))
        fail_msg("%s is %.17g, not %.17g", what, value, expected);
}

typedef struct Known {
    unsigned bpc, w, h, frame;
    const char *options;
    double score, source, full_reference; /* the last two only with full_ref */
} Known;

static const Known known[] = {
    {8, 641, 361, 1, "full_ref=true", 12.418617058262249, 10.828320506544463, 1.5902965517177865},
    {10, 641, 361, 1, "full_ref=true", 1.916643303230684, 1.5065445024969475, 0.4100988007337365},
    {10, 641, 361, 0, "enc_bitdepth=8", 3.9589892183083588, 0, 0},
    {10, 641, 361, 0, "eotf=pq:max_log_contrast=5:tvi_threshold=0.03", 1.8309753794513965, 0, 0},
    {8, 641, 361, 0, "topk=0.1:window_size=127:cambi_vis_lum_threshold=2", 18.238502064718212, 0,
     0},
    {8, 641, 361, 0, "cambi_topk=1:cambi_max_val=5", 5, 0, 0},
    {12, 576, 324, 0, "enc_width=401:enc_height=263:full_ref=true:src_width=500:src_height=300",
     2.5417086964980675, 1.60537205913037, 0.93633663736769757},
    {16, 576, 324, 0, "full_ref=true", 1.6556866755295596, 1.4791239724823304, 0.17656270304722921},
    {8, 1920, 1080, 0, "", 3.3613773783138159, 0, 0},
};

static void given_known_pictures_then_scores_are_those_of_libvmaf(void **state)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const Known *k = &known[i];
        run(k->options, k->bpc, k->w, k->h, k->frame + 1);
        expect(harness_score(&harness, CAMBI_OUTPUT_SCORE, k->frame), k->score, k->options);
        if (k->source > 0) {
            expect(harness_score(&harness, CAMBI_OUTPUT_SOURCE, k->frame), k->source, "source");
            expect(harness_score(&harness, CAMBI_OUTPUT_FULL_REFERENCE, k->frame),
                   k->full_reference, "full reference");
        } else {
            assert_null(harness_find(&harness, CAMBI_OUTPUT_SOURCE, k->frame));
            assert_null(harness_find(&harness, CAMBI_OUTPUT_FULL_REFERENCE, k->frame));
        }
        harness_stop(&harness);
    }
}

typedef struct KnownScales {
    unsigned bpc, w, h;
    const char *options;
    double mean[CAMBI_SCALES]; /* contrast of the pooled pixels */
    double score;
} KnownScales;

static const KnownScales known_scales[] = {
    {8,
     641,
     361,
     "",
     {52.51220746658457, 60.62308461265323, 38.071324479729107, 20.056826938718757,
      9.1948080640978525},
     12.617964927496123},
    {10,
     641,
     361,
     "",
     {2.5400677053815381, 13.614384356351399, 12.512317042030707, 9.5782355514415425,
      5.6635414161513333},
     1.8547556927609343},
    {12,
     576,
     324,
     "enc_width=480:enc_height=270:enc_bitdepth=8:max_log_contrast=3",
     {4.3786357277122789, 16.472798202754049, 20.84046773388495, 17.496671094613916,
      13.456790372437121},
     4.1191674168226369},
    {8,
     1920,
     1080,
     "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17.0",
     {45.349197597180037, 23.651835277014307, 7.0790203132747136, 1.3550314030129147, 0},
     3.272761203564428},
};

static void given_known_pictures_then_each_scale_contributes_its_part(void **state)
{
    for (size_t i = 0; i < sizeof(known_scales) / sizeof(known_scales[0]); i++) {
        const KnownScales *k = &known_scales[i];
        run(k->options, k->bpc, k->w, k->h, 1);
        CambiGeometry geometry[CAMBI_PICTURES];
        assert_int_equal(cambi_geometry(geometry, harness.options, k->w, k->h), CAMBI_ACCEPTED);
        const CambiRecord *record = harness.record;
        for (int scale = 0; scale < CAMBI_SCALES; scale++) {
            const size_t pooled =
                cambi_pooled_pixels(&geometry[CAMBI_DIST], scale, harness.options);
            const CambiSum *sum = &record->sums.strongest[CAMBI_DIST][scale];
            assert_true(sum->fraction < 1 << 24);
            expect(cambi_sum_value(sum) / (double)pooled, k->mean[scale], "mean contrast");
        }
        expect(harness_score(&harness, CAMBI_OUTPUT_SCORE, 0), k->score, "score");
        harness_stop(&harness);
    }
}

static void given_a_limit_then_all_outputs_are_clipped(void **state)
{
    run("full_ref=true:cambi_max_val=1", 8, 641, 361, 1);
    expect(harness_score(&harness, CAMBI_OUTPUT_SCORE, 0), 1, "score");
    expect(harness_score(&harness, CAMBI_OUTPUT_SOURCE, 0), 1, "source");
    /* The difference is taken before clipping. */
    expect(harness_score(&harness, CAMBI_OUTPUT_FULL_REFERENCE, 0), 1, "full reference");
    harness_stop(&harness);
}

/* Options of equal effect; the second of a pair spells out what the first leaves open. */
static void given_both_spellings_of_an_option_then_the_documented_one_wins(void **state)
{
    static const char *const same[][2] = {
        {"topk=0.1:cambi_topk=0.2", "cambi_topk=0.1"},
        {"topk=0.6:cambi_topk=0.2", "cambi_topk=0.2"},
        {"eotf=pq:cambi_eotf=bt1886", "cambi_eotf=pq"},
        {"eotf=nonsense:cambi_eotf=pq", "eotf=pq"},
        {"enc_width=230", ""},
        {"enc_width=500:enc_height=216", ""},
        {"src_width=320:src_height=217", ""},
        {"cambi_high_res_speedup=1080", ""},
    };
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        double score[2];
        for (int j = 0; j < 2; j++) {
            run(same[i][j], 8, 321, 217, 1);
            score[j] = harness_score(&harness, CAMBI_OUTPUT_SCORE, 0);
            harness_stop(&harness);
        }
        assert_true(score[0] > 0);
        expect(score[0], score[1], same[i][0]);
    }
}

typedef struct Range {
    const char *name, *low, *high, *below, *above;
} Range;

static const Range ranges[] = {
    {"cambi_max_val", "0", "1000", "-0.1", "1000.1"},
    {"enc_width", "180", "7680", "179", "7681"},
    {"enc_height", "150", "7680", "149", "7681"},
    {"enc_bitdepth", "6", "16", "5", "17"},
    {"src_width", "320", "7680", "319", "7681"},
    {"src_height", "200", "4320", "199", "4321"},
    {"window_size", "15", "127", "14", "128"},
    {"topk", "0.0001", "1", "0.00009", "1.1"},
    {"cambi_topk", "0.0001", "1", "0.00009", "1.1"},
    {"tvi_threshold", "0.0001", "1", "0.00009", "1.1"},
    {"cambi_vis_lum_threshold", "0", "300", "-1", "301"},
    {"max_log_contrast", "0", "5", "-1", "6"},
    {"cambi_high_res_speedup", "0", "2160", "-1", "2161"},
};

static int parse(const char *name, const char *value, Reason *why)
{
    CambiOptions options;
    Dictionary *dict = dictionary_create();
    assert_non_null(dict);
    assert_int_equal(dictionary_set(dict, name, value), 0);
    const int err = options_parse(&options, cambi_extractor.options, dict, NULL, NULL, why);
    dictionary_destroy(dict);
    return err;
}

static void options_are_accepted_up_to_their_limits_and_refused_beyond_with_the_range(void **state)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const Range *r = &ranges[i];
        char range[64];
        snprintf(range, sizeof(range), "%s to %s", r->low, r->high);
        assert_int_equal(parse(r->name, r->low, NULL), 0);
        assert_int_equal(parse(r->name, r->high, NULL), 0);
        for (int j = 0; j < 2; j++) {
            Reason why = {{0}};
            assert_int_equal(parse(r->name, j ? r->above : r->below, &why), -EINVAL);
            assert_non_null(strstr(why.text, r->name));
            assert_non_null(strstr(why.text, range));
        }
    }
}

static void options_act_at_both_ends_of_their_ranges(void **state)
{
    static const char *const extremes[] = {
        "cambi_max_val=0",
        "cambi_max_val=1000",
        "enc_bitdepth=6",
        "enc_bitdepth=16",
        "window_size=15",
        "window_size=127",
        "topk=0.0001",
        "topk=1",
        "cambi_topk=0.0001",
        "cambi_topk=1",
        "tvi_threshold=0.0001",
        "tvi_threshold=1",
        "max_log_contrast=0",
        "cambi_vis_lum_threshold=0",
        "max_log_contrast=5",
        "eotf=pq",
        "cambi_vis_lum_threshold=300",
        "enc_width=216:enc_height=150",
    };
    for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++) {
        run(extremes[i], 8, 300, 216, 1);
        const double score = harness_score(&harness, CAMBI_OUTPUT_SCORE, 0);
        assert_true(score >= 0 && score <= 1000);
        if (!strcmp(extremes[i], "cambi_max_val=0") ||
            !strcmp(extremes[i], "cambi_vis_lum_threshold=300"))
            expect(score, 0, extremes[i]);
        harness_stop(&harness);
    }
}

static int check(const CambiOptions *options, unsigned w, unsigned h, Reason *why)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV420P, 8, w, h);
    return extractor_check_format(&cambi_extractor, options, &format, why);
}

static void given_sizes_that_cannot_be_analysed_then_the_reason_tells_the_limit(void **state)
{
    CambiOptions o;
    Reason why;
    assert_int_equal(options_parse(&o, cambi_extractor.options, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(check(&o, 216, 1, NULL), 0);
    assert_int_equal(check(&o, 1, 216, NULL), 0);
    assert_int_equal(check(&o, 215, 215, &why), -EINVAL);
    assert_non_null(strstr(why.text, "at least 216"));

    CambiOptions small = o;
    small.enc_width = small.enc_height = 200;
    assert_int_equal(check(&small, 400, 300, &why), -EINVAL);
    assert_non_null(strstr(why.text, "at least 216"));

    CambiOptions crossed = o;
    crossed.src_width = 400;
    crossed.src_height = 230;
    crossed.enc_width = 320;
    crossed.enc_height = 240;
    assert_int_equal(check(&crossed, 400, 300, &why), -EINVAL);
    assert_non_null(strstr(why.text, "400x230"));

    CambiOptions large = o;
    large.window_size = 127;
    assert_int_equal(check(&large, 7680, 4320, NULL), 0);
    assert_int_equal(check(&large, 8192, 4320, &why), -EINVAL);
    assert_non_null(strstr(why.text, "at most 255"));

    CambiOptions unknown = o;
    unknown.eotf = "hlg";
    assert_int_equal(check(&unknown, 400, 300, &why), -EINVAL);
    assert_non_null(strstr(why.text, "bt1886 or pq"));
}

static void given_pictures_one_sample_wide_or_high_then_they_are_scored(void **state)
{
    static const unsigned sizes[][2] = {{216, 1}, {1, 216}, {216, 2}, {3, 300}};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        run("window_size=127:full_ref=true", 8, sizes[i][0], sizes[i][1], 1);
        assert_true(isfinite(harness_score(&harness, CAMBI_OUTPUT_SCORE, 0)));
        harness_stop(&harness);
    }
}

static unsigned too_bright(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    (void)plane, (void)frame;
    return x == 217 && y == 3 ? 1u << bpc : 100;
}

static void given_a_sample_beyond_the_bit_depth_then_the_frame_fails(void **state)
{
    static const char *const both = "full_ref=true:enc_width=216:enc_height=150";
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 10, 218, 4);
    VmafPicture good = harness_picture(&format, dist_sample, 0);
    VmafPicture bad = harness_picture(&format, too_bright, 0);
    const FrameInput inputs[] = {{.ref = &bad, .dist = &good}, {.ref = &good, .dist = &bad}};
    for (int bad_dist = 0; bad_dist < 2; bad_dist++) {
        harness_start(&harness, &cambi_extractor, both, &format);
        assert_int_equal(cambi_extractor.accumulate(harness.plan, harness.scratch,
                                                    &inputs[bad_dist], (RowBand){0, 4},
                                                    &harness.record),
                         0);
        const CambiRecord *record = harness.record;
        const FinishInput input = {.state = harness.state,
                                   .options = harness.options,
                                   .format = &format,
                                   .record = record};
        assert_int_equal(record->sums.is_beyond_depth[CAMBI_DIST], bad_dist);
        assert_int_equal(record->sums.is_beyond_depth[CAMBI_REF], !bad_dist);
        assert_int_equal(cambi_extractor.finish(&input, &harness.sink), -EINVAL);
        assert_int_equal(harness.n_scores, 0);
        harness_stop(&harness);
    }
    harness_start(&harness, &cambi_extractor, "", &format);
    harness_frame(&harness, &inputs[0], 0); /* the reference is not looked at */
    harness_stop(&harness);
    harness_picture_free(&good);
    harness_picture_free(&bad);
}

/* Several requests in one pass, as the engine makes them, do not disturb each other. */
static void given_two_variants_then_records_are_those_of_each_alone(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 321, 217);
    static const char *const options[] = {"full_ref=true", "max_log_contrast=4:window_size=127"};
    VmafPicture ref = harness_picture(&format, ref_sample, 0);
    VmafPicture dist = harness_picture(&format, dist_sample, 0);
    const FrameInput input = {.ref = &ref, .dist = &dist};
    CambiRecord alone[2], together[2];
    memset(together, 0, sizeof(together));
    for (int i = 0; i < 2; i++) {
        harness_start(&harness, &cambi_extractor, options[i], &format);
        harness_frame(&harness, &input, 0);
        memcpy(&alone[i], harness.record, sizeof(alone[i]));
        harness_stop(&harness);
    }
    void *variants[] = {harness_options(&cambi_extractor, options[0]),
                        harness_options(&cambi_extractor, options[1])};
    /* Default strings are constants, so these options outlive their dictionaries. */
    void *plan, *scratch;
    assert_int_equal(extractor_plan_create(&cambi_extractor, &plan, &format,
                                           (const void *const *)variants, 2, 0),
                     0);
    assert_int_equal(extractor_scratch_create(&cambi_extractor, &scratch, plan), 0);
    void *const records[] = {&together[0], &together[1]};
    assert_int_equal(cambi_extractor.accumulate(plan, scratch, &input, (RowBand){0, 217}, records),
                     0);
    assert_memory_equal(alone, together, sizeof(alone));
    extractor_scratch_destroy(&cambi_extractor, scratch);
    extractor_plan_destroy(&cambi_extractor, plan);
    free(variants[0]);
    free(variants[1]);
    harness_picture_free(&ref);
    harness_picture_free(&dist);
}

static int64_t file_size(const char *path)
{
    VmafFileStatus status;
    return vmaf_file_status_at(path, &status) ? -1 : status.size;
}

/* Frames may come in any order; each has its place in the files. */
static void given_a_folder_then_heat_maps_are_written_at_the_place_of_their_frame(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 321, 217);
    harness_start(&harness, &cambi_extractor, "heatmaps_path=a/b", &format);
    static const unsigned order[] = {2, 0};
    for (unsigned t = 0; t < 2; t++) {
        VmafPicture dist = harness_picture(&format, dist_sample, order[t]);
        harness_frame(&harness, &(FrameInput){.ref = &dist, .dist = &dist}, order[t]);
        harness_picture_free(&dist);
    }
    harness_stop(&harness);

    static const char *const names[] = {
        "a/b/cambi_heatmap_scale_0_321x217_16b.gray", "a/b/cambi_heatmap_scale_1_161x109_16b.gray",
        "a/b/cambi_heatmap_scale_2_81x55_16b.gray", "a/b/cambi_heatmap_scale_3_41x28_16b.gray",
        "a/b/cambi_heatmap_scale_4_21x14_16b.gray"};
    static const int64_t pixels[] = {321 * 217, 161 * 109, 81 * 55, 41 * 28, 21 * 14};
    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        assert_int_equal(file_size(names[scale]), 3 * 2 * pixels[scale]);

    FILE *file = fopen(names[0], "rb");
    assert_non_null(file);
    enum { PIXELS = 321 * 217 };
    uint16_t *samples = calloc(3 * PIXELS, sizeof(*samples));
    assert_non_null(samples);
    assert_int_equal(fread(samples, sizeof(*samples), 3 * PIXELS, file), 3 * PIXELS);
    fclose(file);
    unsigned set[3] = {0};
    for (unsigned i = 0; i < 3 * PIXELS; i++)
        set[i / PIXELS] += samples[i] != 0;
    free(samples);
    assert_true(set[0] > 1000 && set[2] > 1000);
    assert_int_equal(set[1], 0); /* the frame that was left out */

    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        assert_int_equal(remove(names[scale]), 0);
    assert_int_equal(remove("a/b"), 0); /* nothing else was written */
    assert_int_equal(remove("a"), 0);
}

/* Nothing is written before there is a map to write. */
static void given_a_path_that_cannot_be_written_then_the_first_map_fails_with_it(void **state)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 321, 217);
    VmafPicture dist = harness_picture(&format, dist_sample, 0);
    static const char *const paths[] = {"/dev/null/maps", "/dev/null"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        char option[64];
        Reason why = {{0}};
        snprintf(option, sizeof(option), "heatmaps_path=%s", paths[i]);
        harness_start(&harness, &cambi_extractor, option, &format);
        harness_accumulate_bands(&harness, &(FrameInput){.ref = &dist, .dist = &dist}, NULL, 0,
                                 harness.record);
        const FinishInput input = {.state = harness.state,
                                   .options = harness.options,
                                   .format = &format,
                                   .record = harness.record,
                                   .why = &why};
        assert_int_equal(cambi_extractor.finish(&input, &harness.sink), -EINVAL);
        assert_non_null(strstr(why.text, paths[i]));
        assert_non_null(strstr(why.text, "heat map"));
        harness_stop(&harness);
    }
    harness_picture_free(&dist);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_known_pictures_then_scores_are_those_of_libvmaf),
        cmocka_unit_test(given_known_pictures_then_each_scale_contributes_its_part),
        cmocka_unit_test(given_a_limit_then_all_outputs_are_clipped),
        cmocka_unit_test(given_both_spellings_of_an_option_then_the_documented_one_wins),
        cmocka_unit_test(options_are_accepted_up_to_their_limits_and_refused_beyond_with_the_range),
        cmocka_unit_test(options_act_at_both_ends_of_their_ranges),
        cmocka_unit_test(given_sizes_that_cannot_be_analysed_then_the_reason_tells_the_limit),
        cmocka_unit_test(given_pictures_one_sample_wide_or_high_then_they_are_scored),
        cmocka_unit_test(given_a_sample_beyond_the_bit_depth_then_the_frame_fails),
        cmocka_unit_test(given_two_variants_then_records_are_those_of_each_alone),
        cmocka_unit_test_setup_teardown(
            given_a_folder_then_heat_maps_are_written_at_the_place_of_their_frame,
            test_folder_enter, test_folder_remove),
        cmocka_unit_test(given_a_path_that_cannot_be_written_then_the_first_map_fails_with_it),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
