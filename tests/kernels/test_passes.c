/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What requests of one feature share: the kernels of a plan, and the commands of a frame.
 * test_metrics.c checks the records. Takes the layer's name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "session.h"
#include "support/cases.h"
#include "test_sets.h"

enum { WIDTH = 66, HEIGHT = 50, MAX_ASKED = 8, MAX_OPTIONS = 2 };

/* ---- Plans ---- */

/* A request: up to two options that are not at their default. */
typedef struct Asked {
    const char *feature;
    struct {
        const char *name;
        double value;
    } options[MAX_OPTIONS];
} Asked;

#define VIF(limit)                                                                                 \
    {                                                                                              \
        "vif",                                                                                     \
        {                                                                                          \
            {                                                                                      \
                "vif_enhn_gain_limit", limit                                                       \
            }                                                                                      \
        }                                                                                          \
    }
#define ADM(limit)                                                                                 \
    {                                                                                              \
        "adm",                                                                                     \
        {                                                                                          \
            {                                                                                      \
                "adm_enhn_gain_limit", limit                                                       \
            }                                                                                      \
        }                                                                                          \
    }

#define FLOAT_ADM(limit)                                                                           \
    {                                                                                              \
        "float_adm",                                                                               \
        {                                                                                          \
            {                                                                                      \
                "adm_enhn_gain_limit", limit                                                       \
            }                                                                                      \
        }                                                                                          \
    }

static VmafBackendPlan *make_sized_plan(VmafDevice *device, const Asked asked[], uint32_t width,
                                        uint32_t height, uint32_t depth)
{
    VmafBackendRequest requests[MAX_ASKED];
    VmafBackendOption options[MAX_ASKED][MAX_OPTIONS];
    const VmafBackendOption *lists[MAX_ASKED][MAX_OPTIONS];
    const VmafBackendRequest *list[MAX_ASKED];
    uint32_t n = 0;
    for (; n < MAX_ASKED && asked[n].feature; n++) {
        requests[n] = (VmafBackendRequest){.struct_size = sizeof(requests[n]),
                                           .id = n,
                                           .feature = asked[n].feature,
                                           .options = lists[n]};
        for (uint32_t i = 0; i < MAX_OPTIONS && asked[n].options[i].name; i++) {
            const double value = asked[n].options[i].value;
            options[n][i] = (VmafBackendOption){.struct_size = sizeof(options[n][i]),
                                                .type = VMAF_BACKEND_TYPE_DOUBLE,
                                                .name = asked[n].options[i].name,
                                                .integer = isfinite(value) ? (int64_t)value : 0,
                                                .number = value};
            lists[n][requests[n].n_options++] = &options[n][i];
        }
        list[n] = &requests[n];
    }
    const VmafBackendPlanParams params = {.struct_size = sizeof(params),
                                          .width = width,
                                          .height = height,
                                          .depth = depth,
                                          .pixel_format = VMAF_BACKEND_PIXEL_420,
                                          .frames_in_flight = 2,
                                          .n_requests = n,
                                          .requests = list};
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendPlan *plan;
    assert_int_equal(vmaf_plan_create(device, &params, &plan, &why), VMAF_BACKEND_OK);
    return plan;
}

static VmafBackendPlan *make_plan(VmafDevice *device, const Asked asked[], uint32_t depth)
{
    return make_sized_plan(device, asked, WIDTH, HEIGHT, depth);
}

static bool is_accepted(const VmafBackendPlan *plan, uint32_t request)
{
    VmafBackendAnswer answer = {.struct_size = sizeof(answer)};
    assert_int_equal(vmaf_plan_answer(plan, request, &answer), VMAF_BACKEND_OK);
    assert_true(answer.accepted || answer.reason[0] != '\0');
    return answer.accepted;
}

/* The kernels of the plan, in order. */
static void assert_kernels(VmafDevice *device, const Asked asked[], uint32_t depth,
                           const char *expected)
{
    char kernels[512] = "";
    VmafBackendPlan *plan = make_plan(device, asked, depth);
    for (uint32_t i = 0; i < plan->program->n_steps; i++) {
        const size_t length = strlen(kernels);
        snprintf(kernels + length, sizeof(kernels) - length, "%s%s", i ? " " : "",
                 plan->program->steps[i].run.kernel);
    }
    assert_string_equal(kernels, expected);
    for (uint32_t r = 0; r < plan->n_requests; r++)
        assert_true(is_accepted(plan, r));
    vmaf_plan_destroy(plan);
}

