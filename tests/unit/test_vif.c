/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VIF from pixels to scores. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "support/cases.h"
#include "support/cpu.h"
#include "support/metric_checks.h"
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

CASE(test_debug_adds_totals_numerators_and_denominators)
{
    TestPair pair = test_pair(131, 97, 8, 0);
    TestSink sink = scores_of(&pair, defaults);
    assert_int_equal(sink.count, 4);
    sink = scores_of(&pair, (VifOptions){true, 100, false});
    assert_int_equal(sink.count, N_OUTPUTS);
    for (unsigned i = 0; i < N_OUTPUTS; i++)
        assert_int_equal(sink.order[i], i);
    test_pair_free(&pair);
}

CASE(test_skipped_scale_0_scores_0_over_minus_1)
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

CASE(test_sums_of_the_record_are_those_of_libvmaf_3_2)
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

CASE(test_variants_in_one_pass_equal_separate_passes)
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
CASE(test_bands_merge_to_the_record_of_the_frame)
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

CASE(test_every_pixel_is_counted_once)
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
CASE(test_extreme_samples_stay_within_the_bounds_of_the_record)
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

CASE(test_small_pictures_and_odd_depths_are_refused_by_name)
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

/*
 * VIF as one would write it down: whole images, every sample of every filter looked up, 64-bit
 * integers. The library must give the same records.
 */

enum { MAX_SIDE = 72 };

typedef struct Image {
    unsigned w, h;
    uint32_t at[MAX_SIDE][MAX_SIDE];
} Image;

/* The five vertically filtered images of a scale: two means, three second moments. */
typedef struct Columns {
    uint64_t at[5][MAX_SIDE][MAX_SIDE];
} Columns;

static uint64_t tap(unsigned scale, int k)
{
    return vif_filters[scale].taps[k < 0 ? -k : k];
}

static int mirror(int i, unsigned n)
{
    while (n > 1 && (i < 0 || i >= (int)n))
        i = i < 0 ? -i : 2 * ((int)n - 1) - i;
    return n == 1 ? 0 : i;
}

static void direct_decimate(const Image *in, Image *out, unsigned scale, unsigned depth)
{
    static uint64_t columns[MAX_SIDE][MAX_SIDE];
    const int radius = (int)vif_filters[scale].radius;
    for (unsigned y = 0; y < in->h; y++)
        for (unsigned x = 0; x < in->w; x++) {
            uint64_t sum = 1ull << (depth - 1);
            for (int k = -radius; k <= radius; k++)
                sum += tap(scale, k) * in->at[mirror((int)y + k, in->h)][x];
            columns[y][x] = sum >> depth;
        }
    out->w = in->w / 2;
    out->h = in->h / 2;
    for (unsigned y = 0; y < out->h; y++)
        for (unsigned x = 0; x < out->w; x++) {
            uint64_t sum = 32768;
            for (int k = -radius; k <= radius; k++)
                sum += tap(scale, k) * columns[2 * y][mirror((int)(2 * x) + k, in->w)];
            out->at[y][x] = (uint32_t)(sum >> 16);
        }
}

/* `stale` stands for the rows above and below an image of one row; NULL: mirror. */
static void direct_columns(const Image images[2], const Image stale[2], Columns *out,
                           unsigned scale, unsigned depth)
{
    const int radius = (int)vif_filters[scale].radius;
    const unsigned mean_shift = scale ? 16 : depth;
    const unsigned moment_shift = scale ? 16 : 2 * (depth - 8);
    for (unsigned y = 0; y < images[0].h; y++)
        for (unsigned x = 0; x < images[0].w; x++) {
            uint64_t sums[5] = {0};
            for (int k = -radius; k <= radius; k++) {
                int row = mirror((int)y + k, images[0].h);
                bool is_stale = stale && k != 0;
                uint64_t r = is_stale ? stale[0].at[1][x] : images[0].at[row][x];
                uint64_t d = is_stale ? stale[1].at[1][x] : images[1].at[row][x];
                const uint64_t terms[5] = {r, d, r * r, d * d, r * d};
                for (int i = 0; i < 5; i++)
                    sums[i] += tap(scale, k) * terms[i];
            }
            for (int i = 0; i < 5; i++) {
                unsigned shift = i < 2 ? mean_shift : moment_shift;
                out->at[i][y][x] = (sums[i] + (shift ? 1ull << (shift - 1) : 0)) >> shift;
            }
        }
}

static int64_t direct_log(int64_t v)
{
    int shift = 0;
    while (v >> shift >= 65536)
        shift++;
    float log = (float)log2((double)(v >> shift));
    return (int64_t)floor(2048.0 * (double)log + 0.5) + 2048 * shift;
}

