/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * CAMBI on devices against the library's own accumulation, from pixels to record: all options that
 * change it, depths, formats, sizes around the edges of tiles, and pictures that have what makes
 * kernels differ: slopes in steps, plateaus, codes far apart next to each other, nothing at all.
 * Run for each device layer; with "chosen" on those that are slow, some of the cases.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature_plan.h"
#include "fixture.h"
#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_internal.h"
#include "metrics/cambi/cambi_kernel.h"
#include "session.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "test_sets.h"

static unsigned step = 1; /* of the long lists of cases: all, or every so many */

/* -- content -- */

static uint32_t noise(unsigned x, unsigned y)
{
    uint32_t n = x * 374761393u + y * 668265263u;
    n = (n ^ (n >> 13)) * 1274126177u;
    return n ^ (n >> 16);
}

/* From 10 bits to those of the picture. */
static unsigned scaled(unsigned code, unsigned bpc)
{
    return bpc < 10 ? code >> (10 - bpc) : code << (bpc - 10);
}

/* A slope with steps, dithered in every second tile. */
static unsigned slope(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned along = 5 * x + 3 * y + 17 * frame;
    const unsigned dither = ((x >> 5) + (y >> 5)) & 1 ? (7 * x + 13 * y) >> 3 & 1 : 0;
    return scaled(4 * (40 + (along >> 6) % 190 + dither), bpc);
}

/* Plateaus of a few codes with some noise, and what is lost in rounding to 10 bits. */
static unsigned plateaus(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned level = 120 + (x / 37 + 2 * (y / 9) + frame) % 11 + noise(x / 11, y / 5) % 5;
    const unsigned sparkle = noise(x, y) % 23 == 0;
    if (bpc < 10)
        return (level + 4 * sparkle) >> (10 - bpc);
    const unsigned unit = 1u << (bpc - 10);
    return (level + sparkle) * unit + noise(y, x) % unit - unit / 2;
}

/* Blocks of any code, so that a tile has codes of every slice of the band. */
static unsigned blocks(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned code = noise(x / 5 + frame, y / 4) % 1024;
    return scaled(x / 64 % 2 ? code : code & ~3u, bpc);
}

/* One after the other, for the edges of slices. */
static unsigned every_code(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return scaled((x / 5 + 61 * (y / 5) + frame) % 1024, bpc);
}

/* Between black and white, the largest sample included: rounding to 10 bits leaves them. */
static unsigned extremes(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned peak = (1u << bpc) - 1;
    const unsigned kind = (x / 21 + y / 17 + frame) % 4;
    return kind == 0 ? 0 : kind == 1 ? peak : kind == 2 ? scaled(64, bpc) : scaled(940, bpc);
}

static unsigned noisy(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return noise(x + 991 * frame, y) & ((1u << bpc) - 1);
}

static unsigned one_code(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return scaled(200, bpc);
}

/* Up to code 1024, which samples of more than 10 bits round to. */
static unsigned brightest(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned peak = (1u << bpc) - 1;
    const unsigned below = (x / 13 + y / 11 + frame) % 5 * 3;
    return below ? peak - (below << (bpc - 10)) : peak;
}

/* Halves one step apart: every pixel near the border has the same contrast as many others. */
static unsigned two_codes(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    return scaled(x < 150 ? 200 : 204, bpc);
}

/* -- one run -- */

typedef struct Run {
    FinishHarness harness; /* has the options, and the CPU's plan */
    Fixture fixture;
    VmafBackendPlan *plan;
    VmafBackendSession *session;
} Run;

static void open_device(Fixture *fixture, enum EmulatorOrder order)
{
    const EmulatorOptions options = {.order = order, .seed = 5};
    fixture_open_kept(fixture, &options);
}

