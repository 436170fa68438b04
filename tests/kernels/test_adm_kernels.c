/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The kernels of ADM against the scalar functions of the library: whole records, bit for bit.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adm_scalar.h"
#include "fixture.h"
#include "metrics/adm/adm_device.h"
#include "random_numbers.h"
#include "support/cases.h"

enum { SECTION = 256, SCALES = ADM_SCALES };

static bool chosen_only; /* some of the cases, on slow devices */

/* -- content -- */

enum Content {
    CONTENT_NOISE,
    CONTENT_SMOOTH,       /* ramps, and the same with a little noise */
    CONTENT_FLAT,         /* two shades */
    CONTENT_CHECKERBOARD, /* black and white, against the same with less contrast */
    CONTENT_OPPOSITE,     /* black and white checkerboard against its negative */
    CONTENT_STRIPES,      /* full-amplitude gratings that make the masking wrap */
    CONTENT_CONTRAST,     /* noise, against the same with more contrast: enhancement */
    CONTENT_SPARSE,       /* mid grey with some extreme samples */
    CONTENT_BEYOND,       /* samples above the peak value */
    CONTENTS,
};

static unsigned clamped(int64_t value, unsigned peak)
{
    return value < 0 ? 0 : value > (int64_t)peak ? peak : (unsigned)value;
}

/* Makes a sample of the reference, and from it that of the distorted picture. */
static void make_samples(enum Content content, unsigned x, unsigned y, unsigned depth,
                         unsigned samples[2])
{
    const unsigned peak = (1u << depth) - 1, unit = 1u << (depth - 8), mid = 1u << (depth - 1);
    unsigned r, d;
    switch (content) {
    case CONTENT_NOISE:
        r = noise() & peak;
        d = noise() & peak;
        break;
    case CONTENT_SMOOTH:
        r = (3 * x + 2 * y) * unit / 2 & peak;
        d = clamped((int64_t)r + (noise() % 9 - 4) * unit, peak);
        break;
    case CONTENT_FLAT:
        r = peak / 3;
        d = peak / 2;
        break;
    case CONTENT_CHECKERBOARD:
        r = (x + y) & 1 ? peak : 0;
        d = (x + y) & 1 ? peak - peak / 5 : peak / 7;
        break;
    case CONTENT_OPPOSITE:
        r = (x / 2 + y / 3) & 1 ? peak : 0;
        d = peak - r;
        break;
    case CONTENT_STRIPES:
        r = x & 1 ? peak : 0;
        d = (x + y / 8) & 1 ? peak : 0;
        break;
    case CONTENT_CONTRAST:
        r = mid + (noise() % (mid / 2)) - mid / 4;
        d = clamped((int64_t)mid + ((int64_t)r - mid) * (9 + x % 5) / 8 + noise() % 3, peak);
        break;
    case CONTENT_SPARSE:
        r = noise() % 31 ? mid : noise() & 1 ? peak : 0;
        d = noise() % 5 ? r : mid + unit;
        break;
    default:
        r = noise() & 0xFFFF;
        d = noise() % 3 ? r : noise() & 0xFFFF;
        break;
    }
    samples[0] = r;
    samples[1] = d;
}

static AdmFrame frame_create(unsigned w, unsigned h, unsigned depth)
{
    AdmFrame frame = {.w = w, .h = h, .depth = depth};
    frame.stride = (w * (depth > 8 ? 2 : 1) + 3) / 4 * 4 + 4 * (w % 3);
    for (unsigned side = 0; side < 2; side++) {
        frame.pixels[side] = malloc((size_t)frame.stride * h);
        assert_non_null(frame.pixels[side]);
        memset(frame.pixels[side], 0xA5, (size_t)frame.stride * h);
    }
    return frame;
}

static void frame_fill(AdmFrame *frame, enum Content content)
{
    noise_seed = frame->w * 7919u + frame->h * 31u + (unsigned)content;
    for (unsigned y = 0; y < frame->h; y++) {
        for (unsigned x = 0; x < frame->w; x++) {
            unsigned samples[2];
            make_samples(content, x, y, frame->depth, samples);
            for (unsigned side = 0; side < 2; side++) {
                unsigned char *row = frame->pixels[side] + (size_t)y * frame->stride;
                if (frame->depth == 8) {
                    row[x] = (unsigned char)samples[side];
                } else {
                    const uint16_t sample = (uint16_t)samples[side];
                    memcpy(row + 2 * x, &sample, sizeof(sample));
                }
            }
        }
    }
}