static void direct_pixel(VmafRecordVif *record, unsigned scale, int64_t v1, int64_t v2, int64_t c,
                         double limit)
{
    if (v2 < 0)
        v2 = 0;
    if (v1 < 131072) {
        record->flat_variance[scale] += v2;
        record->flat_count[scale]++;
        return;
    }
    record->log_den[scale] += direct_log(131072 + v1) - 34816;
    if (c <= 0 || v2 <= 0)
        return;
    double gain = (double)c / ((double)v1 + 65536 * 1e-10);
    double product = gain * (double)c;
    int64_t residual = (int64_t)((double)v2 - product);
    if (residual < 0)
        residual = 0;
    if (gain > limit)
        gain = limit;
    double power = gain * gain;
    int64_t noise = residual + 131072;
    int64_t total = noise + (int64_t)(power * (double)v1);
    record->log_num[scale] += direct_log(total) - direct_log(noise);
}

static VmafRecordVif direct_record(const TestPair *pair, double limit)
{
    static Image pyramid[4][2];
    static Columns columns, below;
    VmafRecordVif record = {0};
    const unsigned depth = pair->format.bpc;
    for (int i = 0; i < 2; i++) {
        Image *image = &pyramid[0][i];
        image->w = pair->format.w[0];
        image->h = pair->format.h[0];
        for (unsigned y = 0; y < image->h; y++)
            for (unsigned x = 0; x < image->w; x++)
                image->at[y][x] = test_load(i ? &pair->dist : &pair->ref, x, y);
        for (unsigned s = 1; s < 4; s++)
            direct_decimate(&pyramid[s - 1][i], &pyramid[s][i], s, s == 1 ? depth : 16);
    }
    for (unsigned s = 0; s < 4; s++) {
        const unsigned w = pyramid[s][0].w, h = pyramid[s][0].h;
        const int radius = (int)vif_filters[s].radius;
        below = columns;
        direct_columns(pyramid[s], s == 3 && h == 1 ? pyramid[s - 1] : NULL, &columns, s, depth);
        for (unsigned y = 0; y < h; y++)
            for (unsigned x = 0; x < w; x++) {
                uint64_t sums[5] = {0};
                for (int k = -radius; k <= radius; k++)
                    for (int i = 0; i < 5; i++) {
                        uint64_t t = columns.at[i][y][mirror((int)x + k, w)];
                        if (s == 3 && w == 1 && k != 0)
                            t = below.at[i][pyramid[2][0].h - 1][1];
                        sums[i] += tap(s, k) * t;
                    }
                const uint64_t half = 1ull << 31;
                uint64_t m1 = sums[0], m2 = sums[1];
                int64_t v1 = (int64_t)((sums[2] + 32768) >> 16) - (int64_t)((m1 * m1 + half) >> 32);
                int64_t v2 = (int64_t)((sums[3] + 32768) >> 16) - (int64_t)((m2 * m2 + half) >> 32);
                int64_t c = (int64_t)((sums[4] + 32768) >> 16) - (int64_t)((m1 * m2 + half) >> 32);
                direct_pixel(&record, s, v1, v2, c, limit);
            }
    }
    return record;
}

typedef enum Content {
    PATTERN,
    NOISE,
    BLACK_AND_WHITE,
    IDENTICAL_NOISE,
    FAINT_NOISE,
    CONTENTS,
} Content;

static TestPair make_content(Content content, unsigned w, unsigned h, unsigned depth, unsigned seed)
{
    if (content == PATTERN)
        return test_pair(w, h, depth, seed);
    TestPair pair = test_pair_blank(w, h, depth);
    const uint32_t white = (1u << depth) - 1;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++) {
            uint32_t r = test_hash(x, y, seed), d = test_hash(x, y, seed + 1);
            if (content == IDENTICAL_NOISE)
                d = r;
            if (content == BLACK_AND_WHITE) {
                r = r & 1 ? white : 0;
                d = d & 3 ? r : white - r;
            }
            if (content == FAINT_NOISE) {
                r = white / 2 + r % (1u << (depth - 6));
                d = white / 3 + d % (1u << (depth - 7));
            }
            test_store(&pair.ref, x, y, r & white);
            test_store(&pair.dist, x, y, d & white);
        }
    return pair;
}

static void compare(unsigned w, unsigned h, unsigned depth, Content content, unsigned seed)
{
    static const double limits[] = {100, 1, 1.3};
    TestPair pair = make_content(content, w, h, depth, seed);
    VifOptions options = {.gain_limit = limits[seed % 3]};
    VmafRecordVif expected = direct_record(&pair, options.gain_limit);
    VmafRecordVif actual = test_record(&pair, options);
    if (memcmp(&actual, &expected, sizeof(actual)) != 0)
        fail_msg("%ux%u, depth %u, content %d, seed %u", w, h, depth, (int)content, seed);
    test_pair_free(&pair);
}

CASE(test_records_equal_the_direct_computation)
{
    for (unsigned seed = 0; seed < 90; seed++) {
        uint32_t hash = test_hash(seed, 1, 2);
        compare(16 + hash % (MAX_SIDE - 15), 16 + (hash >> 8) % (MAX_SIDE - 15), 8 + seed % 9,
                (Content)(hash >> 16) % CONTENTS, seed);
    }
}

