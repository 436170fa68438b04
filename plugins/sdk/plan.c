/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plans: which metric makes the record of a request, and whether the device can run it. */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "device_state.h"
#include "metric.h"
#include "program.h"

/* -- metrics -- */

#define VMAF_METRIC_ADDRESS(name, record, kind) &vmaf_metric_##name,
const VmafMetric *const vmaf_metrics[VMAF_N_METRICS] = {VMAF_DEVICE_METRICS(VMAF_METRIC_ADDRESS)};

const VmafMetric *vmaf_metric_find(const char *name)
{
    for (int i = 0; i < VMAF_N_METRICS; i++) {
        if (!strcmp(vmaf_metrics[i]->name, name))
            return vmaf_metrics[i];
    }
    return NULL;
}

const OptionSpec *vmaf_metric_option(const VmafMetric *metric, const char *name)
{
    for (const OptionSpec *spec = metric->options; spec->name; spec++) {
        if (vmaf_metric_honours(spec) && !strcmp(spec->name, name))
            return spec;
    }
    return NULL;
}

enum {
    SLOTS_MIN = 2,
    SLOTS_MAX = 8,
    STRIDE_ALIGNMENT = 64, /* bytes: a cache line of the device */
    PLANE_ALIGNMENT = 256, /* bytes: where bindings may begin */
};

/* -- geometry -- */

int32_t vmaf_geometry_init(VmafGeometry *geometry, uint32_t width, uint32_t height, uint32_t depth,
                           uint32_t format)
{
    if (!width || !height || width > INT32_MAX / 4 || height > INT32_MAX / 4 || depth < 8 ||
        depth > 16 || format < VMAF_BACKEND_PIXEL_420 || format > VMAF_BACKEND_PIXEL_400)
        return VMAF_BACKEND_INVALID;
    *geometry = (VmafGeometry){
        .depth = depth,
        .bytes_per_sample = depth > 8 ? 2 : 1,
        .pixel_format = format,
    };
    const uint32_t chroma_w = format == VMAF_BACKEND_PIXEL_444 ? width : width / 2;
    const uint32_t chroma_h = format == VMAF_BACKEND_PIXEL_420 ? height / 2 : height;
    for (uint32_t p = 0; p < (format == VMAF_BACKEND_PIXEL_400 ? 1u : 3u); p++) {
        geometry->w[p] = p ? chroma_w : width;
        geometry->h[p] = p ? chroma_h : height;
        geometry->stride[p] = (uint32_t)round_up(
            (uint64_t)geometry->w[p] * geometry->bytes_per_sample, STRIDE_ALIGNMENT);
    }
    return VMAF_BACKEND_OK;
}

static uint64_t plane_size(const VmafGeometry *geometry, uint32_t plane)
{
    return round_up((uint64_t)geometry->stride[plane] * geometry->h[plane], PLANE_ALIGNMENT);
}

uint64_t vmaf_plan_picture_size(const struct VmafBackendPlan *plan)
{
    uint64_t size = 0;
    for (uint32_t p = 0; p < 3; p++) {
        if (plan->program->planes >> p & 1)
            size += plane_size(&plan->geometry, p);
    }
    return size;
}

uint64_t vmaf_plan_plane_offset(const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                                uint32_t plane)
{
    uint64_t offset = side == VMAF_BUFFER_DIST ? vmaf_plan_picture_size(plan) : 0;
    for (uint32_t p = 0; p < plane; p++) {
        if (plan->program->planes >> p & 1)
            offset += plane_size(&plan->geometry, p);
    }
    return offset;
}

uint64_t vmaf_plan_frame_size(const struct VmafBackendPlan *plan)
{
    uint64_t size = 2 * vmaf_plan_picture_size(plan);
    return size ? size : PLANE_ALIGNMENT;
}

