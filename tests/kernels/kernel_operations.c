/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Counts what kernels execute: runs every metric on the emulator with its kernels as PTX, and
 * prints a line for each kernel,
 *
 *     name lanes groups samples instructions bytes
 *
 * of all its dispatches: `samples` are those of the scale that it works on, of one picture, and
 * `bytes` what it has bound. bench/kernel_table.py makes a table of it. No test; arguments are the
 * width and the height of the pictures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_kernel.h"
#include "fixture.h"
#include "ptx.h"
#include "session.h"
#include "support/cases.h"

extern const VmafKernelSet vmaf_kernels_emulator, vmaf_kernels_ptx;

enum { MAX_KERNELS = 256, FRAMES = 2, INSTRUCTIONS_MAX = 1000000000 };

typedef struct Counted {
    const VmafKernel *kernel;
    PtxModule *module;
    uint64_t dispatches, groups, instructions, bytes;
} Counted;

static Counted counted[MAX_KERNELS];
static size_t n_counted;
static char failure[PTX_ERROR_SIZE];

static Counted *find(const char *name)
{
    for (size_t i = 0; i < n_counted; i++) {
        if (strcmp(counted[i].kernel->name, name) == 0)
            return &counted[i];
    }
    abort();
}

/* What the emulator calls for a group, in the place of plain C. */
static void run_group(EmulatorGroup *group)
{
    const VmafKernel *kernel = group->kernel;
    Counted *counts = find(kernel->name);
    const PtxEntry *entry = ptx_module_find(counts->module, kernel->name);
    PtxAllocation memory[VMAF_KERNEL_MAX_BUFFERS];
    unsigned char params[VMAF_KERNEL_MAX_BUFFERS * 8 + VMAF_KERNEL_MAX_ARGS_SIZE];
    const bool is_first = group->group[0] == 0 && group->group[1] == 0 && group->group[2] == 0;
    for (uint32_t i = 0; i < kernel->n_buffers; i++) {
        const EmulatorBinding *bound = &group->bindings[i];
        const uint64_t address = (uintptr_t)bound->data;
        memory[i] = (PtxAllocation){.data = bound->data, .size = bound->size};
        memcpy(params + entry->params[i].offset, &address, sizeof(address));
        counts->bytes += is_first ? bound->size : 0;
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
        .max_instructions = INSTRUCTIONS_MAX,
        .noise = group->noise,
    };
    const uint32_t at[3] = {(uint32_t)group->group[0], (uint32_t)group->group[1],
                            (uint32_t)group->group[2]};
    PtxRunner *runner = ptx_runner_create(&launch, failure);
    if (!runner || ptx_runner_group(runner, at, failure) != 0) {
        fprintf(stderr, "%s\n", failure);
        exit(1);
    }
    counts->instructions += ptx_runner_instructions(runner);
    counts->groups++;
    counts->dispatches += is_first;
    ptx_runner_destroy(runner);
}

static VmafKernel kernels[MAX_KERNELS];

static VmafKernelSet load(void)
{
    char error[PTX_ERROR_SIZE];
    for (size_t i = 0; i < vmaf_kernels_emulator.count; i++) {
        Counted *counts = &counted[n_counted++];
        kernels[i] = vmaf_kernels_emulator.kernels[i];
        kernels[i].run = run_group;
        counts->kernel = &kernels[i];
        counts->module = ptx_module_load(
            vmaf_kernel_set_find(&vmaf_kernels_ptx, kernels[i].name)->codes[0].code, error);
        if (!counts->module) {
            fprintf(stderr, "%s: %s\n", kernels[i].name, error);
            exit(1);
        }
    }
    return (VmafKernelSet){vmaf_kernels_emulator.target, kernels, vmaf_kernels_emulator.count};
}

/* -- pictures: waves and noise, the distorted one coarser, as in a picture of a camera -- */

static void fill(uint16_t *samples, const uint16_t *ref, uint32_t w, uint32_t h, uint32_t depth,
                 uint32_t frame)
{
    static uint32_t random = 1;
    const uint32_t unit = 1u << (depth - 8);
    for (uint32_t i = 0; i < w * h; i++) {
        const uint32_t x = i % w + 3 * frame, y = i / w + frame;
        random = random * 1664525u + 1013904223u;
        const uint32_t noise = random >> 28;
        const uint32_t wave = (x * x / 97 + y * x / 61 + y * 2) % 160;
        const uint32_t value = 24 + (wave < 80 ? wave : 160 - wave) + (x / 41 + y / 29) % 3 * 30;
        samples[i] = (uint16_t)(ref ? (ref[i] / (4 * unit)) * 4 * unit + noise / 4 * unit
                                    : value * unit + noise * unit / 2);
    }
}