static void frame_destroy(AdmFrame *frame)
{
    free(frame->pixels[0]);
    free(frame->pixels[1]);
}

/* -- on the device -- */

typedef struct Run {
    Fixture *fixture;
    VmafDeviceCommandList *list;
    VmafDeviceBuffer *buffers[16];
    unsigned n_buffers;
} Run;

static VmafDeviceBuffer *run_buffer(Run *run, enum VmafDeviceMemory memory, uint64_t size)
{
    assert_true(run->n_buffers < sizeof(run->buffers) / sizeof(run->buffers[0]));
    VmafDeviceBuffer *buffer = fixture_buffer(run->fixture, memory, size);
    run->buffers[run->n_buffers++] = buffer;
    return buffer;
}

/* Memory of the device with these contents. */
static VmafDeviceBuffer *run_upload(Run *run, const void *data, uint64_t size)
{
    VmafDeviceBuffer *upload = run_buffer(run, VMAF_MEMORY_UPLOAD, size);
    VmafDeviceBuffer *buffer = run_buffer(run, VMAF_MEMORY_DEVICE, size);
    memcpy(upload->mapped, data, size);
    const VmafDeviceCopy copy = {.dst = buffer, .src = upload, .row_size = size, .rows = 1};
    assert_int_equal(vmaf_device_cmd_copy(run->list, &copy), 0);
    return buffer;
}

static void run_dispatch(Run *run, const char *kernel, VmafDeviceDispatch *dispatch)
{
    const VmafDeviceLayer *layer = run->fixture->layer;
    assert_int_equal(layer->kernel_find(run->fixture->device, &dispatch->kernel, kernel), 0);
    assert_int_equal(layer->cmd_barrier(run->list), 0);
    assert_int_equal(vmaf_device_cmd_dispatch(run->list, dispatch), 0);
}

/* For up to three sets of options. */
static int plan_for(VmafAdmPlan *plan, const VmafAdmGeometry *geometry, const AdmOptions options[],
                    uint32_t n)
{
    const void *const sets[] = {&options[0], &options[1 % n], &options[2 % n]};
    return vmaf_adm_plan(plan, geometry, sets, n);
}