uint64_t vmaf_plan_binding_size(const struct VmafBackendPlan *plan, const VmafBufferName *name)
{
    const VmafProgram *program = plan->program;
    if (name->size)
        return name->size;
    switch (name->kind) {
    case VMAF_BUFFER_REF:
    case VMAF_BUFFER_DIST:
        return (uint64_t)plan->geometry.stride[name->index] * plan->geometry.h[name->index];
    case VMAF_BUFFER_SCRATCH:
        return program->scratch[name->index] - name->offset;
    case VMAF_BUFFER_TABLE:
        return program->tables[name->index].size - name->offset;
    case VMAF_BUFFER_BYTES: /* have a size */
    case VMAF_BUFFER_PARTIALS:
        break;
    }
    return program->n_partials * sizeof(uint64_t) - name->offset;
}

uint32_t vmaf_plan_positions(const struct VmafBackendPlan *plan)
{
    return plan->slots + plan->program->earlier;
}

/* -- requests -- */

static bool decline(VmafRequest *request, const char *why)
{
    request->metric = NULL;
    snprintf(request->why.text, sizeof(request->why.text), "%s", why);
    return false;
}

/* True if the metric's limits admit the request; else declines it. */
static bool admits(VmafRequest *request, const VmafGeometry *geometry)
{
    const VmafMetric *metric = request->metric;
    if (!metric)
        return decline(request, "unknown feature");
    if (!(metric->pixel_formats >> geometry->pixel_format & 1))
        return decline(request, "pixel format");
    if (geometry->depth < metric->depth_min || geometry->depth > metric->depth_max)
        return decline(request, "bit depth");
    if (geometry->w[0] < metric->width_min || geometry->h[0] < metric->height_min ||
        (metric->width_max && geometry->w[0] > metric->width_max) ||
        (metric->height_max && geometry->h[0] > metric->height_max))
        return decline(request, "picture size");
    return true;
}

static int32_t set_string(struct VmafBackendPlan *plan, void *options, const OptionSpec *spec,
                          const char *value)
{
    char *copy = NULL;
    if (value) {
        char **grown = realloc(plan->strings, (plan->n_strings + 1) * sizeof(*grown));
        copy = grown ? strdup(value) : NULL;
        plan->strings = grown ? grown : plan->strings;
        if (!copy)
            return VMAF_BACKEND_OUT_OF_MEMORY;
        plan->strings[plan->n_strings++] = copy;
    }
    option_set_string(options, spec, copy);
    return VMAF_BACKEND_OK;
}

/* Sets an option; false if the value is not one that the feature allows. */
static bool set_number(void *options, const OptionSpec *spec, const VmafBackendOption *option)
{
    const double value = spec->type == OPTION_DOUBLE ? option->number : (double)option->integer;
    if (spec->type != OPTION_BOOL && value != spec->default_value &&
        !(value >= spec->min && value <= spec->max))
        return false;
    option_set_number(options, spec, value);
    return true;
}

/* Reads the request's options, and declines it if the metric does not honour them. Hosts list all
 * that change a record; others, such as tests, may leave some at their default. */
static int32_t read_options(struct VmafBackendPlan *plan, VmafRequest *request,
                            const VmafBackendRequest *asked)
{
    for (const OptionSpec *spec = request->metric->options; spec->name; spec++)
        option_set_default(request->options, spec);
    int32_t result = VMAF_BACKEND_OK;
    for (uint32_t i = 0; i < asked->n_options && request->metric && !result; i++) {
        const VmafBackendOption *option = asked->options[i];
        const OptionSpec *spec = vmaf_metric_option(request->metric, option->name);
        if (spec && spec->type == OPTION_STRING)
            result = set_string(plan, request->options, spec, option->string);
        else if (spec ? !set_number(request->options, spec, option) : !option->is_default)
            decline(request, option->name);
    }
    return result;
}

static const char too_large[] = "pictures are too large for the device";

/* True if kernels can bind the planes. Metrics count samples in 32 bits, so this comes first. */
static bool planes_fit(const struct VmafBackendPlan *plan)
{
    const uint64_t limit = plan->device->info.caps.max_binding_size;
    for (uint32_t p = 0; p < 3; p++) {
        if (plane_size(&plan->geometry, p) > (limit ? limit : UINT32_MAX))
            return false;
    }
    return true;
}