/* Plans a request with the harness's options. */
static VmafBackendAnswer plan(Run *run)
{
    const FeaturePlanParams params = {.feature = &cambi_extractor,
                                      .options = &run->harness.options,
                                      .n_requests = 1,
                                      .format = &run->harness.format,
                                      .frames_in_flight = 2};
    run->plan = feature_plan_create(run->fixture.device, &params);
    return feature_plan_answer(run->plan, 0);
}

static void assert_declined(Run *run, const char *reason)
{
    const VmafBackendAnswer answer = plan(run);
    assert_false(answer.accepted);
    assert_string_equal(answer.reason, reason);
    vmaf_plan_destroy(run->plan);
}

static void run_begin(Run *run, const char *options, const PictureFormat *format,
                      enum EmulatorOrder order)
{
    *run = (Run){0};
    open_device(&run->fixture, order);
    harness_start(&run->harness, &cambi_extractor, options, format);
    const VmafBackendAnswer answer = plan(run);
    if (!answer.accepted)
        fail_msg("%s was declined: %s", options, answer.reason);
    assert_int_equal(answer.record_kind, VMAF_BACKEND_RECORD_BYTES);
    assert_int_equal(answer.record_size, sizeof(VmafRecordCambi));
    run->session = feature_plan_session(run->plan);
}

static void run_end(Run *run)
{
    vmaf_session_close(run->session);
    vmaf_plan_destroy(run->plan);
    harness_stop(&run->harness);
    fixture_close_kept(&run->fixture);
}

static VmafRecordCambi devices_record(Run *run, const VmafPicture *ref, const VmafPicture *dist,
                                      unsigned frame)
{
    const VmafBackendPicture pictures[] = {feature_plan_picture(ref), feature_plan_picture(dist)};
    const VmafBackendFrame submitted = {.struct_size = sizeof(submitted),
                                        .sequence = frame,
                                        .ref = &pictures[0],
                                        .dist = &pictures[1],
                                        .wanted = {1}};
    assert_int_equal(vmaf_session_submit(run->session, &submitted), VMAF_BACKEND_OK);
    VmafRecordCambi record;
    memset(&record, 0xa5, sizeof(record));
    void *records[] = {&record};
    int32_t status[] = {VMAF_BACKEND_FAILED};
    VmafBackendResult result = {
        .struct_size = sizeof(result), .n_requests = 1, .records = records, .status = status};
    assert_int_equal(vmaf_session_collect(run->session, 1800000, &result), VMAF_BACKEND_OK);
    assert_int_equal(status[0], VMAF_BACKEND_OK);
    return record;
}

static VmafRecordCambi cpus_record(Run *run, const VmafPicture *ref, const VmafPicture *dist)
{
    VmafRecordCambi record = {0};
    void *records[] = {&record};
    const FrameInput input = {.ref = ref, .dist = dist};
    assert_int_equal(cambi_extractor.accumulate(run->harness.params, run->harness.scratch, &input,
                                                (RowBand){0, run->harness.format.h[0]}, records),
                     0);
    return record;
}

/* One frame of the run, with the two pictures from formulas; returns the record, which is the
 * CPU's. */
static VmafRecordCambi check_frame(Run *run, HarnessSample ref_sample, HarnessSample dist_sample,
                                   unsigned frame, const char *what)
{
    const PictureFormat *format = &run->harness.format;
    VmafPicture ref = harness_picture(format, ref_sample, frame);
    VmafPicture dist = harness_picture(format, dist_sample, frame);
    const VmafRecordCambi expected = cpus_record(run, &ref, &dist);
    const VmafRecordCambi record = devices_record(run, &ref, &dist, frame);
    for (int which = 0; which < CAMBI_PICTURES; which++) {
        assert_int_equal(record.is_beyond_depth[which], expected.is_beyond_depth[which]);
        for (int s = 0; s < CAMBI_SCALES; s++) {
            const CambiSum *a = &record.strongest[which][s], *e = &expected.strongest[which][s];
            if (a->whole != e->whole || a->fraction != e->fraction)
                fail_msg("%s, %ux%u, %u bits, frame %u, picture %d, scale %d: %llu + %llu / 2^24, "
                         "not %llu + %llu / 2^24",
                         what, format->w[0], format->h[0], format->bpc, frame, which, s,
                         (unsigned long long)a->whole, (unsigned long long)a->fraction,
                         (unsigned long long)e->whole, (unsigned long long)e->fraction);
        }
    }
    harness_picture_free(&ref);
    harness_picture_free(&dist);
    return record;
}

