/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The <name> in the file name libvmaf-backend-<name>.so; the build sets both. */
#ifndef BACKEND_NAME
#define BACKEND_NAME "example"
#endif

enum { MAX_REQUESTS = 256, MAX_SLOTS = 16, N_PLANES = 3 };

#define LUMA       VMAF_BACKEND_PLANE_Y
#define ALL_PLANES (VMAF_BACKEND_PLANE_Y | VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR)
#define DEVICE_ID  "example-0"

/*
 * Writes a structure to the host's memory. The host may know a shorter or a longer version of it:
 * its struct_size, the first member of every structure, is kept and limits what is written.
 */
static void store(void *target, const void *source, uint32_t size)
{
    uint32_t room;
    memcpy(&room, target, sizeof(room));
    const uint32_t n = size < room ? size : room;
    if (n > sizeof(room))
        memcpy((char *)target + sizeof(room), (const char *)source + sizeof(room),
               n - sizeof(room));
}

void explain(VmafBackendReason *why, const char *text)
{
    VmafBackendReason reason = {.struct_size = sizeof(reason)};
    snprintf(reason.text, sizeof(reason.text), "%s", text);
    if (why)
        store(why, &reason, sizeof(reason));
}

/* ---- Features ---- */

#define ALL_PICTURES                                                                               \
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |                 \
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,                  \
    .depth_min = 8, .depth_max = 16, .width_min = 1, .height_min = 1

static const VmafBackendFeature features[N_METRICS] = {
    [METRIC_PSNR] = {.struct_size = sizeof(VmafBackendFeature),
                     .name = "psnr",
                     .record_kind = VMAF_BACKEND_RECORD_SUMS,
                     .record_version = VMAF_RECORD_PSNR_VERSION,
                     .record = VMAF_RECORD_PSNR,
                     ALL_PICTURES,
                     .planes = ALL_PLANES,
                     .exactness = VMAF_BACKEND_EXACT,
                     .n_options = 1},
    [METRIC_MOTION] = {.struct_size = sizeof(VmafBackendFeature),
                       .name = "motion",
                       .record_kind = VMAF_BACKEND_RECORD_SUMS,
                       .record_version = VMAF_RECORD_MOTION_VERSION,
                       .record = VMAF_RECORD_MOTION,
                       ALL_PICTURES,
                       .planes = LUMA,
                       .ref_before = MOTION_MAX_LAG,
                       .exactness = VMAF_BACKEND_EXACT,
                       .n_options = 2},
    /* A feature that libvmaf does not have: users request it as "example_mean_abs_difference". */
    [METRIC_MEAN_ABS_DIFFERENCE] = {.struct_size = sizeof(VmafBackendFeature),
                                    .flags = VMAF_BACKEND_FEATURE_OWN,
                                    .name = "mean_abs_difference",
                                    .help = "mean absolute difference of a plane in 8-bit grey "
                                            "levels",
                                    .record_kind = VMAF_BACKEND_RECORD_SCORES,
                                    .record_version = 1,
                                    ALL_PICTURES,
                                    .planes = ALL_PLANES,
                                    .exactness = VMAF_BACKEND_EXACT,
                                    .n_options = 1,
                                    .n_outputs = 1},
};

/* The options of libvmaf's features that change a record, and all options of own features. */
static const VmafBackendOptionSpec psnr_options[] = {
    {.struct_size = sizeof(VmafBackendOptionSpec),
     .type = VMAF_BACKEND_TYPE_BOOL,
     .name = "enable_chroma"},
};
static const VmafBackendOptionSpec motion_options[] = {
    {.struct_size = sizeof(VmafBackendOptionSpec),
     .type = VMAF_BACKEND_TYPE_BOOL,
     .name = "motion_force_zero"},
    {.struct_size = sizeof(VmafBackendOptionSpec),
     .type = VMAF_BACKEND_TYPE_BOOL,
     .name = "motion_five_frame_window"},
};
static const VmafBackendOptionSpec mean_abs_difference_options[] = {
    {.struct_size = sizeof(VmafBackendOptionSpec),
     .type = VMAF_BACKEND_TYPE_INT,
     .name = "plane",
     .help = "0: luma, 1: Cb, 2: Cr",
     .default_value = 0,
     .min = 0,
     .max = N_PLANES - 1},
};
static const VmafBackendOptionSpec *const options[N_METRICS] = {psnr_options, motion_options,
                                                                mean_abs_difference_options};

static const VmafBackendOutput mean_abs_difference_output = {
    .struct_size = sizeof(VmafBackendOutput), .name = "mean_abs_difference"};

static int32_t feature_get(uint32_t index, VmafBackendFeature *feature)
{
    if (index >= N_METRICS)
        return VMAF_BACKEND_INVALID;
    store(feature, &features[index], sizeof(*feature));
    return VMAF_BACKEND_OK;
}

static int32_t feature_option(uint32_t index, uint32_t option, VmafBackendOptionSpec *spec)
{
    if (index >= N_METRICS || option >= features[index].n_options)
        return VMAF_BACKEND_INVALID;
    store(spec, &options[index][option], sizeof(*spec));
    return VMAF_BACKEND_OK;
}

