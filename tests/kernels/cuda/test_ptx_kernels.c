/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Every kernel as PTX, as clang makes it for the CUDA backend, against the same kernel in plain C.
 * The emulator runs the metrics; each work-group runs on the same memory in plain C, then as PTX
 * with its lanes in one of both orders, in turns, the first in both. What it wrote has to be the
 * same to the bit.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_kernel.h"
#include "fixture.h"
#include "kernels/dialect_check_args.h"
#include "kernels/histogram_args.h"
#include "picture/unpack_args.h"
#include "ptx.h"
#include "session.h"
#include "support/cases.h"
#include "test_sets.h"

extern const VmafKernelSet vmaf_kernels_ptx, test_kernels_ptx;

enum { MAX_KERNELS = 256, FRAMES = 2 };

/* The kernels of both kinds, and how often each was compared. */
typedef struct Twin {
    const VmafKernel *c, *ptx;
    PtxModule *module;
    unsigned groups;
} Twin;

static Twin twins[MAX_KERNELS];
static unsigned n_twins;
static uint64_t instructions;
static char difference[PTX_ERROR_SIZE]; /* the first that was found */

static Twin *find_twin(const char *name)
{
    for (unsigned i = 0; i < n_twins; i++) {
        if (strcmp(twins[i].c->name, name) == 0)
            return &twins[i];
    }
    return NULL;
}

/* Runs a group as PTX. */
static int run_ptx(const Twin *twin, const EmulatorGroup *group, bool backwards,
                   char error[PTX_ERROR_SIZE])
{
    const VmafKernel *kernel = twin->c;
    const PtxEntry *entry = ptx_module_find(twin->module, kernel->name);
    PtxAllocation memory[VMAF_KERNEL_MAX_BUFFERS];
    unsigned char params[VMAF_KERNEL_MAX_BUFFERS * 8 + VMAF_KERNEL_MAX_ARGS_SIZE];
    if (!entry || entry->n_params != kernel->n_buffers + 1 ||
        entry->params[kernel->n_buffers].size != kernel->args_size) {
        snprintf(error, PTX_ERROR_SIZE, "%s has other parameters as PTX", kernel->name);
        return -1;
    }
    for (uint32_t i = 0; i < kernel->n_buffers; i++) {
        const EmulatorBinding *bound = &group->bindings[i];
        const uint64_t address = (uintptr_t)bound->data;
        memory[i] = (PtxAllocation){
            .data = bound->data, .size = bound->size, .is_read_only = !(kernel->written >> i & 1)};
        memcpy(params + entry->params[i].offset, &address, sizeof(address));
    }
    memcpy(params + entry->params[kernel->n_buffers].offset, group->args, kernel->args_size);
    const PtxLaunch launch = {
        .entry = entry,
        .params = params,
        .lanes = {kernel->lanes[0], kernel->lanes[1], 1},
        .groups = {(uint32_t)group->groups[0], (uint32_t)group->groups[1],
                   (uint32_t)group->groups[2]},
        .allocations = memory,
        .n_allocations = kernel->n_buffers,
        .backwards = backwards,
        .max_instructions = 1000000000,
        .noise = group->noise,
    };
    const uint32_t at[3] = {(uint32_t)group->group[0], (uint32_t)group->group[1],
                            (uint32_t)group->group[2]};
    PtxRunner *runner = ptx_runner_create(&launch, error);
    const int status = runner ? ptx_runner_group(runner, at, error) : -1;
    instructions += runner ? ptx_runner_instructions(runner) : 0;
    ptx_runner_destroy(runner);
    return status;
}

static void compare(const Twin *twin, const EmulatorGroup *group,
                    void *const expected[VMAF_KERNEL_MAX_BUFFERS], char error[PTX_ERROR_SIZE])
{
    for (uint32_t i = 0; i < twin->c->n_buffers; i++) {
        if (memcmp(expected[i], group->bindings[i].data, group->bindings[i].size) != 0)
            snprintf(error, PTX_ERROR_SIZE, "%s, group (%d, %d, %d): slot %u differs",
                     twin->c->name, (int)group->group[0], (int)group->group[1],
                     (int)group->group[2], i);
    }
}

