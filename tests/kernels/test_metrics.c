/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Every metric, from pixels to record, against the library's own accumulation: depths, formats,
 * sizes around tile edges, all options that change a record, requests that share work, extreme
 * content, several frames in flight, jumps in the stream. Run for each device layer; with "chosen"
 * some of the cases; with "bytes", too, only pictures of 8 bits and fewer sizes, for software
 * devices, which compile each kernel for seconds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature_plan.h"
#include "fixture.h"
#include "metric.h"
#include "metrics/framework/extractor.h"
#include "session.h"
#include "support/cases.h"
#include "support/finish_harness.h"
#include "test_sets.h"

/* Those beyond FRAMES are for adm and float_adm, which treat details in many ways. */
enum { FRAMES = 5, MAX_FRAMES = 11, MAX_REQUESTS = FEATURE_PLAN_MAX_REQUESTS, MAX_SETS = 16 };

static unsigned step = 1; /* of the long lists of cases: all, or every so many */
static bool only_bytes;

/* Requests that are made together: the options of each; ends with NULL. */
typedef struct Together {
    const char *options[MAX_REQUESTS];
} Together;

typedef struct Variants {
    const char *feature;
    unsigned minimum;        /* size */
    Together all;            /* that change a record */
    Together sets[MAX_SETS]; /* subsets whose requests share work; ends with an empty one */
} Variants;

#define VIF(limit) "vif_enhn_gain_limit=" #limit
#define VIF_SKIP   "vif_skip_scale0=true"
#define ADM(limit) "adm_enhn_gain_limit=" #limit
#define ADM_SKIP   "adm_skip_scale0=true"
#define ADM_NO_AIM "adm_skip_aim=true"
#define SPEED(kernel, scale, method)                                                               \
    "speed_kernelscale=" #kernel ":speed_prescale=" #scale ":speed_prescale_method=" #method
#define SPEED_V1 "speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_weight_var_mode=5:speed_max_val=45"