#define VIF_X1 "vif_scale_0_8 vif_scale_1 vif_scale_2 vif_scale_3"
#define VIF_X2 "vif_scale_0_8_x2 vif_scale_1_x2 vif_scale_2_x2 vif_scale_3_x2"
#define ADM_X1 "adm_luma_8 adm_coarse_16 adm_coarse_32 adm_coarse_32"
#define ADM_X2 "adm_luma_8_x2 adm_coarse_16_x2 adm_coarse_32_x2 adm_coarse_32_x2"

/* Of one request; each further one has a total of its own. */
#define FLOAT_ADM_X1                                                                               \
    "float_adm_luma_8 float_adm_rows float_adm_coarse float_adm_rows float_adm_coarse "            \
    "float_adm_rows float_adm_coarse float_adm_rows float_adm_total"

CASE(given_requests_of_one_feature_they_make_as_few_passes_as_possible)
{
    static const struct {
        Asked asked[MAX_ASKED];
        const char *kernels;
    } cases[] = {
        {{VIF(100)}, VIF_X1},
        {{VIF(100), VIF(100)}, VIF_X1},
        {{VIF(100), VIF(1)}, VIF_X2},
        {{VIF(100), VIF(1), VIF(1.5)}, VIF_X2 " " VIF_X1},
        {{VIF(100), VIF(1), VIF(1.5), VIF(2)}, VIF_X2 " " VIF_X2},
        {{VIF(1), VIF(2), VIF(1.5), VIF(2), VIF(1)}, VIF_X2 " " VIF_X1},
        /* Options that are not listed have their defaults. */
        {{{"vif", {{NULL, 0}}}, VIF(100)}, VIF_X1},
        {{{"adm", {{NULL, 0}}},
          ADM(100),
          {"adm", {{"adm_norm_view_dist", 3}, {"adm_ref_display_height", 1080}}},
          {"adm", {{"adm_csf_mode", 0}, {"adm_skip_scale0", 0}}}},
         ADM_X1},
        {{{"adm", {{"adm_csf_mode", 1}}},
          {"adm", {{"adm_csf_mode", 1}, {"adm_csf_scale", 1}}},
          {"adm", {{"adm_csf_mode", 1}, {"adm_csf_diag_scale", 1}}}},
         ADM_X1},
        /* Scale 0 for one limit, the others for both. */
        {{VIF(100), {"vif", {{"vif_enhn_gain_limit", 1}, {"vif_skip_scale0", 1}}}},
         "vif_scale_0_8 vif_scale_1_x2 vif_scale_2_x2 vif_scale_3_x2"},
        {{{"vif", {{"vif_skip_scale0", 1}}}, VIF(100)}, VIF_X1},
        {{{"vif", {{"vif_skip_scale0", 1}}}}, "vif_decimate_8 vif_scale_1 vif_scale_2 vif_scale_3"},
        {{ADM(100)}, ADM_X1},
        {{ADM(100), ADM(100)}, ADM_X1},
        {{ADM(100), ADM(1)}, ADM_X2},
        {{ADM(100), ADM(1), ADM(1.2)}, ADM_X2 " " ADM_X1},
        {{ADM(100), {"adm", {{"adm_csf_mode", 2}}}}, ADM_X2},
        {{ADM(100), {"adm", {{"adm_skip_aim", 1}}}}, ADM_X1},
        {{ADM(100), {"adm", {{"adm_enhn_gain_limit", 1}, {"adm_skip_scale0", 1}}}},
         "adm_luma_8 adm_coarse_16_x2 adm_coarse_32_x2 adm_coarse_32_x2"},
        {{{"adm", {{"adm_csf_mode", 1}}},
          {"adm", {{"adm_csf_mode", 1}, {"adm_csf_scale", 0.5}}},
          {"adm", {{"adm_csf_scale", 0.5}}}}, /* which matters with csf_mode 1 only */
         ADM_X2 " " ADM_X1},
        {{FLOAT_ADM(100), FLOAT_ADM(1)}, FLOAT_ADM_X1 " float_adm_total"},
        {{FLOAT_ADM(100),
          {"float_adm", {{"adm_skip_scale0", 1}}},
          {"float_adm", {{"adm_csf_mode", 2}}},
          {"float_adm", {{"adm_p_norm", 1}, {"adm_bypass_cm", 1}}}},
         FLOAT_ADM_X1 " float_adm_total float_adm_total float_adm_total"},
        {{FLOAT_ADM(1), FLOAT_ADM(2), FLOAT_ADM(3), FLOAT_ADM(4), FLOAT_ADM(5)},
         FLOAT_ADM_X1 " float_adm_total float_adm_total float_adm_total " FLOAT_ADM_X1},
        {{{"float_adm", {{"adm_skip_scale0", 1}}}}, /* approximations alone */
         "float_adm_luma_8 float_adm_coarse float_adm_rows float_adm_coarse float_adm_rows "
         "float_adm_coarse float_adm_rows float_adm_total"},
        /* Features are separate, and the order of requests does not matter. */
        {{VIF(1), ADM(1), VIF(100), ADM(100)}, VIF_X2 " " ADM_X2},
        {{{"psnr", {{"enable_chroma", 0}}}, {"psnr", {{NULL, 0}}}},
         "psnr_sse_8 psnr_sse_8 psnr_sse_8"},
        {{{"psnr", {{"enable_chroma", 0}}}, {"psnr", {{"enable_chroma", 0}}}}, "psnr_sse_8"},
        {{{"motion", {{NULL, 0}}},
          {"motion", {{"motion_five_frame_window", 1}}},
          {"motion", {{"motion_force_zero", 1}}},
          {"motion", {{NULL, 0}}}},
         "motion_sad_8 motion_sad_8"},
    };
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_kernels(fixture.device, cases[i].asked, 8, cases[i].kernels);
    const Asked requests[] = {VIF(100), VIF(1), ADM(100), ADM(1), {.feature = NULL}};
    assert_kernels(fixture.device, requests, 10,
                   "vif_scale_0_16_x2 vif_scale_1_x2 vif_scale_2_x2 vif_scale_3_x2 "
                   "adm_luma_16_x2 adm_coarse_16_x2 adm_coarse_32_x2 adm_coarse_32_x2");
    fixture_close(&fixture);
}

