/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cases.h"
#include "test_vif_frames.h"

enum { N_OUTPUTS = 15 };

static const VifOptions defaults = {.gain_limit = 100};

/* Scores by output, and the order in which they were written. */
typedef struct TestSink {
    FeatureSink base;
    double scores[N_OUTPUTS];
    unsigned order[N_OUTPUTS], count;
} TestSink;

static void write_score(FeatureSink *sink, unsigned output, unsigned index, double value)
{
    TestSink *test = (TestSink *)sink;
    assert_int_equal(index, 5);
    assert_true(output < N_OUTPUTS && test->count < N_OUTPUTS);
    test->scores[output] = value;
    test->order[test->count++] = output;
}

static TestSink scores_of(const TestPair *pair, VifOptions options)
{
    VmafRecordVif record = test_record(pair, options);
    TestSink sink = {.base = {.write = write_score, .index = 5}};
    FinishInput input = {
        .options = &options, .format = &pair->format, .record = &record, .index = 5};
    assert_int_equal(vif_extractor.finish(&input, &sink.base), 0);
    return sink;
}

/* To the last bit. */
static void assert_same(double actual, double expected)
{
    if (memcmp(&actual, &expected, sizeof(actual)) != 0)
        fail_msg("%.17g instead of %.17g", actual, expected);
}

static const struct {
    unsigned w, h, depth;
    VifOptions options;
    double scores[5]; /* scales 0 to 3, total */
} reference_values[] = {
    {131,
     97,
     8,
     {true, 100, false},
     {0.21457703411579132, 0.26805689930915833, 0.2792392373085022, 0.26642093062400818,
      0.22471848262311753}},
    {131,
     97,
     8,
     {false, 1, false},
     {0.19515150785446167, 0.24562886357307434, 0.26066818833351135, 0.25448960065841675}},
    {131,
     97,
     8,
     {true, 1.5, true},
     {0, 0.26263082027435303, 0.27543714642524719, 0.26485830545425415, 0.26506682425109734}},
    {176,
     144,
     8,
     {true, 100, false},
     {0.27220883965492249, 0.33188831806182861, 0.3223993182182312, 0.28586488962173462,
      0.282916195426685}},
    {176,
     144,
     10,
     {true, 100, false},
     {0.27068832516670227, 0.33162432909011841, 0.32223448157310486, 0.28675037622451782,
      0.28165254268811385}},
    {131,
     97,
     12,
     {true, 100, false},
     {0.21364586055278778, 0.2677702009677887, 0.27938383817672729, 0.26713308691978455,
      0.22392706247083247}},
    {133,
     75,
     16,
     {true, 100, false},
     {0.2129339724779129, 0.26316177845001221, 0.2678876519203186, 0.26801612973213196,
      0.2225940437133464}},
    {16,
     16,
     8,
     {true, 100, false},
     {0.99998277425765991, 0.99999767541885376, 0.9999927282333374, 0.99998998641967773,
      0.99998613245346968}},
    {20,
     12,
     8,
     {true, 100, false},
     {0.99998605251312256, 0.9999966025352478, 0.9999956488609314, 0.99998980760574341,
      0.99998855177160317}},
    {8,
     8,
     10,
     {true, 100, false},
     {0.99997532367706299, 0.99999213218688965, 0.99998700618743896, 1, 0.9999793277067297}},
};

static void test_scores_are_those_of_libvmaf_3_2(void **state)
{
    for (size_t i = 0; i < sizeof(reference_values) / sizeof(reference_values[0]); i++) {
        TestPair pair =
            test_pair(reference_values[i].w, reference_values[i].h, reference_values[i].depth, 0);
        TestSink sink = scores_of(&pair, reference_values[i].options);
        for (unsigned k = 0; k < (reference_values[i].options.debug ? 5u : 4u); k++)
            assert_same(sink.scores[k], reference_values[i].scores[k]);
        test_pair_free(&pair);
    }
}