static const Variants all_variants[] = {
    {"psnr",
     2,
     {{"", "enable_chroma=false"}},
     {{{"enable_chroma=false", "", "enable_chroma=false"}}, {{"enable_chroma=false"}}}},
    {"float_psnr", 1, {{""}}, {{{"", ""}}}},
    {"float_moment", 1, {{""}}, {{{"", ""}}}},
    {"psnr_hvs", 16, {{""}}, {{{"", ""}}}},
    {"float_ssim",
     11,
     {{"", "enable_lcs=true"}},
     {{{"scale=2:enable_lcs=true", "", "scale=2"}},
      {{"scale=1", "", "scale=4", "scale=4:enable_lcs=true"}},
      {{"scale=3"}}}},
    {"float_ms_ssim", 176, {{"", "enable_lcs=true"}}, {{{""}}, {{"enable_lcs=true", ""}}}},
    {"float_ansnr", 3, {{""}}, {{{"", ""}}}},
    {"float_motion",
     6,
     {{"", "motion_add_uv=true", "motion_add_scale1=true",
       "motion_add_uv=true:motion_add_scale1=true", "motion_filter_size=3",
       "motion_filter_size=1:motion_add_scale1=true"}},
     {{{"", "motion_filter_size=4", "motion_add_scale1=true"}},
      {{"motion_add_uv=true", "motion_add_scale1=true"}},
      {{"motion_filter_size=3:motion_add_scale1=true", "motion_filter_size=1",
        "motion_filter_size=3:motion_add_uv=true"}}}},
    {"motion",
     3,
     {{"", "motion_five_frame_window=true", "motion_force_zero=true"}},
     {{{"motion_five_frame_window=true", "", "motion_five_frame_window=true", ""}}}},
    {"speed_chroma",
     160,
     {{SPEED_V1, SPEED(2.4, 1.0005, nearest)}},
     {{{SPEED_V1, "", "speed_sigma_nn=0.5"}},
      {{SPEED_V1 ":" SPEED(1.0, 0.6, bilinear), SPEED_V1 ":" SPEED(1.0, 0.5, bilinear),
        "speed_weight_var_mode=1:" SPEED(1.0, 0.6, bilinear)}},
      {{SPEED(1.0, 1.3, bilinear), SPEED(0.5, 1.2, bicubic)}},
      {{SPEED(1.0, 0.3, lanczos4), SPEED(1.5, 0.9, nearest)}}}},
    {"speed_temporal",
     80,
     {{"", "speed_use_ref_diff=true", SPEED(3.71134, 1.0009, nearest)}},
     {{{"speed_nn_floor=0.1:speed_sigma_nn=0.19", "", "speed_use_ref_diff=true"}},
      {{SPEED(1.0, 0.5, bilinear), "speed_use_ref_diff=true:" SPEED(1.6, 1.1, bicubic)}},
      {{SPEED(1.0, 0.3, lanczos4), "speed_use_ref_diff=true:" SPEED(2, 0.6, nearest)}}}},
    {"vif",
     8,
     {{"", VIF(1.0), VIF(1.35), VIF_SKIP}},
     {{{""}},
      {{VIF_SKIP}},
      {{"", VIF(1.0)}},
      {{VIF(1.0), ""}},
      {{VIF(1.2), VIF(1.0), VIF(1.2)}},
      {{VIF(1.0), VIF_SKIP}},
      {{VIF_SKIP, VIF_SKIP ":" VIF(1.0)}},
      {{VIF(3.7), VIF_SKIP, VIF(1.0), VIF_SKIP ":" VIF(1.0), ""}},
      {{VIF(1.0), VIF(1.1), VIF(1.35), VIF(2.5), ""}}}},
    {"float_vif",
     16,
     {{"", "vif_enhn_gain_limit=1.0", VIF_SKIP, "vif_sigma_nsq=1.3", "vif_kernelscale=0.5"}},
     {{{""}},
      {{VIF_SKIP}},
      {{"", VIF(1.0)}},
      {{"vif_sigma_nsq=0.0", VIF(1.5), VIF_SKIP}},
      {{"vif_kernelscale=1.5", "", "vif_kernelscale=1.5:vif_sigma_nsq=1.0"}},
      {{"vif_prescale=0.5", "", "vif_prescale=0.5:" VIF(1.0)}},
      {{"vif_prescale=0.7:vif_prescale_method=bilinear", "vif_prescale=0.7"}},
      {{"vif_prescale=1.3:vif_prescale_method=bicubic"}},
      {{"vif_prescale=0.6:vif_prescale_method=lanczos4"}}}},
    {"ssim", 1, {{""}}, {{{"", ""}}}},
    {"ssimulacra2",
     8,
     {{"", "yuv_matrix=1"}},
     {{{"", "yuv_matrix=3", ""}}, {{"yuv_matrix=2"}}, {{"yuv_matrix=1", "yuv_matrix=1"}}}},
    {"adm",
     17,
     {{"", ADM(1.0), ADM(1.2), ADM_NO_AIM, ADM_SKIP, "adm_csf_mode=1",
       "adm_csf_mode=2:adm_norm_view_dist=5.0",
       "adm_csf_mode=2:adm_norm_view_dist=1.5:adm_ref_display_height=2160",
       "adm_csf_scale=0.8:adm_csf_diag_scale=0.6", "adm_norm_view_dist=1.5"}},
     {{{""}},
      {{ADM_SKIP}},
      {{"", ADM(1.0)}},
      {{ADM(1.0), ""}},
      {{ADM(1.2), ADM(1.0), ADM(1.2)}},
      {{ADM(1.0), ADM_SKIP}},
      {{ADM_SKIP, ADM_SKIP ":" ADM(1.0)}},
      {{ADM_NO_AIM, ADM(1.0)}},
      {{"", ADM_NO_AIM ":" ADM(1.0), ADM_NO_AIM}},
      {{ADM_NO_AIM ":" ADM(1.0), ADM_NO_AIM}},
      {{"", "adm_csf_mode=2:" ADM(1.0)}},
      {{ADM(3.7), ADM_SKIP, ADM(1.0), ADM_SKIP ":" ADM(1.0), ""}},
      {{ADM(1.0), ADM(1.1), ADM(1.35), ADM(2.5), ""}},
      {{ADM(1.0000000000000002), "adm_csf_mode=1:adm_csf_scale=0.011:adm_csf_diag_scale=0.0007",
        "adm_csf_mode=3:" ADM_NO_AIM ":" ADM_SKIP}}}},
    {"float_adm",
     17,
     {{"", ADM(1.0), ADM_SKIP ":adm_csf_mode=2",
       ADM(1.2) ":adm_csf_mode=1:adm_csf_scale=0.8:adm_csf_diag_scale=0.6",
       "adm_bypass_cm=1:adm_norm_view_dist=5.0:adm_ref_display_height=720",
       "adm_p_norm=1:adm_f1s0=0.5:adm_f1s1=0:adm_f1s2=2:adm_f2s1=0.02:adm_f2s3=10"}},
     {{{""}},
      {{ADM_SKIP}},
      {{"", ADM(1.0)}},
      {{ADM(1.2), ADM(1.0), ADM(1.2)}},
      {{ADM(1.0), ADM_SKIP}},
      {{ADM_SKIP, ADM_SKIP ":" ADM(1.0)}},
      {{"", "adm_csf_mode=2:" ADM(1.0), "adm_p_norm=1"}},
      {{ADM(1.0), "adm_bypass_cm=1:" ADM(1.0), "adm_bypass_cm=1", ""}},
      {{ADM(3.7), ADM_SKIP, ADM(1.0), ADM_SKIP ":" ADM(1.0), ""}},
      {{ADM(1.0), ADM(1.1), ADM(1.35), ADM(2.5), ""}},
      {{"adm_p_norm=1:" ADM_SKIP, "adm_bypass_cm=1:adm_csf_mode=1:adm_csf_scale=50",
        "adm_p_norm=1:adm_f1s0=1e-40:adm_f1s1=1e-40:adm_f2s2=1e-40:adm_f1s2=1e-20:"
        "adm_f2s0=1e-20"}}}}, /* whose terms vanish */
};