/* What the emulator calls for a group: plain C, then PTX on what was there before. */
static void run_both(EmulatorGroup *group)
{
    Twin *twin = find_twin(group->kernel->name);
    void *before[VMAF_KERNEL_MAX_BUFFERS] = {0}, *expected[VMAF_KERNEL_MAX_BUFFERS] = {0};
    const uint32_t n = twin->c->n_buffers;
    char error[PTX_ERROR_SIZE] = "";
    for (uint32_t i = 0; i < n; i++) {
        before[i] = malloc(group->bindings[i].size);
        expected[i] = malloc(group->bindings[i].size);
        memcpy(before[i], group->bindings[i].data, group->bindings[i].size);
    }
    twin->c->run(group);
    for (uint32_t i = 0; i < n; i++)
        memcpy(expected[i], group->bindings[i].data, group->bindings[i].size);
    const unsigned first = twin->groups % 2, last = twin->groups == 0 ? 1 : first;
    for (unsigned backwards = first; backwards <= last && error[0] == '\0'; backwards++) {
        for (uint32_t i = 0; i < n; i++)
            memcpy(group->bindings[i].data, before[i], group->bindings[i].size);
        if (run_ptx(twin, group, backwards, error) == 0)
            compare(twin, group, expected, error);
    }
    if (difference[0] == '\0')
        memcpy(difference, error, sizeof(difference));
    for (uint32_t i = 0; i < n; i++) {
        free(before[i]);
        free(expected[i]);
    }
    twin->groups++;
}

/* The set of plain C with run_both in the place of each kernel's function. */
static VmafKernelSet both(const VmafKernelSet *c, const VmafKernelSet *ptx, VmafKernel *kernels)
{
    for (size_t i = 0; i < c->count; i++) {
        char error[PTX_ERROR_SIZE];
        Twin *twin = &twins[n_twins++];
        kernels[i] = c->kernels[i];
        kernels[i].run = run_both;
        *twin = (Twin){.c = &c->kernels[i], .ptx = vmaf_kernel_set_find(ptx, kernels[i].name)};
        twin->module = ptx_module_load(twin->ptx->codes[0].code, error);
        if (!twin->module)
            fail_msg("%s: %s", kernels[i].name, error);
    }
    return (VmafKernelSet){c->target, kernels, c->count};
}

static VmafKernel product_kernels[MAX_KERNELS], test_kernels[MAX_KERNELS];
static VmafKernelSet product_set, test_set;

static int load(void **state)
{
    product_set = both(&vmaf_kernels_emulator, &vmaf_kernels_ptx, product_kernels);
    test_set = both(&test_kernels_emulator, &test_kernels_ptx, test_kernels);
    return 0;
}

static int unload(void **state)
{
    for (unsigned i = 0; i < n_twins; i++)
        ptx_module_free(twins[i].module);
    return 0;
}

static void assert_equal(void)
{
    if (difference[0] != '\0')
        fail_msg("%s", difference);
}

/* -- metrics -- */

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* Noise over a slope, which the distorted one follows; or noise of the full range. */
static void fill(unsigned char *samples, const unsigned char *ref, size_t n, uint32_t depth,
                 bool wild)
{
    const uint32_t max = (1u << depth) - 1;
    for (size_t i = 0; i < n; i++) {
        uint16_t wide = 0;
        if (ref)
            memcpy(&wide, ref + i * (depth > 8 ? 2 : 1), depth > 8 ? 2 : 1);
        uint32_t value = ref ? wide * 3 / 4 + next_random() % (max / 8)
                             : (uint32_t)(i * 3 % max) / 2 + next_random() % (max / 4);
        value = wild ? next_random() & max : value > max ? max : value;
        if (i % 97 == 0)
            value = max; /* extremes */
        wide = (uint16_t)value;
        memcpy(samples + i * (depth > 8 ? 2 : 1), &wide, depth > 8 ? 2 : 1);
    }
}

typedef struct Asked {
    const char *feature, *option; /* one that is not at its default, or NULL */
    double value;
} Asked;