static void test_debug_adds_totals_numerators_and_denominators(void **state)
{
    TestPair pair = test_pair(131, 97, 8, 0);
    TestSink sink = scores_of(&pair, defaults);
    assert_int_equal(sink.count, 4);
    sink = scores_of(&pair, (VifOptions){true, 100, false});
    assert_int_equal(sink.count, N_OUTPUTS);
    for (unsigned i = 0; i < N_OUTPUTS; i++)
        assert_int_equal(sink.order[i], i);
    static const double expected[] = {27563.865936279297, 122659.541015625, 21505.05078125,
                                      100220.65625,       4635.017578125,   17291.169921875,
                                      1140.164794921875,  4083.11083984375, 283.63278198242188,
                                      1064.60400390625};
    for (unsigned i = 0; i < 10; i++)
        assert_same(sink.scores[5 + i], expected[i]);
    test_pair_free(&pair);

    pair = test_pair(176, 144, 10, 0);
    sink = scores_of(&pair, (VifOptions){true, 100, false});
    assert_same(sink.scores[5], 69081.836303710938);
    assert_same(sink.scores[6], 245273.25634765625);
    test_pair_free(&pair);
}

static void test_skipped_scale_0_scores_0_over_minus_1(void **state)
{
    TestPair pair = test_pair(64, 48, 8, 0);
    VifOptions options = {true, 100, true};
    TestSink skipped = scores_of(&pair, options);
    options.skip_scale0 = false;
    TestSink full = scores_of(&pair, options);
    assert_same(skipped.scores[0], 0);
    assert_same(skipped.scores[7], 0);
    assert_same(skipped.scores[8], -1);
    assert_same(skipped.scores[5], full.scores[9] + full.scores[11] + full.scores[13]);
    for (unsigned i = 1; i < 4; i++)
        assert_same(skipped.scores[i], full.scores[i]);
    VmafRecordVif record = test_record(&pair, (VifOptions){true, 100, true});
    assert_int_equal(record.log_den[0] | record.flat_count[0] | record.flat_variance[0], 0);
    test_pair_free(&pair);
}

static void test_sums_of_the_record_are_those_of_libvmaf_3_2(void **state)
{
    static const VmafRecordVif expected = {
        .log_num = {41799860, 8958536, 2139535, 535969},
        .log_den = {203009345, 34875739, 8165603, 2135253},
        .flat_variance = {39112657, 1350192452, 564650217, 75451796},
        .flat_count = {1095, 262, 96, 22},
    };
    TestPair pair = test_pair(131, 97, 8, 0);
    VmafRecordVif record = test_record(&pair, defaults);
    assert_memory_equal(&record, &expected, sizeof(record));
    test_pair_free(&pair);
}

static void test_variants_in_one_pass_equal_separate_passes(void **state)
{
    static const VifOptions a = {false, 100, false}, b = {false, 1, false}, c = {false, 1.25, true},
                            d = {true, 1, true};
    TestPair pair = test_pair(77, 50, 10, 3);
    VmafRecordVif records[4] = {0};
    VmafRecordVif *wanted[] = {&records[0], &records[1], &records[2], &records[3]};
    const VifOptions *options[] = {&a, &b, &c, &d};
    test_accumulate(&pair, options, 4, NULL, 0, wanted);
    for (unsigned i = 0; i < 4; i++) {
        VmafRecordVif alone = test_record(&pair, *options[i]);
        assert_memory_equal(&records[i], &alone, sizeof(alone));
    }
    assert_true(records[0].log_num[0] > records[1].log_num[0]);

    /* A variant that is not wanted leaves the others alone. */
    VmafRecordVif only = {0};
    test_accumulate(&pair, options, 4, NULL, 0, (VmafRecordVif *[]){NULL, NULL, &only, NULL});
    assert_memory_equal(&only, &records[2], sizeof(only));
    test_pair_free(&pair);
}

static int ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Random cuts, among them empty bands and bands of one row. */
static void test_bands_merge_to_the_record_of_the_frame(void **state)
{
    uint32_t seed = 1;
    for (unsigned round = 0; round < 60; round++) {
        seed = test_hash(seed, round, 7);
        unsigned w = 8 + seed % 40, h = 8 + (seed >> 8) % (round % 3 ? 90 : 8);
        static const unsigned depths[] = {8, 10, 16, 8, 9};
        TestPair pair = test_pair(w, h, depths[round % 5], round);
        unsigned cuts[12], n = 1 + (seed >> 20) % 12;
        for (unsigned i = 0; i < n; i++) {
            seed = test_hash(seed, i, round);
            cuts[i] = seed % (h + 1);
        }
        qsort(cuts, n, sizeof(cuts[0]), ascending);
        VmafRecordVif whole = test_record(&pair, defaults), merged = {0};
        test_accumulate(&pair, (const VifOptions *[]){&defaults}, 1, cuts, n,
                        (VmafRecordVif *[]){&merged});
        assert_memory_equal(&merged, &whole, sizeof(whole));
        test_pair_free(&pair);
    }
}