static int32_t feature_output(uint32_t index, uint32_t output, VmafBackendOutput *out)
{
    if (index >= N_METRICS || output >= features[index].n_outputs)
        return VMAF_BACKEND_INVALID;
    store(out, &mean_abs_difference_output, sizeof(*out));
    return VMAF_BACKEND_OK;
}

/* ---- The device ---- */

static int32_t probe(VmafBackendProbe *result)
{
    const VmafBackendProbe found = {.struct_size = sizeof(found), .n_devices = 1, .runtime = "1"};
    store(result, &found, sizeof(found));
    return VMAF_BACKEND_OK;
}

static int32_t device_get(uint32_t index, VmafBackendDeviceInfo *info)
{
    if (index > 0)
        return VMAF_BACKEND_INVALID;
    const VmafBackendDeviceInfo device = {
        .struct_size = sizeof(device),
        /* SOFTWARE would be the honest kind, but "auto" passes over such devices. */
        .kind = VMAF_BACKEND_DEVICE_VIRTUAL,
        .abilities = VMAF_BACKEND_ABILITY_FP64 | VMAF_BACKEND_ABILITY_INT64 |
                     VMAF_BACKEND_ABILITY_UNIFIED_MEMORY,
        .id = DEVICE_ID,
        .vendor = "example",
        .driver = "1",
        .name = "threads of the CPU",
    };
    store(info, &device, sizeof(device));
    return VMAF_BACKEND_OK;
}