/* Options that allow pictures below the feature's minimum. */
static const struct {
    const char *feature;
    unsigned minimum;
    Together options;
} all_smaller[] = {
    {"float_motion", 1, {{"motion_filter_size=1", "motion_filter_size=1:motion_add_scale1=true"}}},
    {"float_motion", 2, {{"motion_filter_size=3", "motion_filter_size=3:motion_add_scale1=true"}}},
};

/* -- content -- */

static unsigned hash(unsigned x, unsigned y, unsigned plane, unsigned frame)
{
    unsigned h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ plane * 0xc2b2ae3du ^ frame * 0x27d4eb2fu;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    return h;
}

static unsigned smooth(unsigned x, unsigned y, unsigned frame, unsigned max)
{
    const unsigned ramp = (3 * x + 5 * y + 7 * frame) % 256;
    return (ramp < 128 ? ramp : 255 - ramp) * max / 127;
}

static unsigned clamped(int64_t value, unsigned max)
{
    return value < 0 ? 0 : value > (int64_t)max ? max : (unsigned)value;
}

static unsigned ref_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned max = (1u << bpc) - 1, middle = 1u << (bpc - 1);
    switch (frame) {
    case 0:
        return smooth(x, y, frame, max);
    case 1:
        return hash(x, y, plane, frame) & max;
    case 2:
        return (x / 3 + y / 2) & 1 ? max : 0;
    case 3:
        return max / 2;
    case 4:
        return smooth(x, y, frame, max) ^ (hash(x, y, plane, frame) & max >> 4);
    case 5: /* noise, against the same with more contrast: enhancement */
        return middle + hash(x, y, plane, frame) % (middle / 2) - middle / 4;
    case 6: /* gratings that make the masking wrap */
        return x & 1 ? max : 0;
    case 7: /* mid grey with some extreme samples */
        return hash(x, y, plane, frame) % 31 ? middle : x & 1 ? max : 0;
    case 8: /* black and white, against the same with less contrast */
        return (x + y) & 1 ? max : 0;
    case 9: /* two shades */
        return max / 3;
    default: /* samples above the peak */
        return hash(x, y, plane, frame) & (bpc > 8 ? 0xffff : 0xff);
    }
}