static VmafRecordCambi check(const char *options, HarnessSample sample, unsigned bpc, unsigned w,
                             unsigned h, enum EmulatorOrder order)
{
    Run run;
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, w, h);
    run_begin(&run, options, &format, order);
    const VmafRecordCambi record = check_frame(&run, slope, sample, 0, options);
    run_end(&run);
    return record;
}

/* -- */

#define V1 "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17"

CASE(given_any_depth_then_records_are_those_of_the_cpu)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++) {
        const VmafRecordCambi record =
            check("", bpc % 2 ? slope : plateaus, bpc, 233, 75, (enum EmulatorOrder)(bpc % 3));
        assert_true(record.strongest[CAMBI_DIST][0].whole > 0);
        check("", extremes, bpc, 217, 60, EMULATOR_ORDER_RANDOM);
    }
}

CASE(given_codes_beyond_ten_bits_then_records_are_those_of_the_cpu)
{
    for (unsigned bpc = 10; bpc <= 16; bpc += 2) {
        const VmafRecordCambi record = check("max_log_contrast=4:topk=0.2", brightest, bpc, 217, 75,
                                             (enum EmulatorOrder)(bpc / 2 % 3));
        assert_true(record.strongest[CAMBI_DIST][0].whole > 0);
    }
}

CASE(given_any_pixel_format_then_records_are_those_of_the_cpu)
{
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                   VMAF_PIX_FMT_YUV444P};
    for (unsigned i = 0; i < 3; i++) {
        Run run;
        const PictureFormat format = harness_format(formats[i], i ? 10 : 8, 222, 50);
        run_begin(&run, "full_ref=true", &format, (enum EmulatorOrder)i);
        check_frame(&run, plateaus, slope, 0, "full_ref");
        run_end(&run);
    }
}

/* Several frames through the same memory: nothing is left of the one before. The first finds noise
 * wherever nothing is written. */
CASE(given_any_content_then_records_are_those_of_the_cpu)
{
    static const HarnessSample contents[] = {every_code, slope,    noisy,     plateaus,
                                             extremes,   one_code, two_codes, blocks};
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        Run run;
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, bpc, 301, 110);
        run_begin(&run, "full_ref=true", &format, EMULATOR_ORDER_REVERSE);
        for (unsigned i = 0; i < sizeof(contents) / sizeof(contents[0]); i++)
            check_frame(&run, contents[(3 * i + 1) % 8], contents[i], i, "content");
        run_end(&run);
    }
}

CASE(given_sizes_around_tiles_then_records_are_those_of_the_cpu)
{
    static const unsigned sizes[][2] = {
        {231, 15}, {232, 16}, {233, 17}, {347, 31}, {348, 32},  {349, 33}, {255, 63}, {256, 64},
        {257, 65}, {464, 47}, {470, 48}, {479, 49}, {480, 80},  {481, 81}, {31, 256}, {32, 231},
        {33, 240}, {58, 241}, {64, 256}, {65, 257}, {116, 217}, {63, 225}, {59, 273}, {246, 33},
    };
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i += step)
        check(i % 3 ? "" : "window_size=127", i % 2 ? slope : plateaus, i % 4 < 2 ? 8 : 10,
              sizes[i][0], sizes[i][1], (enum EmulatorOrder)(i % 3));
}