static int32_t device_open(const VmafBackendDeviceParams *params, VmafBackendDevice **device,
                           VmafBackendReason *why)
{
    const uint32_t known_flags =
        VMAF_BACKEND_DEVICE_FLAG_VALIDATION | VMAF_BACKEND_DEVICE_FLAG_PROFILING;
    if (params->flags & ~known_flags) {
        explain(why, "unknown flags");
        return VMAF_BACKEND_INVALID;
    }
    if (params->external != VMAF_BACKEND_EXTERNAL_NONE) {
        explain(why, "there are no foreign devices of this kind");
        return VMAF_BACKEND_NOT_SUPPORTED;
    }
    if (!params->id || strcmp(params->id, DEVICE_ID)) {
        explain(why, "there is no such device");
        return VMAF_BACKEND_INVALID;
    }
    VmafBackendDevice *d = malloc(sizeof(*d));
    if (!d) {
        explain(why, "out of memory");
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    d->host = params->host;
    d->host->log(d->host->cookie, VMAF_BACKEND_LOG_DEBUG, BACKEND_NAME ": device opened");
    *device = d;
    return VMAF_BACKEND_OK;
}

static void device_close(VmafBackendDevice *device)
{
    free(device);
}

/* ---- Plans ---- */

uint32_t plane_width(const VmafBackendPlan *plan, unsigned plane)
{
    const bool halved = plan->pixel_format != VMAF_BACKEND_PIXEL_444;
    return plane && halved ? plan->width / 2 : plan->width;
}

uint32_t plane_height(const VmafBackendPlan *plan, unsigned plane)
{
    const bool halved = plan->pixel_format == VMAF_BACKEND_PIXEL_420;
    return plane && halved ? plan->height / 2 : plan->height;
}

/* Indices of the values for understand(), in the order of the tables above. */
enum { PSNR_CHROMA = 0, MOTION_FORCE_ZERO = 0, MOTION_FIVE_FRAMES = 1, DIFFERENCE_PLANE = 0 };

/* Interprets a request for this metric and these pictures, or says why it is declined. */
static void understand(Request *request, const int64_t *value, const VmafBackendPlanParams *params)
{
    const bool luma_only = params->pixel_format == VMAF_BACKEND_PIXEL_400;
    switch (request->metric) {
    case METRIC_PSNR:
        request->planes = value[PSNR_CHROMA] && !luma_only ? ALL_PLANES : LUMA;
        break;
    case METRIC_MOTION:
        if (value[MOTION_FORCE_ZERO])
            break;
        request->planes = LUMA;
        request->lag = value[MOTION_FIVE_FRAMES] ? 2 : 1;
        if (params->width < MOTION_MIN_SIZE || params->height < MOTION_MIN_SIZE)
            request->why = "motion needs pictures of at least 3x3";
        break;
    default:
        request->planes = 1u << value[DIFFERENCE_PLANE];
        if (value[DIFFERENCE_PLANE] && luma_only)
            request->why = "4:0:0 has no chroma planes";
        break;
    }
}

/* Accepts a request if every option that is not at its default is in the table. */
static Request answer(const VmafBackendRequest *asked, const VmafBackendPlanParams *params)
{
    Request request = {.metric = N_METRICS};
    for (Metric m = 0; m < N_METRICS; m++) {
        if (!strcmp(asked->feature, features[m].name))
            request.metric = m;
    }
    if (request.metric == N_METRICS) {
        request.why = "there is no such feature";
        return request;
    }
    int64_t value[2] = {request.metric == METRIC_PSNR, 0}; /* defaults: only chroma is on */
    for (uint32_t i = 0; i < asked->n_options; i++) {
        const VmafBackendOption *option = asked->options[i];
        uint32_t k = 0;
        while (k < features[request.metric].n_options &&
               strcmp(option->name, options[request.metric][k].name))
            k++;
        if (k < features[request.metric].n_options)
            value[k] = option->integer;
        else if (!option->is_default)
            request.why = "it has an option that is not known here";
    }
    if (!request.why)
        understand(&request, value, params);
    request.accepted = !request.why;
    return request;
}

static int32_t plan_create(VmafBackendDevice *device, const VmafBackendPlanParams *params,
                           VmafBackendPlan **plan, VmafBackendReason *why)
{
    (void)device;
    if (params->flags || !params->width || !params->height || params->depth < 8 ||
        params->depth > 16 || params->pixel_format < VMAF_BACKEND_PIXEL_420 ||
        params->pixel_format > VMAF_BACKEND_PIXEL_400 || params->n_requests > MAX_REQUESTS) {
        explain(why, "unknown flags, or no format of pictures");
        return VMAF_BACKEND_INVALID;
    }
    VmafBackendPlan *p = calloc(1, sizeof(*p) + params->n_requests * sizeof(p->requests[0]));
    if (!p) {
        explain(why, "out of memory");
        return VMAF_BACKEND_OUT_OF_MEMORY;
    }
    p->width = params->width;
    p->height = params->height;
    p->depth = params->depth;
    p->pixel_format = params->pixel_format;
    p->n_requests = params->n_requests;
    p->slots = params->frames_in_flight < 1           ? 1
               : params->frames_in_flight > MAX_SLOTS ? MAX_SLOTS
                                                      : params->frames_in_flight;
    for (uint32_t i = 0; i < p->n_requests; i++) {
        const Request request = answer(params->requests[i], params);
        p->requests[i] = request;
        if (request.accepted) {
            p->planes |= request.planes;
            p->lag = request.lag > p->lag ? request.lag : p->lag;
        }
    }
    *plan = p;
    return VMAF_BACKEND_OK;
}

static int32_t plan_info(const VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    const VmafBackendPlanInfo result = {
        .struct_size = sizeof(result), .planes = plan->planes, .slots = plan->slots};
    store(info, &result, sizeof(result));
    return VMAF_BACKEND_OK;
}

size_t record_size(Metric metric)
{
    return metric == METRIC_PSNR     ? sizeof(VmafRecordPsnr)
           : metric == METRIC_MOTION ? sizeof(VmafRecordMotion)
                                     : sizeof(double);
}

static int32_t plan_answer(const VmafBackendPlan *plan, uint32_t index, VmafBackendAnswer *target)
{
    if (index >= plan->n_requests)
        return VMAF_BACKEND_INVALID;
    const Request *request = &plan->requests[index];
    VmafBackendAnswer result = {.struct_size = sizeof(result)};
    if (request->accepted) {
        result.accepted = 1;
        result.record_kind = features[request->metric].record_kind;
        result.record_version = features[request->metric].record_version;
        result.record_size = record_size(request->metric);
        result.count = 1;
    } else {
        snprintf(result.reason, sizeof(result.reason), "%s", request->why);
    }
    store(target, &result, sizeof(result));
    return VMAF_BACKEND_OK;
}

static void plan_destroy(VmafBackendPlan *plan)
{
    free(plan);
}

/* ---- Errors, and the descriptor ---- */

static void last_error(uint32_t object_kind, const void *object, char *text, uint32_t size)
{
    /* Only sessions have functions that fail without filling in a reason. */
    const bool is_session = object_kind == VMAF_BACKEND_OBJECT_SESSION;
    if (size)
        snprintf(text, size, "%s", is_session ? session_last_error(object) : "");
}

VMAF_BACKEND_EXPORT const VmafBackend *vmaf_backend_entry(void)
{
    static const VmafBackend backend = {
        .struct_size = sizeof(VmafBackend),
        .abi_major = VMAF_BACKEND_ABI_MAJOR,
        .abi_minor = VMAF_BACKEND_ABI_MINOR,
        .backend_class = VMAF_BACKEND_CLASS_NATIVE,
        .name = BACKEND_NAME,
        .version = "1.0",
        .description = "example of a backend: threads of the CPU",
        .n_features = N_METRICS,
        .feature_get = feature_get,
        .feature_option = feature_option,
        .feature_output = feature_output,
        .probe = probe,
        .device_get = device_get,
        .device_open = device_open,
        .device_close = device_close,
        .plan_create = plan_create,
        .plan_info = plan_info,
        .plan_answer = plan_answer,
        .plan_destroy = plan_destroy,
        .session_open = session_open,
        .session_close = session_close,
        .reset = session_reset,
        .submit = session_submit,
        .collect = session_collect,
        .flush = session_flush,
        .cancel = session_cancel,
        .last_error = last_error,
    };
    return &backend;
}