/* Whether nothing that a step binds is also written by it or by another step of its stage. */
static void assert_apart(const VmafProgram *program, const VmafProgramStep *a, uint32_t written)
{
    const VmafBufferName *to = &a->run.buffers[written];
    for (uint32_t i = 0; i < program->n_steps; i++) {
        for (uint32_t slot = 0; slot < VMAF_KERNEL_MAX_BUFFERS; slot++) {
            const VmafBufferName *other = &program->steps[i].run.buffers[slot];
            if (other == to || other->kind != VMAF_BUFFER_PARTIALS)
                continue;
            assert_true(program->steps[i].stage != a->stage ||
                        other->offset >= to->offset + to->size ||
                        to->offset >= other->offset + other->size);
        }
    }
}

CASE(given_many_partial_sums_one_step_of_the_next_stage_adds_slices_of_them)
{
    static const Asked asked[MAX_ASKED] = {{.feature = "motion"}, VIF(100), ADM(100)};
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    VmafBackendPlan *plan = make_sized_plan(fixture.device, asked, 1920, 1080, 8);
    const VmafProgram *program = plan->program;
    assert_int_equal(program->n_steps, 1 + 4 + 4 + 1);
    const VmafProgramStep *slices = &program->steps[program->n_steps - 1];
    assert_string_equal(slices->run.kernel, "sum_partials");
    assert_int_equal(slices->stage, 1);
    assert_int_equal(slices->first_request, 0);
    assert_int_equal(slices->end_request, 3);
    /* 1088 partial sums of motion, four times 2430 of VIF, nine times 432 rows of ADM; a group adds
     * 1024, or 256 rows. */
    assert_int_equal(slices->run.groups[0], 2 + 4 * 3 + 9 * 2);
    assert_apart(program, slices, 2);
    for (uint32_t i = 0; i < program->n_sums; i++) {
        const partial_sum *sum = &program->sums[i];
        assert_true((sum->rows + 255) / 256 * ((sum->columns + 7) / 8) <= 4);
    }
    vmaf_plan_destroy(plan);
    fixture_close(&fixture);
}