/* Finds the metric of the request, or says why there is none. */
static int32_t plan_request(struct VmafBackendPlan *plan, VmafRequest *request,
                            const VmafBackendRequest *asked)
{
    request->number = VMAF_REQUEST_NO_NUMBER;
    request->why.struct_size = sizeof(request->why);
    request->metric = vmaf_metric_find(asked->feature);
    if (!admits(request, &plan->geometry))
        return VMAF_BACKEND_OK;
    const VmafDevice *device = plan->device;
    const char *bad = vmaf_known_bad(device->state ? device->state->known_bad : NULL, &device->info,
                                     request->metric->name);
    if (bad) {
        decline(request, bad);
        return VMAF_BACKEND_OK;
    }
    request->options = calloc(1, request->metric->options_size);
    if (!request->options)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    const int32_t result = read_options(plan, request, asked);
    if (result != VMAF_BACKEND_OK || !request->metric)
        return result;
    if (!planes_fit(plan))
        decline(request, too_large);
    else if (request->metric->admits &&
             !request->metric->admits(&plan->geometry, request->options, &request->why))
        request->metric = NULL;
    else if (request->metric->record_size_of)
        request->record_size = request->metric->record_size_of(&plan->geometry, request->options);
    else
        request->record_size = request->metric->record_size;
    return VMAF_BACKEND_OK;
}

/* -- passes -- */

/* Makes a pass of request `first` and the remaining requests after it that can share one. */
static void build_pass(struct VmafBackendPlan *plan, uint32_t first)
{
    const VmafMetric *metric = plan->requests[first].metric;
    VmafRequest *requests[VMAF_PROGRAM_MAX_REQUESTS];
    const void *options[VMAF_PROGRAM_MAX_REQUESTS];
    VmafMetricPass pass = {.options = options};
    for (uint32_t i = first; i < plan->n_requests; i++) {
        VmafRequest *request = &plan->requests[i];
        if (request->metric != metric || request->number != VMAF_REQUEST_NO_NUMBER)
            continue;
        requests[pass.n_requests] = request;
        options[pass.n_requests++] = request->options;
        if (pass.n_requests > 1 && metric->is_pass && !metric->is_pass(&plan->geometry, &pass))
            pass.n_requests--;
    }
    vmaf_program_begin_pass(plan->program, requests, pass.n_requests);
    metric->build(plan->program, &plan->geometry, &pass);
}

static int32_t build_passes(struct VmafBackendPlan *plan)
{
    for (uint32_t i = 0; i < plan->n_requests; i++) {
        if (plan->requests[i].metric && plan->requests[i].number == VMAF_REQUEST_NO_NUMBER)
            build_pass(plan, i);
    }
    vmaf_program_finish(plan->program);
    return vmaf_sdk_status(vmaf_program_status(plan->program));
}

/* -- limits of the device -- */

/* True if the device can run a kernel of the program on what it is bound to. */
static bool step_fits(const struct VmafBackendPlan *plan, const VmafProgramStep *step)
{
    const VmafDeviceCaps *caps = &plan->device->info.caps;
    const VmafKernel *kernel = vmaf_kernel_set_find(plan->device->kernels, step->run.kernel);
    bool fits = true;
    for (uint32_t axis = 0; axis < 3; axis++)
        fits &= step->run.groups[axis] <= VMAF_DEVICE_MAX_GROUPS;
    for (uint32_t slot = 0; kernel && slot < kernel->n_buffers; slot++) {
        const VmafBufferName *name = &step->run.buffers[slot];
        fits &= vmaf_caps_allow(caps->max_binding_size, vmaf_plan_binding_size(plan, name));
        if (name->kind == VMAF_BUFFER_SCRATCH)
            fits &= vmaf_caps_allow(caps->max_buffer_size,
                                    plan->program->scratch[name->index] + VMAF_MEMORY_PADDING);
    }
    return fits;
}