CASE(given_the_smallest_sizes_then_records_are_those_of_the_cpu)
{
    static const unsigned sizes[][2] = {{216, 1}, {1, 216}, {216, 2}, {2, 217}, {3, 300}, {301, 3}};
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check("window_size=127:full_ref=true", slope, 8, sizes[i][0], sizes[i][1],
              (enum EmulatorOrder)(i % 3));
        check("window_size=15", plateaus, 10, sizes[i][0], sizes[i][1], EMULATOR_ORDER_FORWARD);
    }
}

/* clang-format off */
static const char *const all_options[] = {
    V1, V1 ":full_ref=true", "enc_width=216:enc_height=150", "enc_width=200:enc_height=217",
    "enc_width=260:enc_height=160:full_ref=true:src_width=320:src_height=200",
    "full_ref=true:src_width=700:src_height=400", "enc_width=230", "enc_bitdepth=6",
    "enc_bitdepth=9", "enc_bitdepth=10", "enc_bitdepth=16", "window_size=15", "window_size=80",
    "window_size=127", "topk=0.0001", "topk=0.05", "topk=1", "topk=0.6:cambi_topk=0.2",
    "topk=0.1:cambi_topk=0.2", "cambi_topk=0.0001", "cambi_topk=1", "tvi_threshold=0.0001",
    "tvi_threshold=0.03", "tvi_threshold=1", "cambi_vis_lum_threshold=0.06",
    "cambi_vis_lum_threshold=20", "cambi_vis_lum_threshold=300", "max_log_contrast=0",
    "max_log_contrast=1", "max_log_contrast=3", "max_log_contrast=4", "max_log_contrast=5",
    "max_log_contrast=5:window_size=127:topk=0.3", "eotf=pq", "cambi_eotf=pq:max_log_contrast=3",
    "eotf=nonsense:cambi_eotf=pq", "eotf=pq:max_log_contrast=5:tvi_threshold=0.03",
    "cambi_high_res_speedup=1440", "cambi_high_res_speedup=2160", "cambi_high_res_speedup=7",
};
/* clang-format on */

CASE(given_any_option_then_records_are_those_of_the_cpu)
{
    for (unsigned i = 0; i < sizeof(all_options) / sizeof(all_options[0]); i += step) {
        check(all_options[i], i % 2 ? plateaus : slope, 8, 331, 222, (enum EmulatorOrder)(i % 3));
        check(all_options[i], i % 2 ? blocks : plateaus, 10, 331, 222,
              (enum EmulatorOrder)((i + 1) % 3));
    }
}

/* Beginning at half resolution takes many pixels, which need not be in many rows. */
static void given_a_speedup_in_effect_then_records_are_those_of_the_cpu(void **state)
{
    static const struct {
        const char *options;
        unsigned bpc, w, h;
    } cases[] = {
        {V1, 8, 1920, 1080},
        {V1 ":full_ref=true", 10, 1921, 1081},
        {"cambi_high_res_speedup=1440", 8, 2561, 1443},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i += step) {
        CambiOptions *options = harness_options(&cambi_extractor, cases[i].options);
        CambiGeometry geometry[CAMBI_PICTURES];
        assert_int_equal(cambi_geometry(geometry, options, cases[i].w, cases[i].h), 0);
        assert_true(geometry[CAMBI_DIST].half_resolution);
        free(options);
        check(cases[i].options, i ? plateaus : slope, cases[i].bpc, cases[i].w, cases[i].h,
              EMULATOR_ORDER_FORWARD);
    }
}

/* Two flat halves at the largest step, between noise, which is masked out. */
static unsigned far_codes(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    if (x < 5000 || x >= 5260)
        return noisy(x, y, plane, frame, bpc);
    return scaled(x < 5130 ? 200 : 232, bpc);
}