static unsigned dist_sample(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc)
{
    const unsigned max = (1u << bpc) - 1, middle = 1u << (bpc - 1);
    const unsigned ref = ref_sample(x, y, plane, frame, bpc);
    const unsigned other = hash(y, x, plane, frame + 9);
    switch (frame) {
    case 1:
        return other & max;
    case 2:
        return max - ref;
    case 3:
        return ref;
    case 5:
        return clamped((int64_t)middle + ((int64_t)ref - middle) * (9 + x % 5) / 8 + other % 3,
                       max);
    case 6:
        return (x + y / 8) & 1 ? max : 0;
    case 7:
        return other % 5 ? ref : middle + (1u << (bpc - 8));
    case 8:
        return ref ? max - max / 5 : max / 7;
    case 9:
        return max / 2;
    case 10:
        return other % 3 ? ref : other >> 3 & (bpc > 8 ? 0xffff : 0xff);
    default: {
        const unsigned noise = hash(x, y, plane, frame + 3) & max >> 5;
        return ref > max / 2 ? ref - noise : ref + noise;
    }
    }
}

/* -- one run -- */

typedef struct Run {
    Fixture fixture;
    PictureFormat format;
    const FeatureExtractor *extractor;
    unsigned n_requests;
    void *options[MAX_REQUESTS];
    bool wants_one; /* of the requests, from every other frame */
    unsigned n_frames;
    VmafPicture ref[MAX_FRAMES], dist[MAX_FRAMES];
} Run;

static bool is_wanted(const Run *run, unsigned request, unsigned frame)
{
    return !run->wants_one || frame % 2 == 0 || request == frame / 2 % run->n_requests;
}

static VmafBackendPlan *make_plan(const Run *run)
{
    const FeaturePlanParams params = {.feature = run->extractor,
                                      .options = run->options,
                                      .n_requests = run->n_requests,
                                      .format = &run->format,
                                      .frames_in_flight = 3};
    VmafBackendPlan *plan = feature_plan_create(run->fixture.device, &params);
    for (unsigned i = 0; i < run->n_requests; i++) {
        const VmafBackendAnswer answer = feature_plan_answer(plan, i);
        if (!answer.accepted)
            fail_msg("%s, request %u was declined: %s", run->extractor->name, i, answer.reason);
        assert_int_equal(answer.record_size,
                         extractor_record_size(run->extractor, run->options[i], &run->format));
    }
    return plan;
}

static void *expected_record(const Run *run, unsigned request, unsigned frame, unsigned n_earlier)
{
    const FeatureExtractor *extractor = run->extractor;
    void *record = calloc(1, extractor_record_size(extractor, run->options[request], &run->format));
    const void *variant = run->options[request];
    void *plan, *scratch;
    FrameInput input = {.ref = &run->ref[frame], .dist = &run->dist[frame]};
    for (unsigned i = 0; i < FEATURE_MAX_HISTORY && i < n_earlier; i++) {
        input.earlier_ref[i] = &run->ref[frame - 1 - i];
        input.earlier_dist[i] = &run->dist[frame - 1 - i];
    }
    if (extractor_needs(extractor, variant, run->format.pix_fmt).ref_history > n_earlier)
        return record; /* no neighbour: zero */
    assert_int_equal(extractor_params_create(extractor, &plan, &run->format, &variant, 1, 0), 0);
    assert_int_equal(extractor_scratch_create(extractor, &scratch, plan), 0);
    const RowBand whole = {0, run->format.h[0]};
    assert_int_equal(extractor->accumulate(plan, scratch, &input, whole, &record), 0);
    extractor_scratch_destroy(extractor, scratch);
    extractor_params_destroy(extractor, plan);
    return record;
}