static bool program_fits(const struct VmafBackendPlan *plan)
{
    const VmafProgram *program = plan->program;
    const uint64_t most = plan->device->info.caps.max_binding_size;
    bool fits = vmaf_caps_allow(most, (uint64_t)program->n_partials * sizeof(uint64_t)) &&
                vmaf_caps_allow(most, vmaf_program_results_size(program));
    for (uint32_t i = 0; i < program->n_steps; i++)
        fits &= step_fits(plan, &program->steps[i]);
    return fits;
}

static uint64_t memory_needed(const struct VmafBackendPlan *plan)
{
    const VmafProgram *program = plan->program;
    uint64_t of_stream = (uint64_t)program->n_partials * sizeof(uint64_t);
    for (uint32_t i = 0; i < program->n_scratch; i++)
        of_stream += program->scratch[i];
    const uint64_t of_position = vmaf_plan_frame_size(plan) + vmaf_program_results_size(program);
    uint64_t total = of_position * vmaf_plan_positions(plan) + of_stream * plan->streams;
    for (uint32_t i = 0; i < program->n_tables; i++)
        total += program->tables[i].size;
    return total;
}

static bool memory_suffices(const struct VmafBackendPlan *plan)
{
    return vmaf_caps_allow(plan->device->info.caps.memory_size, memory_needed(plan));
}

/* If memory is short, gives up the second stream, then frames in flight; false if even that does
 * not help. */
static bool fit_to_device(struct VmafBackendPlan *plan)
{
    const VmafDeviceCaps *caps = &plan->device->info.caps;
    if (!program_fits(plan) || !vmaf_caps_allow(caps->max_buffer_size, vmaf_plan_frame_size(plan)))
        return false;
    /* Times are those of kernels that have the device to themselves. */
    plan->streams = plan->slots > 1 && !plan->device->profiling ? VMAF_DEVICE_STREAMS : 1;
    if (!memory_suffices(plan))
        plan->streams = 1;
    while (!memory_suffices(plan) && plan->slots > SLOTS_MIN)
        plan->slots--;
    plan->device_memory = memory_needed(plan);
    return memory_suffices(plan);
}

/* What a step takes of the device: the scratch memory that it touches, or all if it cannot run. */
static uint64_t weight_of_step(const struct VmafBackendPlan *plan, const VmafProgramStep *step)
{
    uint64_t weight = 0;
    if (!step_fits(plan, step))
        return UINT64_MAX / 4096;
    for (uint32_t slot = 0; slot < VMAF_KERNEL_MAX_BUFFERS; slot++) {
        const VmafBufferName *name = &step->run.buffers[slot];
        if (name->kind == VMAF_BUFFER_SCRATCH)
            weight += plan->program->scratch[name->index];
    }
    return weight;
}

/* The metric that takes most of the device; NULL: there is none. */
static const VmafMetric *find_largest(const struct VmafBackendPlan *plan)
{
    const VmafMetric *largest = NULL;
    uint64_t most = 0;
    for (uint32_t r = 0; r < plan->n_requests; r++) {
        const VmafRequest *request = &plan->requests[r];
        uint64_t weight = 1;
        for (uint32_t i = 0; request->metric && i < plan->program->n_steps; i++) {
            const VmafProgramStep *step = &plan->program->steps[i];
            if (request->number >= step->first_request && request->number < step->end_request)
                weight += weight_of_step(plan, step);
        }
        if (request->metric && weight > most) {
            most = weight;
            largest = request->metric;
        }
    }
    return largest;
}

/* Builds the program, without the metrics that take most of the device as long as it does not fit
 * there: the host computes them elsewhere. */
static int32_t build_what_fits(struct VmafBackendPlan *plan)
{
    int32_t result = build_passes(plan);
    const VmafMetric *largest;
    while (result == VMAF_BACKEND_OK && !fit_to_device(plan) && (largest = find_largest(plan))) {
        for (uint32_t i = 0; i < plan->n_requests; i++) {
            plan->requests[i].number = VMAF_REQUEST_NO_NUMBER;
            if (plan->requests[i].metric == largest)
                decline(&plan->requests[i], too_large);
        }
        vmaf_program_destroy(plan->program);
        plan->program = vmaf_program_create(&plan->geometry);
        plan->slots = plan->slots_wanted;
        result = plan->program ? build_passes(plan) : VMAF_BACKEND_OUT_OF_MEMORY;
    }
    return result;
}