/* Kernels of the plan that filter windows of float_vif, and those that resize. */
CASE(given_requests_of_float_vif_those_with_one_window_share_it)
{
    static const struct {
        Asked asked[MAX_ASKED];
        uint32_t scales, resamples;
    } cases[] = {
        {{{"float_vif", {{NULL, 0}}}}, 4, 0},
        {{{"float_vif", {{"vif_skip_scale0", 1}}}}, 3, 0},
        {{{"float_vif", {{NULL, 0}}}, {"float_vif", {{"vif_skip_scale0", 1}}}}, 4, 0},
        {{{"float_vif", {{NULL, 0}}}, {"float_vif", {{"vif_enhn_gain_limit", 1}}}}, 4, 0},
        {{{"float_vif", {{"vif_sigma_nsq", 1}}},
          {"float_vif", {{"vif_enhn_gain_limit", 1}}},
          {"float_vif", {{NULL, 0}}}},
         8,
         0},
        {{{"float_vif", {{NULL, 0}}}, {"float_vif", {{"vif_kernelscale", 0.5}}}}, 8, 0},
        {{{"float_vif", {{NULL, 0}}}, {"float_vif", {{"vif_prescale", 0.5}}}}, 8, 1},
        {{{"float_vif", {{"vif_prescale", 0.5}}},
          {"float_vif", {{"vif_prescale", 0.5}, {"vif_sigma_nsq", 1}}}},
         4,
         1},
        {{{"float_vif", {{"vif_prescale", 1.001}}}}, 4, 0}, /* the same size */
    };
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        VmafBackendPlan *plan = make_plan(fixture.device, cases[i].asked, 8);
        uint32_t scales = 0, resamples = 0;
        for (uint32_t k = 0; k < plan->program->n_steps; k++) {
            scales += strncmp(plan->program->steps[k].run.kernel, "float_vif_scale_", 16) == 0;
            resamples +=
                strncmp(plan->program->steps[k].run.kernel, "float_vif_resample_", 19) == 0;
        }
        assert_int_equal(scales, cases[i].scales);
        assert_int_equal(resamples, cases[i].resamples);
        vmaf_plan_destroy(plan);
    }
    fixture_close(&fixture);
}

/* What kernels write for each pixel has to fit into what they can bind. */
CASE(given_pictures_of_many_samples_those_requests_are_declined)
{
    static const struct {
        Asked asked[2];
        uint32_t w, h, more;
    } cases[] = {
        {{{"float_vif", {{NULL, 0}}}}, 8192, 4096, 4097},
        {{{"float_vif", {{"vif_prescale", 0.5}}}}, 8192, 8192, 8194},
        {{{"ssim", {{NULL, 0}}}}, 4096, 4096, 4097},
        {{{"ssimulacra2", {{NULL, 0}}}}, 4096, 4096, 4097},
        {{{"ssimulacra2", {{NULL, 0}}}}, 16, 16384, 16385},
    };
    if (!is_emulator()) /* other devices may have less memory */
        skip();
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const Asked *asked = cases[i].asked;
        VmafBackendPlan *fits = make_sized_plan(fixture.device, asked, cases[i].w, cases[i].h, 8);
        VmafBackendPlan *exceeds =
            make_sized_plan(fixture.device, asked, cases[i].w, cases[i].more, 8);
        assert_true(is_accepted(fits, 0));
        assert_false(is_accepted(exceeds, 0));
        vmaf_plan_destroy(fits);
        vmaf_plan_destroy(exceeds);
    }
    fixture_close(&fixture);
}

CASE(given_a_limit_that_is_none_that_request_is_declined)
{
    static const double limits[] = {0.99, 100.1, -1, NAN, INFINITY};
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        const Asked asked[] = {VIF(limits[i]), VIF(1), ADM(100), ADM(limits[i]), {.feature = NULL}};
        VmafBackendPlan *plan = make_plan(fixture.device, asked, 8);
        assert_false(is_accepted(plan, 0));
        assert_true(is_accepted(plan, 1) && is_accepted(plan, 2));
        assert_false(is_accepted(plan, 3));
        assert_int_equal(plan->program->n_requests, 2);
        vmaf_plan_destroy(plan);
    }
    fixture_close(&fixture);
}

CASE(given_a_picture_below_the_minimum_that_request_is_declined)
{
    static const struct {
        Asked asked[2];
        uint32_t minimum;
    } cases[] = {
        {{{"adm", {{NULL, 0}}}}, 17}, {{{"vif", {{NULL, 0}}}}, 8}, {{{"motion", {{NULL, 0}}}}, 3}};
    Fixture fixture;
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const uint32_t minimum = cases[i].minimum;
        for (uint32_t smaller = 0; smaller < 3; smaller++) {
            VmafBackendPlan *plan =
                make_sized_plan(fixture.device, cases[i].asked, minimum - (smaller == 1),
                                minimum - (smaller == 2), 8);
            assert_int_equal(is_accepted(plan, 0), smaller == 0);
            vmaf_plan_destroy(plan);
        }
    }
    fixture_close(&fixture);
}