static void submit(const Run *run, VmafBackendSession *session, unsigned frame, bool context)
{
    const VmafBackendPicture ref = feature_plan_picture(&run->ref[frame]);
    const VmafBackendPicture dist = feature_plan_picture(&run->dist[frame]);
    const FeatureNeeds needs =
        extractor_needs(run->extractor, run->options[0], run->format.pix_fmt);
    VmafBackendFrame submitted = {.struct_size = sizeof(submitted),
                                  .flags = context ? VMAF_BACKEND_SUBMIT_CONTEXT : 0,
                                  .sequence = 100 + frame,
                                  .ref = &ref,
                                  .dist = context && !needs.dist_history ? NULL : &dist};
    for (unsigned i = 0; !context && i < run->n_requests; i++)
        submitted.wanted[0] |= (uint64_t)is_wanted(run, i, frame) << i;
    assert_int_equal(vmaf_session_submit(session, &submitted), VMAF_BACKEND_OK);
}

static size_t record_size(const Run *run, unsigned request)
{
    return extractor_record_size(run->extractor, run->options[request], &run->format);
}

static uint64_t member(const void *record, size_t number, size_t size)
{
    uint64_t member = 0; /* of which little-endian machines have the lower half if it is small */
    memcpy(&member, (const char *)record + number * size, size);
    return member;
}

static void compare(const Run *run, unsigned request, unsigned frame, const void *actual,
                    const void *expected)
{
    const size_t size = record_size(run, request);
    const size_t member_size = size % sizeof(uint64_t) ? sizeof(uint32_t) : sizeof(uint64_t);
    assert_int_equal(size % member_size, 0);
    for (size_t k = 0; k < size / member_size; k++) {
        const uint64_t found = member(actual, k, member_size);
        const uint64_t wanted = member(expected, k, member_size);
        if (found != wanted)
            fail_msg("%s, request %u, %ux%u, %u bits, frame %u: member %zu of %zu bytes is %lld "
                     "(%#llx), not %lld (%#llx)",
                     run->extractor->name, request, run->format.w[0], run->format.h[0],
                     run->format.bpc, frame, k, member_size, (long long)found,
                     (unsigned long long)found, (long long)wanted, (unsigned long long)wanted);
    }
}

static void collect(const Run *run, VmafBackendSession *session, unsigned frame, unsigned n_earlier)
{
    void *records[MAX_REQUESTS];
    int32_t status[MAX_REQUESTS];
    for (unsigned i = 0; i < run->n_requests; i++) {
        const size_t size = record_size(run, i);
        records[i] = malloc(size);
        memset(records[i], 0xa5, size);
        status[i] = VMAF_BACKEND_FAILED;
    }
    VmafBackendResult result = {.struct_size = sizeof(result),
                                .n_requests = run->n_requests,
                                .records = records,
                                .status = status};
    assert_int_equal(vmaf_session_collect(session, 1800000, &result), VMAF_BACKEND_OK);
    assert_int_equal(result.sequence, 100 + frame);
    for (unsigned i = 0; i < run->n_requests; i++) {
        if (!is_wanted(run, i, frame)) {
            assert_int_equal(status[i], VMAF_BACKEND_FAILED); /* it is untouched */
            free(records[i]);
            continue;
        }
        assert_int_equal(status[i], VMAF_BACKEND_OK);
        void *expected = expected_record(run, i, frame, n_earlier);
        compare(run, i, frame, records[i], expected);
        free(expected);
        free(records[i]);
    }
}