static void *packed(const uint16_t *samples, size_t n, uint32_t depth)
{
    unsigned char *bytes = malloc(n * 2);
    for (size_t i = 0; i < n; i++) {
        if (depth > 8) {
            memcpy(bytes + 2 * i, &samples[i], 2);
        } else {
            bytes[i] = (unsigned char)samples[i];
        }
    }
    return bytes;
}

/* -- metrics -- */

typedef struct Format {
    uint32_t w, h, depth;
    uint32_t pixels; /* 4:0:0 or 4:2:0 */
} Format;

typedef struct Asked {
    const char *feature, *option; /* one that is not at its default, or NULL */
    double value;
} Asked;

static VmafBackendPlan *make_plan(VmafDevice *device, const Asked *asked, uint32_t n,
                                  const Format *format)
{
    VmafBackendRequest requests[2];
    VmafBackendOption options[2];
    const VmafBackendOption *lists[2] = {&options[0], &options[1]};
    const VmafBackendRequest *list[2] = {&requests[0], &requests[1]};
    for (uint32_t i = 0; i < n; i++) {
        const bool is_flag = asked[i].option && strstr(asked[i].option, "skip");
        options[i] =
            (VmafBackendOption){.struct_size = sizeof(options[i]),
                                .type = is_flag ? VMAF_BACKEND_TYPE_BOOL : VMAF_BACKEND_TYPE_DOUBLE,
                                .name = asked[i].option,
                                .integer = (int64_t)asked[i].value,
                                .number = asked[i].value};
        requests[i] = (VmafBackendRequest){.struct_size = sizeof(requests[i]),
                                           .id = i,
                                           .feature = asked[i].feature,
                                           .n_options = asked[i].option != NULL,
                                           .options = &lists[i]};
    }
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = format->w,
                                          .height = format->h,
                                          .depth = format->depth,
                                          .pixel_format = format->pixels,
                                          .frames_in_flight = 1,
                                          .n_requests = n,
                                          .requests = list};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendPlan *plan;
    if (vmaf_plan_create(device, &params, &plan, &why) != VMAF_BACKEND_OK) {
        fprintf(stderr, "%s\n", why.text);
        exit(1);
    }
    return plan;
}

/* The planes of a picture; those of chroma are parts of other frames. */
static VmafBackendPicture picture_of(const Format *format, const uint16_t *samples)
{
    VmafBackendPicture picture = {.struct_size = sizeof(picture)};
    for (uint32_t plane = 0; plane < (format->pixels == VMAF_BACKEND_PIXEL_400 ? 1u : 3u);
         plane++) {
        const uint32_t half = plane > 0;
        const size_t w = (format->w + half) >> half, h = (format->h + half) >> half;
        picture.data[plane] = packed(samples + plane * w, w * h, format->depth);
        picture.stride[plane] = (int64_t)(w * (format->depth > 8 ? 2 : 1));
    }
    return picture;
}

static void run_frame(VmafBackendSession *session, void **records, uint32_t n, const Format *format,
                      uint32_t f)
{
    const size_t size = (size_t)format->w * format->h;
    uint16_t *ref = malloc(size * sizeof(*ref)), *dist = malloc(size * sizeof(*dist));
    int32_t status[2];
    fill(ref, NULL, format->w, format->h, format->depth, f);
    fill(dist, ref, format->w, format->h, format->depth, f);
    const VmafBackendPicture a = picture_of(format, ref), b = picture_of(format, dist);
    const VmafBackendFrame frame = {.struct_size = sizeof(frame),
                                    .sequence = f,
                                    .ref = &a,
                                    .dist = &b,
                                    .wanted = {(UINT64_C(1) << n) - 1}};
    VmafBackendResult result = {
        .struct_size = sizeof(result), .n_requests = n, .records = records, .status = status};
    assert_int_equal(vmaf_session_submit(session, &frame), VMAF_BACKEND_OK);
    assert_int_equal(vmaf_session_collect(session, 600000, &result), VMAF_BACKEND_OK);
    for (uint32_t plane = 0; plane < 3; plane++) {
        free((void *)a.data[plane]);
        free((void *)b.data[plane]);
    }
    free(ref);
    free(dist);
}

static uint64_t all_instructions(void)
{
    uint64_t all = 0;
    for (size_t i = 0; i < n_counted; i++)
        all += counted[i].instructions;
    return all;
}