/* Each half of the window has 31000 pixels, so that products with the weight exceed 32 bits. */
static void given_the_largest_window_then_records_are_those_of_the_cpu(void **state)
{
    const char *const options = "window_size=127:max_log_contrast=5";
    const VmafRecordCambi record = check(options, far_codes, 8, 11530, 260, EMULATOR_ORDER_FORWARD);
    assert_true(record.strongest[CAMBI_DIST][0].whole > 0);
}

static unsigned beyond_at(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    static const unsigned places[][2] = {{0, 0}, {1024, 3}, {1099, 15}, {1023, 8}};
    const bool is_there = x == places[frame][0] && y == places[frame][1];
    return is_there ? 1u << bpc : scaled(100, bpc);
}

CASE(given_a_sample_beyond_the_depth_then_records_are_those_of_the_cpu)
{
    static const unsigned depths[] = {9, 10, 12, 15};
    for (unsigned i = 0; i < 4; i++) {
        Run run;
        const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, depths[i], 1100, 20);
        run_begin(&run, "full_ref=true", &format, (enum EmulatorOrder)(i % 3));
        for (unsigned f = 0; f < 4; f++) {
            const VmafRecordCambi dist = check_frame(&run, slope, beyond_at, f, "beyond");
            assert_int_equal(dist.is_beyond_depth[CAMBI_DIST], 1);
            assert_int_equal(dist.strongest[CAMBI_DIST][0].whole, 0);
            const VmafRecordCambi ref = check_frame(&run, beyond_at, slope, f, "beyond");
            assert_int_equal(ref.is_beyond_depth[CAMBI_REF], 1);
            assert_int_equal(ref.is_beyond_depth[CAMBI_DIST], 0);
        }
        run_end(&run);
    }
}

/* -- pooling alone, of contrasts that pictures seldom have -- */

enum { POOL_PIXELS = 3000, POOL_SLICE = 700, POOL_SLICES = 5, POOL_GAP = 64 };

/* Of the kind: equal ones; next to each other; of the whole range; most of them zero. */
static uint32_t contrast_of(unsigned kind, uint32_t i)
{
    const uint32_t chance = noise(i, kind),
                   range = CAMBI_CONTRAST_END_BITS - CAMBI_CONTRAST_MIN_BITS;
    switch (kind) {
    case 0:
        return 0x40490fdb;
    case 1:
        return 0x4049ffff + chance % 3;
    case 2:
        return CAMBI_CONTRAST_MIN_BITS + chance % range;
    case 3:
        return chance % 8 ? 0 : 0x41000000 + (chance >> 8) % 600;
    default:
        return chance % 3 ? CAMBI_CONTRAST_MIN_BITS + chance % 2 : CAMBI_CONTRAST_END_BITS - 1;
    }
}

static int descending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

/* In units of 2^-24. */
static uint64_t sum_of_largest(uint32_t *bits, uint32_t n, uint32_t wanted)
{
    uint64_t sum = 0;
    qsort(bits, n, sizeof(*bits), descending);
    for (uint32_t i = 0; i < wanted && bits[i]; i++) {
        float value;
        memcpy(&value, &bits[i], sizeof(value));
        sum += (uint64_t)((double)value * 0x1p24);
    }
    return sum;
}