static VmafBackendPlan *make_plan(VmafDevice *device, const Asked *asked, uint32_t n,
                                  uint32_t depth, uint32_t w, uint32_t h)
{
    VmafBackendRequest requests[2];
    VmafBackendOption options[2];
    const VmafBackendOption method = {.struct_size = sizeof(method),
                                      .type = VMAF_BACKEND_TYPE_STRING,
                                      .name = "speed_prescale_method",
                                      .string = "bilinear"};
    const VmafBackendOption *lists[2][2] = {{&options[0], &method}, {&options[1], &method}};
    const VmafBackendRequest *list[2] = {&requests[0], &requests[1]};
    bool reads_chroma = false;
    for (uint32_t i = 0; i < n; i++) {
        options[i] = (VmafBackendOption){.struct_size = sizeof(options[i]),
                                         .name = asked[i].option,
                                         .integer = (int64_t)asked[i].value,
                                         .number = asked[i].value};
        if (asked[i].option)
            options[i].type =
                vmaf_metric_option(vmaf_metric_find(asked[i].feature), asked[i].option)->type;
        reads_chroma |= (vmaf_metric_find(asked[i].feature)->planes & ~VMAF_BACKEND_PLANE_Y) &&
                        strcmp(asked[i].feature, "psnr") != 0;
        requests[i] = (VmafBackendRequest){.struct_size = sizeof(requests[i]),
                                           .id = i,
                                           .feature = asked[i].feature,
                                           .n_options = asked[i].option != NULL,
                                           .options = lists[i]};
        if (asked[i].option && strcmp(asked[i].option, "speed_prescale") == 0)
            requests[i].n_options = 2;
    }
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = w,
                                          .height = h,
                                          .depth = depth,
                                          .pixel_format = reads_chroma ? VMAF_BACKEND_PIXEL_420
                                                                       : VMAF_BACKEND_PIXEL_400,
                                          .frames_in_flight = 1,
                                          .n_requests = n,
                                          .requests = list};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendPlan *plan;
    if (vmaf_plan_create(device, &params, &plan, &why) != VMAF_BACKEND_OK)
        fail_msg("no plan: %s", why.text);
    return plan;
}

static void run_frames(VmafBackendSession *session, uint32_t n, uint32_t depth, uint32_t w,
                       uint32_t h)
{
    const size_t sample = depth > 8 ? 2 : 1, size = (size_t)w * h * sample;
    unsigned char *ref = malloc(size), *dist = malloc(size);
    static unsigned char records[2][1 << 16];
    void *record[2] = {records[0], records[1]};
    for (unsigned f = 0; f < FRAMES; f++) {
        int32_t status[2];
        fill(ref, NULL, (size_t)w * h, depth, f % 2 == 1);
        fill(dist, ref, (size_t)w * h, depth, f % 2 == 1);
        const int64_t stride = (int64_t)(w * sample);
        const VmafBackendPicture a = {
            .struct_size = sizeof(a), .data = {ref, ref, ref}, .stride = {stride, stride, stride}};
        const VmafBackendPicture b = {.struct_size = sizeof(b),
                                      .data = {dist, dist, dist},
                                      .stride = {stride, stride, stride}};
        const VmafBackendFrame frame = {.struct_size = sizeof(frame),
                                        .sequence = f,
                                        .ref = &a,
                                        .dist = &b,
                                        .wanted = {(UINT64_C(1) << n) - 1}};
        VmafBackendResult result = {
            .struct_size = sizeof(result), .n_requests = n, .records = record, .status = status};
        assert_int_equal(vmaf_session_submit(session, &frame), VMAF_BACKEND_OK);
        assert_int_equal(vmaf_session_collect(session, 600000, &result), VMAF_BACKEND_OK);
        assert_equal();
    }
    free(ref);
    free(dist);
}

static void check_on(const EmulatorOptions *options, const Asked *asked, uint32_t n, uint32_t depth,
                     uint32_t w, uint32_t h)
{
    Fixture fixture;
    const VmafDeviceOpenParams params = {.kernels = &product_set, .external = options};
    fixture_open(&fixture, "emulator", &params);
    VmafBackendPlan *plan = make_plan(fixture.device, asked, n, depth, w, h);
    VmafBackendSession *session;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    assert_int_equal(vmaf_session_open(plan, &session, &why), VMAF_BACKEND_OK);
    run_frames(session, n, depth, w, h);
    vmaf_session_close(session);
    vmaf_plan_destroy(plan);
    fixture_close(&fixture);
}