/* ---- Command lists ---- */

static const VmafDeviceLayer *counted; /* the one behind the counting layer */
static unsigned n_dispatches;
static uint64_t n_uploaded; /* bytes */

static int count_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch)
{
    n_dispatches++;
    return counted->cmd_dispatch(list, dispatch);
}

static int count_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                        const VmafDeviceSubmit *params, VmafDeviceTicket *ticket)
{
    for (uint32_t i = 0; i < params->n_copies; i++)
        n_uploaded += params->copies[i].rows * params->copies[i].row_size;
    return counted->submit(queue, list, params, ticket);
}

typedef struct Counts {
    unsigned dispatches;
    unsigned images;   /* that kernels leave for later kernels */
    uint64_t uploaded; /* bytes, of a frame */
    uint64_t frame_size;
} Counts;

static void submit_frame(VmafBackendSession *session)
{
    static const unsigned char pixels[WIDTH * HEIGHT];
    const VmafBackendPicture picture = {.struct_size = sizeof(picture),
                                        .data = {pixels, pixels, pixels},
                                        .stride = {WIDTH, WIDTH, WIDTH}};
    const VmafBackendFrame frame = {
        .struct_size = sizeof(frame), .wanted = {UINT64_MAX}, .ref = &picture, .dist = &picture};
    assert_int_equal(vmaf_session_submit(session, &frame), VMAF_BACKEND_OK);
}

/* Waits as long as the device takes, which closing the session would not. */
static void collect_frame(VmafBackendSession *session)
{
    void *records[8] = {NULL};
    int32_t status[8];
    VmafBackendResult result = {
        .struct_size = sizeof(result), .n_requests = 8, .records = records, .status = status};
    assert_int_equal(vmaf_session_collect(session, 1800000, &result), VMAF_BACKEND_OK);
}

/* Counts everything that a session for these requests records when it opens, and what it uploads
 * for a frame. */
static Counts counts_of(VmafDevice *device, const Asked asked[])
{
    VmafBackendSession *session;
    VmafBackendReason why = {.struct_size = sizeof(why)};
    VmafBackendPlan *plan = make_plan(device, asked, 8);
    const unsigned images = plan->program->n_scratch;
    const uint64_t frame_size = vmaf_plan_frame_size(plan);
    n_dispatches = 0;
    assert_int_equal(vmaf_session_open(plan, &session, &why), VMAF_BACKEND_OK);
    const unsigned dispatches = n_dispatches;
    n_uploaded = 0;
    submit_frame(session);
    collect_frame(session);
    vmaf_session_close(session);
    vmaf_plan_destroy(plan);
    return (Counts){dispatches, images, n_uploaded, frame_size};
}

CASE(given_requests_with_another_limit_no_upload_and_no_kernel_is_added)
{
    const Asked alone[] = {VIF(100), ADM(100), {.feature = NULL}};
    const Asked requests[] = {VIF(100), ADM(100), VIF(1), ADM(1), {.feature = NULL}};
    const Asked three[] = {VIF(100), ADM(100), VIF(1), ADM(1), VIF(2), ADM(2), {.feature = NULL}};
    Fixture fixture;
    const EmulatorOptions discrete = {.no_unified_memory = true};
    fixture_open_kernels(&fixture, product_kernel_set(layer_name), &discrete);
    counted = fixture.device->layer;
    VmafDeviceLayer counting = *counted;
    counting.cmd_dispatch = count_dispatch;
    counting.submit = count_submit;
    fixture.device->layer = &counting;
    const Counts one = counts_of(fixture.device, alone);
    const Counts two = counts_of(fixture.device, requests);
    const Counts more = counts_of(fixture.device, three);
    fixture_close(&fixture);

    const unsigned lists = 2; /* that hold kernels: one for each position */
    assert_int_equal(one.dispatches, lists * (4 + 4 + 1));
    assert_int_equal(two.dispatches, one.dispatches);
    assert_int_equal(more.dispatches, lists * (8 + 8 + 1));
    if (is_emulator()) /* others may share their memory with the host */
        assert_int_equal(one.uploaded, one.frame_size);
    assert_int_equal(two.uploaded, one.uploaded);
    assert_int_equal(more.uploaded, one.uploaded);
    assert_int_equal(two.frame_size, one.frame_size);
    assert_int_equal(more.frame_size, one.frame_size);
    assert_int_equal(one.images, 2 + 2);
    assert_int_equal(two.images, one.images);
    assert_int_equal(more.images, 2 * one.images);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