/* The records for one or two sets of options, computed together. */
static void device_records(Fixture *fixture, const AdmFrame *frame, const AdmOptions options[],
                           uint32_t n, VmafRecordAdm records[])
{
    const VmafDeviceLayer *layer = fixture->layer;
    const VmafAdmGeometry geometry = {frame->w, frame->h, frame->depth, frame->stride,
                                      frame->stride};
    VmafAdmPlan plan;
    assert_int_equal(plan_for(&plan, &geometry, options, n), 0);
    uint32_t first[SCALES], n_partials = 0;
    for (int s = 0; s < SCALES; s++) {
        const uint32_t alignment = SECTION / sizeof(uint64_t);
        first[s] = n_partials;
        n_partials += (plan.scales[s].n_partials + alignment - 1) / alignment * alignment;
    }
    partial_sum sums[ADM_MAX_VARIANTS * VMAF_ADM_RESULTS];
    for (uint32_t i = 0; i < n * VMAF_ADM_RESULTS; i++) {
        sums[i] = vmaf_adm_sum(&plan, &options[i / VMAF_ADM_RESULTS], i % VMAF_ADM_RESULTS, first);
        sums[i].result = i;
    }

    Run run = {.fixture = fixture};
    assert_int_equal(layer->command_list_begin(fixture->device, &run.list), 0);
    const uint64_t size = (uint64_t)frame->stride * frame->h;
    VmafDeviceBuffer *ref = run_upload(&run, frame->pixels[0], size);
    VmafDeviceBuffer *dist = run_upload(&run, frame->pixels[1], size);
    VmafDeviceBuffer *table = run_upload(&run, sums, n * VMAF_ADM_RESULTS * sizeof(sums[0]));
    VmafDeviceBuffer *approx[2] = {run_buffer(&run, VMAF_MEMORY_DEVICE, plan.approx_size[0]),
                                   run_buffer(&run, VMAF_MEMORY_DEVICE, plan.approx_size[1])};
    VmafDeviceBuffer *partials =
        run_buffer(&run, VMAF_MEMORY_DEVICE, n_partials * sizeof(uint64_t));
    const uint64_t results_size = n * sizeof(VmafRecordAdm);
    VmafDeviceBuffer *results = run_buffer(&run, VMAF_MEMORY_DEVICE, results_size);
    VmafDeviceBuffer *download = run_buffer(&run, VMAF_MEMORY_DOWNLOAD, results_size);

    for (int s = 0; s < SCALES; s++) {
        const VmafAdmScale *scale = &plan.scales[s];
        const VmafDeviceBinding sums_of_scale = {partials, first[s] * sizeof(uint64_t),
                                                 scale->n_partials * sizeof(uint64_t)};
        VmafDeviceDispatch dispatch = {
            .args = &scale->args,
            .groups = {scale->groups[0], scale->groups[1], scale->groups[2]},
        };
        unsigned slot = 0;
        if (s == 0) {
            dispatch.bindings[slot++].buffer = ref;
            dispatch.bindings[slot++].buffer = dist;
        } else {
            dispatch.bindings[slot++].buffer = approx[(s - 1) & 1];
        }
        dispatch.bindings[slot++].buffer = approx[s & 1];
        dispatch.bindings[slot] = sums_of_scale;
        run_dispatch(&run, scale->kernel, &dispatch);
    }
    const sum_partials_args args = {0};
    run_dispatch(&run, "sum_partials",
                 &(VmafDeviceDispatch){
                     .bindings = {{.buffer = table}, {.buffer = partials}, {.buffer = results}},
                     .args = &args,
                     .groups = {n * VMAF_ADM_RESULTS, 1, 1},
                 });
    assert_int_equal(layer->cmd_barrier(run.list), 0);
    const VmafDeviceCopy back = {
        .dst = download, .src = results, .row_size = results_size, .rows = 1};
    assert_int_equal(vmaf_device_cmd_copy(run.list, &back), 0);
    assert_int_equal(layer->command_list_end(run.list), 0);

    VmafDeviceTicket ticket;
    int status = fixture_submit(fixture, run.list, &ticket);
    if (status == 0)
        status = fixture_wait(fixture, ticket, UINT64_MAX);
    if (status != 0) {
        char text[512];
        layer->last_error(fixture->device, text, sizeof(text));
        fail_msg("%ux%u, %u bits: %s", frame->w, frame->h, frame->depth, text);
    }
    memcpy(records, download->mapped, results_size);
    layer->command_list_destroy(run.list);
    for (unsigned i = 0; i < run.n_buffers; i++)
        layer->buffer_destroy(fixture->device, run.buffers[i]);
}

static void check_record(const AdmFrame *frame, const AdmOptions *options, enum Content content,
                         const VmafRecordAdm *actual)
{
    const VmafRecordAdm expected = adm_scalar_record(frame, options);
    uint64_t sums[2][VMAF_ADM_RESULTS];
    memcpy(sums[0], &expected, sizeof(expected));
    memcpy(sums[1], actual, sizeof(*actual));
    for (unsigned i = 0; i < VMAF_ADM_RESULTS; i++) {
        if (sums[0][i] != sums[1][i]) {
            static const char *const kinds[] = {"den", "num", "aim"};
            fail_msg("%ux%u, %u bits, content %d: %s[%u][%u] is %lld, not %lld", frame->w, frame->h,
                     frame->depth, (int)content, kinds[i / 12], i / 3 % 4, i % 3,
                     (long long)sums[1][i], (long long)sums[0][i]);
        }
    }
}

static void check(Fixture *fixture, const AdmFrame *frame, const AdmOptions *options,
                  enum Content content)
{
    VmafRecordAdm actual;
    device_records(fixture, frame, options, 1, &actual);
    check_record(frame, options, content, &actual);
}

static const AdmOptions usual = {
    .enhn_gain_limit = 100.0,
    .norm_view_dist = 3.0,
    .ref_display_height = 1080,
    .csf_scale = 1.0,
    .csf_diag_scale = 1.0,
};

static AdmOptions with_gain_limit(double limit)
{
    AdmOptions options = usual;
    options.enhn_gain_limit = limit;
    return options;
}

static AdmOptions with_csf(int mode, double distance, int height)
{
    AdmOptions options = usual;
    options.csf_mode = mode;
    options.norm_view_dist = distance;
    options.ref_display_height = height;
    return options;
}

/* -- tests -- */