static void count(const VmafKernelSet *set, const EmulatorOptions *options, const Asked *asked,
                  uint32_t n, const Format *format)
{
    Fixture fixture;
    const VmafDeviceOpenParams params = {.kernels = set, .external = options};
    fixture_open(&fixture, "emulator", &params);
    VmafBackendPlan *plan = make_plan(fixture.device, asked, n, format);
    VmafBackendSession *session;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    assert_int_equal(vmaf_session_open(plan, &session, &why), VMAF_BACKEND_OK);
    void *records[2] = {NULL, NULL};
    for (uint32_t r = 0; r < n; r++) {
        VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
        assert_int_equal(vmaf_plan_answer(plan, r, &answer), VMAF_BACKEND_OK);
        assert_true(answer.accepted);
        records[r] = malloc(answer.record_size);
    }
    const uint64_t before = all_instructions();
    for (uint32_t f = 0; f < FRAMES; f++)
        run_frame(session, records, n, format, f);
    const double samples = (double)FRAMES * format->w * format->h;
    fprintf(stderr, "%s, %u bits, %s: %.0f a luma sample\n", asked->feature, format->depth,
            options->no_exact_float32 ? "integers" : "native",
            (double)(all_instructions() - before) / samples);
    free(records[0]);
    free(records[1]);
    vmaf_session_close(session);
    vmaf_plan_destroy(plan);
    fixture_close(&fixture);
}

/* The scale that a kernel works on. */
static unsigned scale_of(const char *name)
{
    unsigned scale = 0;
    if (sscanf(name, "vif_scale_%u", &scale) == 1)
        return scale;
    return strncmp(name, "adm_coarse_16", 13) == 0 ? 1 : 0;
}

/* adm_coarse_32 serves scales 2 and 3. */
static double samples_of(const char *name, uint64_t dispatches, uint32_t w, uint32_t h)
{
    const double all = (double)w * h * (double)dispatches;
    if (strncmp(name, "adm_coarse_32", 13) == 0)
        return all * (1 / 16.0 + 1 / 64.0) / 2;
    return all / (double)(1u << 2 * scale_of(name));
}

#define Y   VMAF_BACKEND_PIXEL_400
#define YUV VMAF_BACKEND_PIXEL_420

int main(int argc, char **argv)
{
    static const struct {
        Asked asked[2];
        uint32_t n;
        bool has_native;
        uint32_t pixels;
    } runs[] = {
        {{{"psnr", NULL, 0}}, 1, false, Y},
        {{{"float_moment", NULL, 0}}, 1, false, Y},
        {{{"float_ansnr", NULL, 0}}, 1, true, Y},
        {{{"float_motion", NULL, 0}}, 1, true, Y},
        {{{"float_ssim", NULL, 0}}, 1, true, Y},
        {{{"float_ms_ssim", NULL, 0}}, 1, true, Y},
        {{{"ssim", NULL, 0}}, 1, false, Y},
        {{{"psnr_hvs", NULL, 0}}, 1, true, YUV},
        {{{"cambi", NULL, 0}}, 1, false, Y},
        {{{"speed_chroma", NULL, 0}}, 1, true, YUV},
        {{{"speed_temporal", NULL, 0}}, 1, true, Y},
        {{{"ssimulacra2", NULL, 0}}, 1, true, YUV},
        {{{"float_vif", NULL, 0}}, 1, true, Y},
        {{{"float_adm", NULL, 0}}, 1, true, Y},
        {{{"motion", NULL, 0}}, 1, false, Y},
        {{{"vif", NULL, 0}}, 1, false, Y},
        {{{"vif", NULL, 0}, {"vif", "vif_enhn_gain_limit", 1.0}}, 2, false, Y},
        {{{"vif", "vif_skip_scale0", 1}}, 1, false, Y},
        {{{"adm", NULL, 0}}, 1, false, Y},
        {{{"adm", NULL, 0}, {"adm", "adm_enhn_gain_limit", 1.0}}, 2, false, Y},
    };
    static const EmulatorOptions native = {0}, integers = {.no_exact_float32 = true};
    const uint32_t w = argc > 2 ? (uint32_t)atoi(argv[1]) : 480;
    const uint32_t h = argc > 2 ? (uint32_t)atoi(argv[2]) : 270;
    if (w < 64 || h < 64 || w > 8192 || h > 8192) {
        fprintf(stderr, "usage: %s WIDTH HEIGHT\n", argv[0]);
        return 2;
    }
    const VmafKernelSet set = load();
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        for (uint32_t depth = 8; depth <= 10; depth += 2) {
            const Format format = {w, h, depth, runs[i].pixels};
            if (runs[i].has_native)
                count(&set, &native, runs[i].asked, runs[i].n, &format);
            count(&set, &integers, runs[i].asked, runs[i].n, &format);
        }
    }
    for (size_t i = 0; i < n_counted; i++) {
        const Counted *c = &counted[i];
        const VmafKernel *kernel = c->kernel;
        printf("%s %u %llu %.0f %llu %llu\n", kernel->name, kernel->lanes[0] * kernel->lanes[1],
               (unsigned long long)c->groups, samples_of(kernel->name, c->dispatches, w, h),
               (unsigned long long)c->instructions, (unsigned long long)c->bytes);
        ptx_module_free(c->module);
    }
    return 0;
}