static void test_every_pixel_is_counted_once(void **state)
{
    TestPair pair = test_pair_blank(53, 37, 8);
    for (unsigned y = 0; y < 37; y++)
        for (unsigned x = 0; x < 53; x++) {
            test_store(&pair.ref, x, y, 77);
            test_store(&pair.dist, x, y, 80);
        }
    VmafRecordVif record = test_record(&pair, defaults);
    for (unsigned s = 0; s < 4; s++) {
        assert_int_equal(record.flat_count[s], (53 >> s) * (37 >> s));
        assert_int_equal(record.log_num[s] | record.log_den[s] | record.flat_variance[s], 0);
    }
    test_pair_free(&pair);
}

/* Black and white at full amplitude, and all bits set in words of fewer bits. */
static void test_extreme_samples_stay_within_the_bounds_of_the_record(void **state)
{
    for (unsigned depth = 8; depth <= 16; depth++) {
        TestPair pair = test_pair_blank(40, 40, depth);
        for (unsigned y = 0; y < 40; y++)
            for (unsigned x = 0; x < 40; x++) {
                uint32_t hash = test_hash(x, y, depth), white = (1u << depth) - 1;
                test_store(&pair.ref, x, y, hash & 1 ? white : 0);
                test_store(&pair.dist, x, y, hash & 6 ? 0 : white);
            }
        VmafRecordVif record = test_record(&pair, defaults);
        for (unsigned s = 0; s < 4; s++) {
            int64_t pixels = (40 >> s) * (40 >> s);
            assert_in_range(record.flat_count[s], 0, pixels);
            assert_in_range(record.log_num[s], 0, 28673 * pixels);
            assert_in_range(record.log_den[s], 1, 28673 * pixels);
            assert_in_range(record.flat_variance[s], 0, pixels << 31);
        }
        test_pair_free(&pair);
    }
    TestPair pair = test_pair_blank(40, 40, 9);
    for (unsigned y = 0; y < 40; y++)
        for (unsigned x = 0; x < 40; x++) {
            test_store(&pair.ref, x, y, test_hash(x, y, 0) & 0xffff);
            test_store(&pair.dist, x, y, test_hash(x, y, 1) & 0xffff);
        }
    VmafRecordVif first = test_record(&pair, defaults), second = test_record(&pair, defaults);
    assert_memory_equal(&first, &second, sizeof(first));
    test_pair_free(&pair);
}

static void test_small_pictures_and_odd_depths_are_refused_by_name(void **state)
{
    PictureFormat format = {.pix_fmt = VMAF_PIX_FMT_YUV400P, .bpc = 8, .w = {8}, .h = {8}};
    Reason why;
    assert_int_equal(extractor_check_format(&vif_extractor, &defaults, &format, &why), 0);
    format.w[0] = 7;
    assert_int_equal(extractor_check_format(&vif_extractor, &defaults, &format, &why), -EINVAL);
    assert_non_null(strstr(why.text, "8x8"));
    format.w[0] = 8, format.h[0] = 7;
    assert_int_equal(extractor_check_format(&vif_extractor, &defaults, &format, &why), -EINVAL);
    format.h[0] = 8, format.bpc = 16;
    assert_int_equal(extractor_check_format(&vif_extractor, &defaults, &format, &why), 0);
    format.bpc = 17;
    assert_int_equal(extractor_check_format(&vif_extractor, &defaults, &format, &why), -EINVAL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_are_those_of_libvmaf_3_2),
        cmocka_unit_test(test_debug_adds_totals_numerators_and_denominators),
        cmocka_unit_test(test_skipped_scale_0_scores_0_over_minus_1),
        cmocka_unit_test(test_sums_of_the_record_are_those_of_libvmaf_3_2),
        cmocka_unit_test(test_variants_in_one_pass_equal_separate_passes),
        cmocka_unit_test(test_bands_merge_to_the_record_of_the_frame),
        cmocka_unit_test(test_every_pixel_is_counted_once),
        cmocka_unit_test(test_extreme_samples_stay_within_the_bounds_of_the_record),
        cmocka_unit_test(test_small_pictures_and_odd_depths_are_refused_by_name),
    };
    return run_cases(argc, argv, tests, NULL, NULL);
}