/* All frames with up to three in flight; then, after a jump, the last once more with context. */
static void check_stream(const Run *run)
{
    VmafBackendPlan *plan = make_plan(run);
    VmafBackendSession *session = feature_plan_session(plan);
    for (unsigned f = 0; f < run->n_frames; f++) {
        if (f >= 3)
            collect(run, session, f - 3, f - 3);
        submit(run, session, f, false);
    }
    for (unsigned f = run->n_frames - 3; f < run->n_frames; f++)
        collect(run, session, f, f);
    submit(run, session, run->n_frames - 3, true);
    submit(run, session, run->n_frames - 2, true);
    submit(run, session, run->n_frames - 1, false);
    collect(run, session, run->n_frames - 1, 2);
    vmaf_session_close(session);
    vmaf_plan_destroy(plan);
}

/* For each run the emulator has that run's order. */
static void open_device(Fixture *fixture, enum EmulatorOrder order, unsigned seed)
{
    const EmulatorOptions options = {.order = order,
                                     .seed = seed,
                                     .no_unified_memory = order != EMULATOR_ORDER_REVERSE,
                                     .no_exact_float32 = seed % 2};
    fixture_open_kept(fixture, &options);
}

static bool is_accepted(const Run *run)
{
    for (unsigned i = 0; i < run->n_requests; i++) {
        if (extractor_check_format(run->extractor, run->options[i], &run->format, NULL))
            return false;
    }
    return true;
}

/* Doubles sizes that the library rejects; odd ones remain odd. False: it is not the size. */
static bool find_format(Run *run)
{
    enum { LARGE = 1500 };
    unsigned w = run->format.w[0], h = run->format.h[0];
    while (!is_accepted(run) && w < LARGE && h < LARGE) {
        w += w / 2 * 2;
        h += h / 2 * 2;
        run->format = harness_format(run->format.pix_fmt, run->format.bpc, w, h);
    }
    return is_accepted(run);
}

static void check_pictures(Run *run)
{
    for (unsigned f = 0; f < run->n_frames; f++) {
        run->ref[f] = harness_picture(&run->format, ref_sample, f);
        run->dist[f] = harness_picture(&run->format, dist_sample, f);
    }
    check_stream(run);
    for (unsigned f = 0; f < run->n_frames; f++) {
        harness_picture_free(&run->ref[f]);
        harness_picture_free(&run->dist[f]);
    }
}

static void check_together(const Variants *variants, const Together *together, PictureFormat format,
                           enum EmulatorOrder order, bool wants_one)
{
    Run run = {.extractor = registry_find(variants->feature),
               .format = format,
               .wants_one = wants_one,
               .n_frames = strstr(variants->feature, "adm") ? MAX_FRAMES : FRAMES};
    open_device(&run.fixture, order, format.w[0] + format.h[0]);
    while (run.n_requests < MAX_REQUESTS && together->options[run.n_requests]) {
        run.options[run.n_requests] =
            harness_options(run.extractor, together->options[run.n_requests]);
        assert_non_null(run.options[run.n_requests]);
        run.n_requests++;
    }
    if ((format.bpc == 8 || !only_bytes) && find_format(&run))
        check_pictures(&run);
    for (unsigned i = 0; i < run.n_requests; i++)
        free(run.options[i]);
    fixture_close_kept(&run.fixture);
}

/* What a metric's definition leaves out. */
static bool is_defined(const char *feature, enum VmafPixelFormat pix_fmt, unsigned bpc)
{
    const VmafMetric *metric = vmaf_metric_find(feature);
    return bpc >= metric->depth_min && bpc <= metric->depth_max &&
           (pix_fmt != VMAF_PIX_FMT_YUV400P ||
            (metric->pixel_formats & 1u << VMAF_BACKEND_PIXEL_400));
}

/* Sizes below the metric's minimum become others that it takes. */
static unsigned usable(const Variants *variants, unsigned size)
{
    return size < variants->minimum ? variants->minimum + size % 8 : size;
}