/* With native kernels, and without. */
static void check(const Asked *asked, uint32_t n, uint32_t depth, uint32_t w, uint32_t h)
{
    for (int native = 0; native < 2; native++) {
        const EmulatorOptions options = {
            .order = EMULATOR_ORDER_RANDOM, .seed = w, .no_exact_float32 = !native};
        check_on(&options, asked, n, depth, w, h);
    }
}

CASE(given_metrics_then_ptx_does_as_plain_c)
{
    static const struct {
        Asked asked[2];
        uint32_t n;
    } runs[] = {
        {{{"psnr", NULL, 0}}, 1},
        {{{"float_psnr", NULL, 0}}, 1},
        {{{"float_moment", NULL, 0}}, 1},
        {{{"float_ansnr", NULL, 0}}, 1},
        {{{"float_motion", NULL, 0}}, 1},
        {{{"float_motion", "motion_add_scale1", 1}}, 1},
        {{{"float_ssim", NULL, 0}}, 1},
        {{{"float_ssim", "scale", 3}}, 1},
        {{{"ssim", NULL, 0}}, 1},
        {{{"motion", NULL, 0}}, 1},
        {{{"vif", NULL, 0}}, 1},
        {{{"vif", NULL, 0}, {"vif", "vif_enhn_gain_limit", 1.0}}, 2},
        {{{"vif", "vif_skip_scale0", 1}}, 1},
        {{{"adm", NULL, 0}}, 1},
        {{{"adm", "adm_enhn_gain_limit", 1.2}, {"adm", "adm_enhn_gain_limit", 1.0}}, 2},
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        for (uint32_t depth = 8; depth <= 12; depth += 4)
            check(runs[i].asked, runs[i].n, depth, 117, 43);
    }
    /* Small, as operations in integers are long. */
    static const Asked float_vif[] = {{"float_vif", NULL, 0}, {"float_vif", "vif_sigma_nsq", 1.3}};
    check(float_vif, 2, 8, 41, 17);
    check(float_vif, 1, 10, 24, 22);
    check(&(Asked){"float_vif", "vif_kernelscale", 2}, 1, 8, 33, 32);
    check(&(Asked){"float_vif", "vif_kernelscale", 2}, 1, 16, 32, 33);
    check(&(Asked){"float_vif", "vif_kernelscale", 360.0 / 97}, 1, 8, 56, 56);
    check(&(Asked){"float_vif", "vif_prescale", 0.6}, 1, 8, 40, 31);
    check(&(Asked){"float_vif", "vif_prescale", 1.2}, 1, 12, 21, 20);
    check(&(Asked){.feature = "float_psnr"}, 1, 16, 117, 43); /* which rounds at 16 bits alone */
    for (uint32_t depth = 8; depth <= 10; depth += 2) {
        check(&(Asked){.feature = "psnr_hvs"}, 1, depth, 44, 37);
        check(&(Asked){.feature = "float_adm"}, 1, depth, 41, 37);
        check(&(Asked){.feature = "speed_temporal"}, 1, depth, 97, 80);
        check(&(Asked){.feature = "speed_chroma"}, 1, depth, 160, 164);
        check(&(Asked){"speed_temporal", "speed_prescale", 0.6}, 1, depth, 140, 135);
        check(&(Asked){.feature = "cambi"}, 1, depth, 220, 21);
        check(&(Asked){"cambi", "full_ref", 1}, 1, depth, 217, 20);
    }
    check(&(Asked){.feature = "ssimulacra2"}, 1, 8, 67, 41);
    check(&(Asked){"ssimulacra2", "yuv_matrix", 3}, 1, 10, 40, 66);
    check(&(Asked){.feature = "float_ms_ssim"}, 1, 8, 177, 176);
    check(&(Asked){.feature = "float_ms_ssim"}, 1, 10, 176, 179);
}