CASE(given_any_depth_and_content_the_record_equals_the_scalar_one)
{
    for (unsigned order = 0; order < 3; order++) {
        Fixture fixture;
        fixture_open_order(&fixture, order);
        for (unsigned depth = 8 + order; depth <= 16; depth += 3) {
            AdmFrame frame = frame_create(139, 77, depth);
            for (int content = 0; content < CONTENTS; content++) {
                const double limits[] = {1.0, 100.0, 1.2};
                const AdmOptions options = with_gain_limit(limits[(depth / 3 + content) % 3]);
                frame_fill(&frame, content);
                check(&fixture, &frame, &options, content);
            }
            frame_destroy(&frame);
        }
        fixture_close(&fixture);
    }
}

CASE(given_any_option_the_record_equals_the_scalar_one)
{
    AdmOptions barten = with_csf(1, 3.0, 1080), both_skips = with_csf(3, 3.0, 1080);
    AdmOptions skip_aim = usual, skip_scale0 = usual, small_barten = barten;
    small_barten.csf_scale = 0.011;
    small_barten.csf_diag_scale = 0.0007;
    barten.csf_scale = 1.0;
    barten.csf_diag_scale = 37.5;
    skip_aim.skip_aim = skip_scale0.skip_scale0 = true;
    both_skips.skip_aim = both_skips.skip_scale0 = true;
    const AdmOptions sets[] = {
        usual,
        with_gain_limit(1.0),
        with_gain_limit(1.1),
        with_gain_limit(1.2),
        with_gain_limit(99.99),
        with_gain_limit(1.0000000000000002),
        with_gain_limit(7.0),
        with_gain_limit(2.5),
        with_csf(0, 5.0, 1080),
        with_csf(0, 24.0, 4320),
        barten,
        small_barten,
        with_csf(2, 3.0, 1080),
        with_csf(2, 5.0, 1080),
        with_csf(2, 1.5, 2160),
        with_csf(2, 3.0, 2160),
        with_csf(3, 5.0, 2160),
        with_csf(2, 4.0, 1000),
        with_csf(3, 3.0, 1080),
        skip_aim,
        skip_scale0,
        both_skips,
    };
    Fixture fixture;
    fixture_open_order(&fixture, EMULATOR_ORDER_RANDOM);
    for (unsigned i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        AdmFrame frame = frame_create(101, 99, i & 1 ? 8 : 10);
        static const enum Content contents[] = {CONTENT_CONTRAST, CONTENT_SMOOTH, CONTENT_NOISE,
                                                CONTENT_STRIPES};
        for (unsigned k = 0; k < sizeof(contents) / sizeof(contents[0]); k++) {
            frame_fill(&frame, contents[k]);
            check(&fixture, &frame, &sets[i], contents[k]);
        }
        frame_destroy(&frame);
    }
    fixture_close(&fixture);
}

CASE(given_two_variants_each_record_equals_the_scalar_one)
{
    AdmOptions other = with_csf(2, 5.0, 1080);
    other.enhn_gain_limit = 1.0;
    const AdmOptions pairs[][2] = {
        {usual, with_gain_limit(1.0)},
        {with_gain_limit(1.2), with_gain_limit(2.5)},
        {other, usual},
    };
    Fixture fixture;
    fixture_open_order(&fixture, EMULATOR_ORDER_RANDOM);
    for (unsigned depth = 8; depth <= 12; depth += 4) {
        AdmFrame frame = frame_create(139, 77, depth);
        for (unsigned i = 0; i < CONTENTS; i++) {
            const AdmOptions *pair = pairs[(i + depth / 4) % 3];
            VmafRecordAdm actual[2];
            frame_fill(&frame, (enum Content)i);
            device_records(&fixture, &frame, pair, 2, actual);
            check_record(&frame, &pair[0], (enum Content)i, &actual[0]);
            check_record(&frame, &pair[1], (enum Content)i, &actual[1]);
        }
        frame_destroy(&frame);
    }
    fixture_close(&fixture);
}