static void check(const Variants *variants, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                  unsigned h, enum EmulatorOrder order)
{
    if (!is_defined(variants->feature, pix_fmt, bpc))
        return;
    const PictureFormat format =
        harness_format(pix_fmt, bpc, usable(variants, w), usable(variants, h));
    check_together(variants, &variants->all, format, order, false);
}

static void given_any_depth_then_records_are_those_of_the_cpu(void **state)
{
    for (unsigned bpc = 8; bpc <= 16; bpc++)
        check(*state, VMAF_PIX_FMT_YUV420P, bpc, 75, 61, (enum EmulatorOrder)(bpc % 3));
}

static void given_any_pixel_format_then_records_are_those_of_the_cpu(void **state)
{
    static const enum VmafPixelFormat formats[] = {VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                   VMAF_PIX_FMT_YUV444P, VMAF_PIX_FMT_YUV400P};
    for (unsigned i = 0; i < 4; i++)
        check(*state, formats[i], i & 1 ? 10 : 8, 50, 38, (enum EmulatorOrder)(i % 3));
}

static void given_sizes_around_tiles_then_records_are_those_of_the_cpu(void **state)
{
    /* Tiles of 32 x 32 and 64 x 32, then of 112 x 8, then of 124 x 16. */
    static const unsigned widths[] = {31,  32,  33,  34,  63,  64,  65,  66,  95,
                                      96,  97,  127, 128, 129, 161, 111, 112, 113,
                                      223, 225, 123, 124, 125, 126, 248, 249};
    static const unsigned heights[] = {33, 65, 32, 64, 31, 97, 66, 34, 96, 63, 35, 67, 128,
                                       30, 95, 24, 17, 23, 41, 25, 17, 48, 47, 49, 18, 33};
    for (unsigned i = 0; i < sizeof(widths) / sizeof(widths[0]); i += step)
        check(*state, VMAF_PIX_FMT_YUV420P, i & 1 ? 10 : 8, widths[i], heights[i],
              (enum EmulatorOrder)(i % 3));
}

static void given_the_smallest_sizes_then_records_are_those_of_the_cpu(void **state)
{
    const Variants *variants = *state;
    const unsigned deep = is_defined(variants->feature, VMAF_PIX_FMT_YUV420P, 16) ? 16 : 12;
    for (unsigned i = 0; i < 6; i += step) {
        check(variants, VMAF_PIX_FMT_YUV420P, 8, variants->minimum + i, variants->minimum,
              EMULATOR_ORDER_FORWARD);
        check(variants, VMAF_PIX_FMT_YUV420P, deep, variants->minimum, variants->minimum + i,
              EMULATOR_ORDER_REVERSE);
    }
}

static void
given_options_that_allow_smaller_pictures_then_records_are_those_of_the_cpu(void **state)
{
    const Variants *variants = *state;
    for (unsigned i = 0; i < sizeof(all_smaller) / sizeof(all_smaller[0]); i++) {
        const unsigned minimum = all_smaller[i].minimum;
        for (unsigned w = minimum; w < 8 && !strcmp(all_smaller[i].feature, variants->feature);
             w++) {
            const PictureFormat format =
                harness_format(VMAF_PIX_FMT_YUV400P, w % 2 ? 8 : 10, w, minimum + w % 3);
            check_together(variants, &all_smaller[i].options, format, EMULATOR_ORDER_RANDOM, false);
        }
    }
}

static void given_a_larger_picture_then_records_are_those_of_the_cpu(void **state)
{
    check(*state, VMAF_PIX_FMT_YUV420P, 8, 575, 323, EMULATOR_ORDER_FORWARD);
    check(*state, VMAF_PIX_FMT_YUV420P, 12, 322, 579, EMULATOR_ORDER_RANDOM);
}

/* Windows that begin at any position in a tile; sums over so many positions that rows are shifted.
 */