CASE(test_one_row_or_column_at_scale_3_equals_the_direct_computation)
{
    for (unsigned side = 8; side < 16; side++)
        for (unsigned content = 0; content < CONTENTS; content++) {
            compare(side, 16 + side, 8, content, side);
            compare(side + 25, side, 10, content, side);
            compare(side, 23 - side, 16, content, side);
        }
}

/* -- rows that repeat those above them, with the kernels of every kind of processor -- */

static void copy_row(VmafPicture *pic, unsigned to, unsigned from)
{
    uint8_t *data = pic->data[0];
    memcpy(data + to * pic->stride[0], data + from * pic->stride[0], (size_t)pic->stride[0]);
}

/* Lengths of runs about those of windows, in rows and in pairs; every second row apart, too. Some
 * runs are those of one picture. */
static void repeat_rows(TestPair *pair, unsigned seed)
{
    static const unsigned lengths[] = {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 16, 17, 18, 19, 20, 25, 72};
    const unsigned h = pair->format.h[0];
    unsigned y = 0;
    for (unsigned run = 0; y < h; run++) {
        const uint32_t hash = test_hash(run, 77, seed);
        const unsigned distance = hash % 4 == 0 ? 2 : 1, pictures = hash / 4 % 8;
        unsigned end = y + distance + lengths[hash / 32 % (sizeof(lengths) / sizeof(lengths[0]))];
        end = end < h ? end : h;
        for (y += distance; y < end; y++) {
            if (pictures != 1)
                copy_row(&pair->ref, y, y - distance);
            if (pictures != 2)
                copy_row(&pair->dist, y, y - distance);
        }
    }
}

/* One unit in one sample, often the last of a row, or the first. */
static void spoil_sample(TestPair *pair, unsigned seed)
{
    const uint32_t hash = test_hash(5, 78, seed);
    const unsigned w = pair->format.w[0], y = (hash >> 8) % pair->format.h[0];
    const unsigned x = hash % 4 == 0 ? 0 : hash % 4 == 1 ? (hash >> 2) % w : w - 1;
    VmafPicture *pic = hash & 128 ? &pair->ref : &pair->dist;
    test_store(pic, x, y, test_load(pic, x, y) ^ 1);
}

/* In one pass, and in bands. */
static void compare_on(unsigned cpu_flags, const TestPair *pair, const VifOptions *options,
                       const VmafRecordVif *expected, unsigned seed)
{
    const unsigned h = pair->format.h[0];
    const unsigned cuts[2] = {h / 3, h / 3 + 1 + seed % (h / 2)};
    for (unsigned n_cuts = 0; n_cuts <= 2; n_cuts++) {
        VmafRecordVif actual = {0};
        test_accumulate_on(cpu_flags, pair, (const VifOptions *[]){options}, 1, cuts, n_cuts,
                           (VmafRecordVif *[]){&actual});
        if (memcmp(&actual, expected, sizeof(actual)) != 0)
            fail_msg("%ux%u, depth %u, seed %u, flags %u, %u cuts", pair->format.w[0], h,
                     pair->format.bpc, seed, cpu_flags, n_cuts);
    }
}

CASE(test_repeated_rows_equal_the_direct_computation)
{
    static const unsigned masks[] = {0, CPU_AVX512_ICL, CPU_AVX512 | CPU_AVX512_ICL,
                                     CPU_AVX512 | CPU_AVX512_ICL | CPU_AVX_VNNI, ~0u};
    for (unsigned seed = 0; seed < 120; seed++) {
        const uint32_t hash = test_hash(seed, 3, 4);
        TestPair pair = make_content((Content)(hash >> 16) % CONTENTS, 16 + hash % (MAX_SIDE - 15),
                                     16 + (hash >> 8) % (MAX_SIDE - 15), 8 + seed % 9, seed);
        repeat_rows(&pair, seed);
        if (seed % 2)
            spoil_sample(&pair, seed);
        const VifOptions options = {.gain_limit = 100};
        const VmafRecordVif expected = direct_record(&pair, options.gain_limit);
        for (unsigned i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
            compare_on(cpu_flags(masks[i]), &pair, &options, &expected, seed);
        test_pair_free(&pair);
    }
}

CASE(given_vif_then_each_sum_is_bounded_by_the_pixels_of_its_scale)
{
    const VifOptions plain = {0}, skip = {.skip_scale0 = true};
    VmafRecordVif record = {0};
    record.flat_count[0] = 54;
    record.log_den[1] = 28673 * 4 * 3;
    assert_true(record_within("vif", &record, &plain));
    assert_false(record_within("vif", &record, &skip));
    record.flat_count[0] = 55;
    assert_false(record_within("vif", &record, &plain));
    record.flat_count[0] = -1;
    assert_false(record_within("vif", &record, &plain));
    record.flat_count[0] = 0;
    record.log_den[1]++;
    assert_false(record_within("vif", &record, &plain));
    record.log_den[1] = 0;
    record.log_num[3] = 1; /* 9 >> 3 by 6 >> 3: no pixels */
    assert_false(record_within("vif", &record, &plain));
}