static void check_pooling(Fixture *fixture, const uint32_t pooled[CAMBI_SCALES])
{
    static uint32_t contrasts[CAMBI_SCALES * (POOL_PIXELS + POOL_GAP)];
    static uint32_t counters[CAMBI_SCALES * CAMBI_COUNTERS];
    static uint64_t partials[2 * CAMBI_SCALES * POOL_SLICES];
    cambi_scale scales[CAMBI_SCALES];
    memset(counters, 0, sizeof(counters));
    memset(contrasts, 0x41, sizeof(contrasts)); /* gaps do not count */
    for (unsigned s = 0; s < CAMBI_SCALES; s++) {
        const int32_t first = (int32_t)(s * (POOL_PIXELS + POOL_GAP));
        scales[s] = (cambi_scale){first, first + POOL_PIXELS - (int32_t)s, pooled[s]};
        for (int32_t i = first; i < scales[s].end; i++)
            contrasts[i] = contrast_of(s, (uint32_t)i);
    }
    const cambi_tally_args args = {.pixels = POOL_SLICE};
    const uint32_t groups[3] = {POOL_SLICES, CAMBI_SCALES, 1};
    const FixtureBuffer buffers[] = {{sizeof(contrasts), contrasts, NULL},
                                     {sizeof(scales), scales, NULL},
                                     {sizeof(counters), counters, counters},
                                     {sizeof(partials), NULL, partials}};
    static const char *const names[] = {"cambi_tally_1", "cambi_tally_2", "cambi_tally_3"};
    for (int level = 0; level < 3; level++)
        assert_int_equal(fixture_run(fixture, names[level], buffers, &args, groups), 0);
    const FixtureBuffer last[] = {
        buffers[0], buffers[1], {sizeof(counters), counters, NULL}, buffers[3]};
    assert_int_equal(fixture_run(fixture, "cambi_strongest", last, &args, groups), 0);
    for (unsigned s = 0; s < CAMBI_SCALES; s++) {
        uint64_t sums[2] = {0};
        for (unsigned i = 0; i < 2 * POOL_SLICES; i++)
            sums[i / POOL_SLICES] += partials[2 * s * POOL_SLICES + i];
        const uint64_t expected = sum_of_largest(
            contrasts + scales[s].first, (uint32_t)(scales[s].end - scales[s].first), pooled[s]);
        if ((sums[0] << 24) + sums[1] != expected)
            fail_msg("kind %u, %u pooled: %llu + %llu / 2^24, not %llu / 2^24", s, pooled[s],
                     (unsigned long long)sums[0], (unsigned long long)sums[1],
                     (unsigned long long)expected);
    }
}

CASE(given_any_contrasts_then_exactly_the_strongest_are_summed)
{
    Fixture fixture;
    open_device(&fixture, EMULATOR_ORDER_RANDOM);
    for (uint32_t pooled = 1; pooled <= POOL_PIXELS - CAMBI_SCALES; pooled += 271) {
        const uint32_t each[] = {pooled, pooled + 1, pooled + 2, pooled / 7 + 1, pooled + 3};
        check_pooling(&fixture, each);
    }
    fixture_close_kept(&fixture);
}

CASE(given_what_only_the_cpu_does_then_the_reason_says_so)
{
    const PictureFormat format = harness_format(VMAF_PIX_FMT_YUV400P, 8, 331, 222);
    const PictureFormat small = harness_format(VMAF_PIX_FMT_YUV400P, 8, 215, 215);
    Run run = {0};
    open_device(&run.fixture, EMULATOR_ORDER_FORWARD);
    harness_start(&run.harness, &cambi_extractor, "", &format);
    CambiOptions *options = run.harness.options;

    options->heatmaps_path = "maps";
    assert_declined(&run, "heat maps are made by the CPU");
    options->heatmaps_path = NULL;

    options->eotf = "hlg";
    assert_declined(&run, "unknown eotf");
    options->eotf = "bt1886";

    run.harness.format = small;
    assert_declined(&run, "sizes at which cambi cannot analyse pictures");
    run.harness.format = format;
    harness_stop(&run.harness);
    fixture_close_kept(&run.fixture);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    if (take_argument(&argc, &argv, "chosen"))
        step = 7;
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(given_a_speedup_in_effect_then_records_are_those_of_the_cpu),
        cmocka_unit_test(given_the_largest_window_then_records_are_those_of_the_cpu),
    };
    select_cases(argc, argv);
    int failures = run_defined_cases(NULL, fixture_end_kept);
    if (step == 1)
        failures += run_case_group(long_tests, NULL, fixture_end_kept);
    return end_cases(failures);
}