static void given_any_window_then_records_are_those_of_the_cpu(void **state)
{
    static const Together usual = {{""}};
    const Variants *variants = *state;
    if (strcmp(variants->feature, "adm"))
        skip();
    for (unsigned h = 300; h < 1200; h += 29)
        check_together(variants, &usual, harness_format(VMAF_PIX_FMT_YUV400P, 8, 24, h),
                       EMULATOR_ORDER_RANDOM, false);
    check_together(variants, &usual, harness_format(VMAF_PIX_FMT_YUV400P, 8, 3072, 2304),
                   EMULATOR_ORDER_RANDOM, false);
}

/* So many partial sums that slices of them are added up first, or so many terms of sums that they
 * are made one part after the other. */
static void given_many_partial_sums_then_records_are_those_of_the_cpu(void **state)
{
    const Variants *variants = *state;
    const bool is_short = !strcmp(variants->feature, "vif") || !strcmp(variants->feature, "adm") ||
                          !strcmp(variants->feature, "float_adm") ||
                          !strcmp(variants->feature, "float_vif") ||
                          strstr(variants->feature, "ssim");
    check(variants, VMAF_PIX_FMT_YUV420P, 8, 705, is_short ? 1325 : 2977, EMULATOR_ORDER_RANDOM);
}

static void given_requests_that_share_work_then_records_are_those_of_the_cpu(void **state)
{
    const Variants *variants = *state;
    for (unsigned i = 0; i < MAX_SETS && variants->sets[i].options[0]; i++) {
        for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
            if (step > 1 && i % 2 != bpc / 2 % 2)
                continue;
            const PictureFormat format = harness_format(
                VMAF_PIX_FMT_YUV420P, bpc, usable(variants, 117 + i), usable(variants, 43 + i));
            check_together(variants, &variants->sets[i], format,
                           (enum EmulatorOrder)((i + bpc / 2) % 3), bpc == 10);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: test_metrics LAYER FEATURE [chosen] [bytes] [PATTERN...]\n");
        return 2;
    }
    layer_name = argv[1];
    const Variants *variants = NULL;
    for (unsigned i = 0; i < sizeof(all_variants) / sizeof(all_variants[0]); i++) {
        if (!strcmp(all_variants[i].feature, argv[2]))
            variants = &all_variants[i];
    }
    if (!variants || !vmaf_metric_find(argv[2])) {
        fprintf(stderr, "there is no metric for %s\n", argv[2]);
        return 2;
    }
    argc -= 2;
    argv += 2;
    if (take_argument(&argc, &argv, "chosen"))
        step = 5;
    only_bytes = take_argument(&argc, &argv, "bytes");
    if (step > 1 && only_bytes)
        step = 25;
    void *chosen = (void *)(uintptr_t)variants;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(given_any_depth_then_records_are_those_of_the_cpu, chosen),
        cmocka_unit_test_prestate(given_any_pixel_format_then_records_are_those_of_the_cpu, chosen),
        cmocka_unit_test_prestate(given_sizes_around_tiles_then_records_are_those_of_the_cpu,
                                  chosen),
        cmocka_unit_test_prestate(given_the_smallest_sizes_then_records_are_those_of_the_cpu,
                                  chosen),
        cmocka_unit_test_prestate(
            given_options_that_allow_smaller_pictures_then_records_are_those_of_the_cpu, chosen),
        cmocka_unit_test_prestate(given_requests_that_share_work_then_records_are_those_of_the_cpu,
                                  chosen),
    };
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test_prestate(given_any_window_then_records_are_those_of_the_cpu, chosen),
        cmocka_unit_test_prestate(given_a_larger_picture_then_records_are_those_of_the_cpu, chosen),
        cmocka_unit_test_prestate(given_many_partial_sums_then_records_are_those_of_the_cpu,
                                  chosen),
    };
    select_cases(argc, argv);
    int failures = run_case_group(tests, NULL, fixture_end_kept);
    if (step == 1)
        failures += run_case_group(long_tests, NULL, fixture_end_kept);
    return end_cases(failures);
}