int32_t vmaf_plan_create(VmafDevice *device, const VmafBackendPlanParams *params,
                         struct VmafBackendPlan **created, VmafBackendReason *why)
{
    *created = NULL;
    if (params->flags || params->n_requests > VMAF_PROGRAM_MAX_REQUESTS) {
        snprintf(why->text, sizeof(why->text), "unknown flags, or more than %d requests",
                 VMAF_PROGRAM_MAX_REQUESTS);
        return VMAF_BACKEND_INVALID;
    }
    struct VmafBackendPlan *plan = calloc(1, sizeof(*plan));
    if (!plan)
        return VMAF_BACKEND_OUT_OF_MEMORY;
    plan->device = device;
    plan->slots_wanted = params->frames_in_flight < SLOTS_MIN   ? SLOTS_MIN
                         : params->frames_in_flight > SLOTS_MAX ? SLOTS_MAX
                                                                : params->frames_in_flight;
    plan->slots = plan->slots_wanted;
    int32_t result = vmaf_geometry_init(&plan->geometry, params->width, params->height,
                                        params->depth, params->pixel_format);
    if (result != VMAF_BACKEND_OK) {
        snprintf(why->text, sizeof(why->text), "no such size, bit depth or pixel format");
    } else {
        plan->program = vmaf_program_create(&plan->geometry);
        plan->requests = calloc(params->n_requests + 1, sizeof(*plan->requests));
        if (!plan->program || !plan->requests)
            result = VMAF_BACKEND_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; result == VMAF_BACKEND_OK && i < params->n_requests; i++) {
        plan->n_requests++;
        result = plan_request(plan, &plan->requests[i], params->requests[i]);
    }
    if (result == VMAF_BACKEND_OK)
        result = build_what_fits(plan);
    if (result != VMAF_BACKEND_OK) {
        vmaf_plan_destroy(plan);
        return result;
    }
    *created = plan;
    return VMAF_BACKEND_OK;
}

void vmaf_plan_destroy(struct VmafBackendPlan *plan)
{
    if (!plan)
        return;
    for (uint32_t i = 0; i < plan->n_requests; i++)
        free(plan->requests[i].options);
    free(plan->requests);
    for (uint32_t i = 0; i < plan->n_strings; i++)
        free(plan->strings[i]);
    free(plan->strings);
    vmaf_program_destroy(plan->program);
    free(plan);
}

int32_t vmaf_plan_info(const struct VmafBackendPlan *plan, VmafBackendPlanInfo *info)
{
    const VmafBackendPlanInfo full = {
        .planes = plan->program->planes,
        .slots = plan->slots,
        .device_memory = plan->device_memory,
    };
    return vmaf_struct_fill(info, &full, sizeof(full), sizeof(full)) ? VMAF_BACKEND_OK
                                                                     : VMAF_BACKEND_INVALID;
}

int32_t vmaf_plan_answer(const struct VmafBackendPlan *plan, uint32_t number,
                         VmafBackendAnswer *answer)
{
    if (number >= plan->n_requests)
        return VMAF_BACKEND_INVALID;
    const VmafRequest *request = &plan->requests[number];
    const VmafMetric *metric = request->metric;
    VmafBackendAnswer full = {.accepted = metric != NULL};
    if (metric) {
        full.record_kind = vmaf_metric_record_kind(metric);
        full.record_version = metric->record_version;
        full.record_size = request->record_size;
        full.count = 1;
    } else {
        memcpy(full.reason, request->why.text, sizeof(full.reason));
    }
    return vmaf_struct_fill(answer, &full, sizeof(full), sizeof(full)) ? VMAF_BACKEND_OK
                                                                       : VMAF_BACKEND_INVALID;
}