/* Luma of 64 x 32 samples is a tile of scale 0; one of scale s is 64 x 16 samples of its input. */
CASE(given_sizes_around_tile_edges_the_record_equals_the_scalar_one)
{
    static const unsigned heights[] = {17, 18, 19, 31, 32, 33,  34,  47,  63,
                                       64, 65, 95, 96, 97, 127, 129, 161, 191};
    static const unsigned widths[] = {17, 18,  19,  20,  31,  33,  47,  63,  64,  65,
                                      66, 127, 128, 129, 191, 192, 193, 257, 385, 513};
    const unsigned n_heights = sizeof(heights) / sizeof(heights[0]);
    const unsigned n_widths = sizeof(widths) / sizeof(widths[0]);
    for (unsigned order = 0; order < 3; order++) {
        Fixture fixture;
        fixture_open_order(&fixture, order);
        for (unsigned i = chosen_only ? order : 0; i < n_widths; i += chosen_only ? 7 : 1) {
            AdmFrame frame =
                frame_create(widths[i], heights[(i + 7 * order) % n_heights], i & 1 ? 10 : 8);
            const enum Content content = order == 2 ? CONTENT_SMOOTH : CONTENT_CONTRAST;
            const AdmOptions options = with_gain_limit(order == 1 ? 1.0 : 100.0);
            frame_fill(&frame, content);
            check(&fixture, &frame, &options, content);
            frame_destroy(&frame);
        }
        fixture_close(&fixture);
    }
}

/* Windows inside the bands at all scales; sums over so many positions that rows are shifted. */
static void given_larger_pictures_the_record_equals_the_scalar_one(void **state)
{
    static const unsigned sizes[][3] = {{641, 1031, 10}, {1000, 490, 8}, {3072, 2304, 8}};
    Fixture fixture;
    fixture_open_order(&fixture, EMULATOR_ORDER_RANDOM);
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        AdmFrame frame = frame_create(sizes[i][0], sizes[i][1], sizes[i][2]);
        frame_fill(&frame, CONTENT_CONTRAST);
        check(&fixture, &frame, &usual, CONTENT_CONTRAST);
        frame_destroy(&frame);
    }
    /* Windows that begin at any position in a tile. */
    for (unsigned h = 300; h < 1200; h += 29) {
        AdmFrame frame = frame_create(24, h, 8);
        frame_fill(&frame, CONTENT_CONTRAST);
        check(&fixture, &frame, &usual, CONTENT_CONTRAST);
        frame_destroy(&frame);
    }
    fixture_close(&fixture);
}

CASE(given_the_smallest_sizes_the_record_equals_the_scalar_one)
{
    Fixture fixture;
    fixture_open_order(&fixture, EMULATOR_ORDER_REVERSE);
    for (unsigned w = 17; w <= 36; w++) {
        AdmFrame frame = frame_create(w, 17 + (w * 7) % 20, w % 3 ? 8 : 16);
        for (int content = 0; content < CONTENTS; content += 1 + (int)(w % 2)) {
            frame_fill(&frame, content);
            check(&fixture, &frame, &usual, content);
        }
        frame_destroy(&frame);
    }
    fixture_close(&fixture);
}

CASE(given_what_devices_cannot_do_the_plan_says_so)
{
    VmafAdmPlan plan;
    const VmafAdmGeometry hd = {1920, 1080, 8, 1920, 1920};
    assert_int_equal(plan_for(&plan, &hd, &usual, 1), 0);
    VmafAdmGeometry geometry = hd;
    geometry.ref_stride = 1919;
    assert_int_equal(plan_for(&plan, &geometry, &usual, 1), -EINVAL);
    geometry = hd;
    geometry.depth = 10;
    assert_int_equal(plan_for(&plan, &geometry, &usual, 1), -EINVAL);
    const VmafAdmGeometry huge = {16384, 16384, 8, 16384, 16384};
    assert_int_equal(plan_for(&plan, &huge, &usual, 1), -ENOTSUP);
    const VmafAdmGeometry tall = {32, 4000000, 8, 32, 32};
    assert_int_equal(plan_for(&plan, &tall, &usual, 1), -ENOTSUP);
    const AdmOptions three[] = {usual, with_gain_limit(1.0), with_gain_limit(1.2)};
    assert_int_equal(plan_for(&plan, &hd, three, 2), 0);
    assert_int_equal(plan_for(&plan, &hd, three, 3), -E2BIG);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    chosen_only = take_argument(&argc, &argv, "chosen");
    const struct CMUnitTest long_tests[] = {
        cmocka_unit_test(given_larger_pictures_the_record_equals_the_scalar_one),
    };
    select_cases(argc, argv);
    int failures = run_defined_cases(NULL, NULL);
    if (!chosen_only)
        failures += run_case_group(long_tests, NULL, NULL);
    return end_cases(failures);
}