CASE(given_every_word_of_the_dialect_then_ptx_does_as_plain_c)
{
    enum { GROUPS = 6, LANES_OF_ALL = GROUPS * 64, N = 200 };
    static uint8_t bytes[N], packed[LANES_OF_ALL];
    static int16_t words[N];
    static uint64_t results[LANES_OF_ALL * DIALECT_RESULTS];
    static uint16_t halves[LANES_OF_ALL];
    Fixture fixture;
    const VmafDeviceOpenParams params = {.kernels = &test_set};
    for (unsigned i = 0; i < N; i++) {
        bytes[i] = (uint8_t)next_random();
        words[i] = (int16_t)next_random();
    }
    const dialect_check_args args = {.n = N, .wide = -123456789012345, .mask = 0xffff};
    const FixtureBuffer buffers[] = {{.size = sizeof(bytes), .in = bytes},
                                     {.size = sizeof(words), .in = words},
                                     {.size = sizeof(results), .in = results},
                                     {.size = sizeof(halves), .in = halves},
                                     {.size = sizeof(packed), .in = packed}};
    const uint32_t groups[3] = {3, 1, 2};
    fixture_open(&fixture, "emulator", &params);
    assert_int_equal(fixture_run(&fixture, "dialect_check", buffers, &args, groups), 0);
    fixture_close(&fixture);
    assert_equal();
    assert_int_equal(find_twin("dialect_check")->groups, GROUPS);
}

CASE(given_atomic_additions_then_ptx_does_as_plain_c)
{
    enum { N = 3000, GROUPS = 5 };
    static uint8_t values[N];
    static uint32_t counts[HISTOGRAM_BINS];
    Fixture fixture;
    const VmafDeviceOpenParams params = {.kernels = &test_set};
    for (unsigned i = 0; i < N; i++)
        values[i] = (uint8_t)(next_random() % 3 ? 7 : next_random());
    const histogram_args args = {.n = N};
    const FixtureBuffer buffers[] = {{.size = sizeof(values), .in = values},
                                     {.size = sizeof(counts), .in = counts}};
    const uint32_t groups[3] = {GROUPS, 1, 1};
    fixture_open(&fixture, "emulator", &params);
    assert_int_equal(fixture_run(&fixture, "histogram", buffers, &args, groups), 0);
    fixture_close(&fixture);
    assert_equal();
    assert_int_equal(find_twin("histogram")->groups, GROUPS);
}

/* A plane of interleaved samples whose rows have gaps, as decoders leave it. */
static void unpack(const char *kernel, unsigned sample, unsigned shift)
{
    enum { W = 133, H = 9, RAW_STRIDE = 2 * W + 6, OUT_STRIDE = W + 3 };
    static unsigned char raw[RAW_STRIDE * H * 2], plane[OUT_STRIDE * H * 2];
    Fixture fixture;
    const VmafDeviceOpenParams params = {.kernels = &product_set};
    for (unsigned i = 0; i < sizeof(raw); i++)
        raw[i] = (unsigned char)next_random();
    const unpack_args args = {.w = W,
                              .h = H,
                              .raw_stride = RAW_STRIDE,
                              .out_stride = OUT_STRIDE,
                              .step = 2,
                              .first = 1,
                              .shift = (int32_t)shift};
    const FixtureBuffer buffers[] = {{.size = (size_t)RAW_STRIDE * H * sample, .in = raw},
                                     {.size = (size_t)OUT_STRIDE * H * sample, .in = plane}};
    const uint32_t groups[3] = {(W + 63) / 64, (H + 3) / 4, 1};
    fixture_open(&fixture, "emulator", &params);
    assert_int_equal(fixture_run(&fixture, kernel, buffers, &args, groups), 0);
    fixture_close(&fixture);
    assert_equal();
    assert_int_equal(find_twin(kernel)->groups, groups[0] * groups[1]);
}

CASE(given_interleaved_planes_then_ptx_does_as_plain_c)
{
    unpack("unpack_8", 1, 0);
    unpack("unpack_16", 2, 6);
}

CASE(given_all_runs_then_no_kernel_was_left_out)
{
    unsigned missing = 0;
    for (size_t i = 0; i < product_set.count; i++) {
        const Twin *twin = find_twin(product_set.kernels[i].name);
        printf("%-20s %5u groups\n", twin->c->name, twin->groups);
        missing += twin->groups == 0;
    }
    assert_int_equal(missing, 0);
    printf("%.1f million instructions\n", (double)instructions / 1e6);
}

CASES_SHARE(load, unload);
