/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a session is asked for: the workload, and what a backend takes over of it. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/own_feature.h"
#include "backend/session/session_internal.h"
#include "trace/trace.h"

typedef struct SharedWorkload {
    Workload workload;
    atomic_uint references;
} SharedWorkload;

/* One block: the option struct and behind it the texts that it points to. */
static void *copy_options(const FeatureExtractor *extractor, const void *options)
{
    size_t size = extractor->options_size;
    for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
        if (spec->type == VMAF_OPTION_TYPE_STRING && option_string(options, spec))
            size += strlen(option_string(options, spec)) + 1;
    }
    char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, options, extractor->options_size);
    char *text = copy + extractor->options_size;
    for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
        if (spec->type != VMAF_OPTION_TYPE_STRING || !option_string(options, spec))
            continue;
        memcpy(copy + spec->offset, &text, sizeof(text));
        text = stpcpy(text, option_string(options, spec)) + 1;
    }
    return copy;
}

Workload *workload_create(const PictureFormat *format, unsigned cpu_flags,
                          const WorkloadRequest requests[], unsigned n_requests)
{
    SharedWorkload *shared = calloc(1, sizeof(*shared));
    if (!shared)
        return NULL;
    atomic_init(&shared->references, 1);
    Workload *workload = &shared->workload;
    workload->format = *format;
    workload->cpu_flags = cpu_flags;
    workload->requests = calloc(n_requests + 1, sizeof(*workload->requests));
    if (!workload->requests)
        goto fail;
    for (unsigned r = 0; r < n_requests; r++) {
        WorkloadRequest *request = &workload->requests[r];
        *request = requests[r];
        request->options = copy_options(request->extractor, requests[r].options);
        if (!request->options)
            goto fail;
        workload->n_requests++;
    }
    return workload;

fail:
    workload_unref(workload);
    return NULL;
}

Workload *workload_ref(Workload *workload)
{
    atomic_fetch_add_explicit(&((SharedWorkload *)workload)->references, 1, memory_order_relaxed);
    return workload;
}

void workload_unref(Workload *workload)
{
    SharedWorkload *shared = (SharedWorkload *)workload;
    if (!shared || atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned r = 0; r < workload->n_requests; r++)
        free((void *)workload->requests[r].options);
    free(workload->requests);
    free(shared);
}

enum { REQUESTS_LIMIT = 256 }; /* of a plan, by the ABI */

/* ---- what the plugin's static list rules out ---- */

static const PluginFeature *feature_of(const Plugin *plugin, const FeatureExtractor *extractor)
{
    const PluginFeature *own = own_feature_of(extractor);
    if (own) {
        const PluginFeature *same = plugin_find_feature(plugin, own->spec.name);
        return same == own ? own : NULL;
    }
    const PluginFeature *feature = plugin_find_feature(plugin, extractor->name);
    return feature && !(feature->spec.flags & VMAF_BACKEND_FEATURE_OWN) ? feature : NULL;
}

/* Options that count for a request: finished scores depend on all of them. */
static bool option_counts(const PluginFeature *feature, const OptionSpec *option)
{
    return feature->spec.record_kind == VMAF_BACKEND_RECORD_SCORES ||
           (option->flags & OPTION_ACCUMULATE);
}

static bool honours(const PluginFeature *feature, const OptionSpec *option, const void *options)
{
    for (uint32_t i = 0; i < feature->spec.n_options; i++) {
        const VmafBackendOptionSpec *known = &feature->options[i];
        if (strcmp(known->name, option->name))
            continue;
        if (known->type != (uint32_t)option->type)
            return false;
        if (option->type == VMAF_OPTION_TYPE_STRING || !(known->min < known->max))
            return true;
        double value = option_number(options, option);
        return value >= known->min && value <= known->max;
    }
    return false;
}

static const char *option_not_honoured(const PluginFeature *feature, const WorkloadRequest *request)
{
    for (const OptionSpec *option = request->extractor->options; option->name; option++) {
        if (option_counts(feature, option) && !option_is_default(request->options, option) &&
            !honours(feature, option, request->options))
            return option->name;
    }
    return NULL;
}

/* Checks that the host can finish its record. */
static int check_record(const PluginFeature *feature, const WorkloadRequest *request, Reason *why)
{
    if (feature->spec.record_kind == VMAF_BACKEND_RECORD_SCORES)
        return request->uniform
                   ? 0
                   : reason_set(why, -ENOTSUP,
                                "it answers with scores, which cannot serve several sets "
                                "of options at once");
    const FeatureRecord *record = &request->extractor->record;
    if (!record->id || strcmp(record->id, feature->spec.record))
        return reason_set(why, -ENOTSUP, "its record is \"%s\", which is not that of the feature",
                          feature->spec.record);
    if (record->is_bytes != (feature->spec.record_kind == VMAF_BACKEND_RECORD_BYTES))
        return reason_set(why, -ENOTSUP, "its record is of another kind than that of the feature");
    if (!request->record_size)
        return reason_set(why, -ENOTSUP, "with these options there is nothing to compute");
    if (feature->spec.record_version != record->version)
        return reason_set(why, -ENOTSUP, "its record has version %u, the host's %u",
                          feature->spec.record_version, record->version);
    return 0;
}

static void screen(const Plugin *plugin, const BackendSessionParams *params,
                   const WorkloadRequest *request, BackendCoverage *coverage)
{
    *coverage = (BackendCoverage){.placement = VMAF_PLACEMENT_BACKEND};
    if (params->pinned_only && !request->pinned) {
        coverage->placement = VMAF_PLACEMENT_MASKED;
        return;
    }
    const PluginFeature *feature = feature_of(plugin, request->extractor);
    if (!feature) {
        coverage->placement = VMAF_PLACEMENT_NOT_COMPUTED;
        return;
    }
    const VmafBackendFeature *spec = &feature->spec;
    bool exact =
        spec->record_kind != VMAF_BACKEND_RECORD_SCORES && spec->exactness == VMAF_BACKEND_EXACT;
    if (params->exact_only && !exact) {
        coverage->placement = VMAF_PLACEMENT_NOT_EXACT;
        return;
    }
    if (feature_limits_check(spec, &params->workload->format, &coverage->why)) {
        coverage->placement = VMAF_PLACEMENT_FORMAT;
        return;
    }
    coverage->option = option_not_honoured(feature, request);
    if (coverage->option) {
        coverage->placement = VMAF_PLACEMENT_OPTION;
        return;
    }
    if (check_record(feature, request, &coverage->why)) {
        coverage->placement = VMAF_PLACEMENT_DECLINED;
        return;
    }
    coverage->exact = exact;
    coverage->scores = spec->record_kind == VMAF_BACKEND_RECORD_SCORES;
    coverage->ref_before = spec->ref_before;
    coverage->dist_before = spec->dist_before;
}

void backend_plan_screen(const Plugin *plugin, const BackendSessionParams *params,
                         BackendCoverage coverage[])
{
    for (unsigned r = 0; r < params->workload->n_requests; r++)
        screen(plugin, params, &params->workload->requests[r], &coverage[r]);
}

/* ---- what the backend is asked ---- */

/* The requests as the ABI wants them, with all that they point to. */
typedef struct Query {
    VmafBackendRequest *requests;
    const VmafBackendRequest **request_list;
    VmafBackendOption *options;
    const VmafBackendOption **option_list;
} Query;

static void query_free(Query *query)
{
    free(query->requests);
    free(query->request_list);
    free(query->options);
    free(query->option_list);
}

static VmafBackendOption option_value(const void *options, const OptionSpec *spec)
{
    VmafBackendOption option = {
        .struct_size = sizeof(option),
        .type = (uint32_t)spec->type,
        .name = spec->name,
        .is_default = option_is_default(options, spec),
    };
    if (spec->type == VMAF_OPTION_TYPE_STRING)
        option.string = option_string(options, spec);
    else if (spec->type == VMAF_OPTION_TYPE_DOUBLE)
        option.number = option_number(options, spec);
    else
        option.integer = (int64_t)option_number(options, spec);
    return option;
}

static unsigned count_options(const BackendPlan *plan)
{
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n_requests; i++) {
        const WorkloadRequest *request = &plan->workload->requests[plan->requests[i].request];
        for (const OptionSpec *spec = request->extractor->options; spec->name; spec++)
            n++;
    }
    return n;
}

/* The caller frees it, also after an error. */
static int query_create(Query *query, const BackendPlan *plan)
{
    const unsigned n_options = count_options(plan);
    *query = (Query){
        .requests = calloc(plan->n_requests, sizeof(*query->requests)),
        .request_list = calloc(plan->n_requests, sizeof(*query->request_list)),
        .options = calloc(n_options + 1, sizeof(*query->options)),
        .option_list = calloc(n_options + 1, sizeof(*query->option_list)),
    };
    if (!query->requests || !query->request_list || !query->options || !query->option_list)
        return -ENOMEM;
    unsigned n = 0;
    for (unsigned i = 0; i < plan->n_requests; i++) {
        const PlannedRequest *planned = &plan->requests[i];
        const WorkloadRequest *request = &plan->workload->requests[planned->request];
        unsigned first = n;
        for (const OptionSpec *spec = request->extractor->options; spec->name; spec++) {
            if (!option_counts(planned->feature, spec))
                continue;
            query->options[n] = option_value(request->options, spec);
            query->option_list[n] = &query->options[n];
            n++;
        }
        query->requests[i] = (VmafBackendRequest){
            .struct_size = sizeof(VmafBackendRequest),
            .id = i,
            .feature = planned->feature->spec.name,
            .n_options = n - first,
            .options = &query->option_list[first],
        };
        query->request_list[i] = &query->requests[i];
    }
    return 0;
}

static int ask(BackendPlan *plan, BackendDevice *device, const Query *query,
               unsigned frames_in_flight, Reason *why)
{
    const VmafBackendPlanParams params = {
        .struct_size = sizeof(params),
        .width = plan->format.w[0],
        .height = plan->format.h[0],
        .depth = plan->format.bpc,
        .pixel_format = backend_pixel_format(plan->format.pix_fmt),
        .frames_in_flight = frames_in_flight,
        .n_requests = plan->n_requests,
        .requests = query->request_list,
    };
    GUARDED(VmafBackendReason) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    if (backend_device_is_abandoned(device))
        return reason_set(why, -EIO, "it hangs in another call");
    PluginGuard guard = plugin_enter();
    int32_t result = plan->plugin->api.plan_create(backend_device_handle(device), &params,
                                                   &plan->handle, &guarded.value);
    plugin_leave(&guard);
    if (result != VMAF_BACKEND_OK)
        plan->handle = NULL;
    if (!guard_holds(guarded.guard))
        return reason_set(why, -EIO, "plan_create writes beyond its reason");
    if (plan->handle)
        return 0;
    foreign_text(why->text, sizeof(why->text), guarded.value.text, sizeof(guarded.value.text));
    if (!why->text[0])
        reason_set(why, 0, "plan_create failed (%d)", (int)result);
    return result == VMAF_BACKEND_OK ? -EIO : plugin_error(result);
}

/* ---- what it answers ---- */

static unsigned planes_of(const BackendPlan *plan)
{
    unsigned planes = 0;
    for (unsigned i = 0; i < plan->n_requests; i++) {
        const WorkloadRequest *request = &plan->workload->requests[plan->requests[i].request];
        planes |=
            extractor_needs(request->extractor, request->options, plan->format.pix_fmt).planes;
    }
    return planes;
}

static int read_info(BackendPlan *plan, unsigned frames_in_flight, Reason *why)
{
    GUARDED(VmafBackendPlanInfo) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    PluginGuard guard = plugin_enter();
    int32_t result = plan->plugin->api.plan_info(plan->handle, &guarded.value);
    plugin_leave(&guard);
    const VmafBackendPlanInfo info = guarded.value;
    if (!guard_holds(guarded.guard))
        return reason_set(why, -EIO, "plan_info writes beyond its result");
    if (result)
        return reason_set(why, plugin_error(result), "plan_info failed (%d)", (int)result);
    if (!info.slots)
        return reason_set(why, -EIO, "its plan has no slots");
    if (info.planes & ~planes_of(plan))
        return reason_set(why, -EIO, "its plan reads planes that the features do not have");
    plan->slots = info.slots < BACKEND_SLOTS_MAX ? info.slots : BACKEND_SLOTS_MAX;
    if (plan->slots > frames_in_flight)
        plan->slots = frames_in_flight;
    plan->planes = info.planes;
    return 0;
}

static int map_outputs(PlannedRequest *planned, const FeatureExtractor *extractor)
{
    const bool own = own_feature_of(extractor);
    while (extractor->outputs[planned->n_outputs].name)
        planned->n_outputs++;
    planned->outputs = calloc(planned->feature->spec.n_outputs + 1, sizeof(*planned->outputs));
    if (!planned->outputs)
        return -ENOMEM;
    for (unsigned i = 0; i < planned->feature->spec.n_outputs; i++) {
        planned->outputs[i] = own ? (int)i : -1;
        for (unsigned o = 0; !own && o < planned->n_outputs; o++) {
            if (!strcmp(extractor->outputs[o].name, planned->feature->outputs[i]))
                planned->outputs[i] = (int)o;
        }
    }
    return 0;
}

static void decline(BackendCoverage *coverage, const char *text)
{
    coverage->placement = VMAF_PLACEMENT_DECLINED;
    reason_set(&coverage->why, 0, "%s", text);
}

static int read_answer(BackendPlan *plan, unsigned place, BackendCoverage *coverage, Reason *why)
{
    PlannedRequest *planned = &plan->requests[place];
    const WorkloadRequest *request = &plan->workload->requests[planned->request];
    const VmafBackendFeature *spec = &planned->feature->spec;
    GUARDED(VmafBackendAnswer) guarded = {.value = {.struct_size = sizeof(guarded.value)}};
    guard_set(guarded.guard);
    PluginGuard guard = plugin_enter();
    int32_t result = plan->plugin->api.plan_answer(plan->handle, place, &guarded.value);
    plugin_leave(&guard);
    const VmafBackendAnswer answer = guarded.value;
    if (!guard_holds(guarded.guard))
        return reason_set(why, -EIO, "plan_answer writes beyond its result");
    if (result)
        return reason_set(why, plugin_error(result), "plan_answer failed (%d)", (int)result);
    if (!answer.accepted) {
        char text[VMAF_BACKEND_TEXT_SIZE];
        foreign_text(text, sizeof(text), answer.reason, sizeof(answer.reason));
        decline(coverage, text);
        return 0;
    }

    bool scores = spec->record_kind == VMAF_BACKEND_RECORD_SCORES;
    uint64_t size =
        scores ? spec->n_outputs * sizeof(double)
               : extractor_record_size(request->extractor, request->options, &plan->format);
    uint32_t count = scores ? spec->n_outputs : 1;
    if (answer.record_kind != spec->record_kind || answer.record_version != spec->record_version ||
        answer.record_size != size || answer.count != count) {
        decline(coverage, "its answer is a record of another kind than it declares");
        return 0;
    }
    planned->accepted = true;
    planned->size = (size_t)size;
    return scores ? map_outputs(planned, request->extractor) : 0;
}

static int collect_requests(BackendPlan *plan, const BackendCoverage coverage[])
{
    plan->requests = calloc(plan->workload->n_requests + 1, sizeof(*plan->requests));
    if (!plan->requests)
        return -ENOMEM;
    for (unsigned r = 0; r < plan->workload->n_requests && plan->n_requests < REQUESTS_LIMIT; r++) {
        if (coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        plan->requests[plan->n_requests++] = (PlannedRequest){
            .request = r,
            .feature = feature_of(plan->plugin, plan->workload->requests[r].extractor),
        };
    }
    return 0;
}

int backend_plan_create(BackendPlan *plan, BackendDevice *device,
                        const BackendSessionParams *params, const PictureFormat *format,
                        BackendCoverage coverage[], BackendAvailability *availability)
{
    Query query = {0};
    TRACE_SCOPE(TRACE_BACKEND, "plan");
    *plan = (BackendPlan){
        .plugin = backend_device_plugin(device),
        .device = device,
        .workload = params->workload,
        .format = *format,
    };
    int err = collect_requests(plan, coverage);
    if (err || !plan->n_requests)
        goto done;
    err = query_create(&query, plan);
    if (!err)
        err = ask(plan, device, &query, params->frames_in_flight, &availability->why);
    if (!err)
        err = read_info(plan, params->frames_in_flight, &availability->why);
    for (unsigned i = 0; i < plan->n_requests && !err; i++)
        err = read_answer(plan, i, &coverage[plan->requests[i].request], &availability->why);

done:
    query_free(&query);
    if (err) {
        backend_availability_fail(availability, err);
        backend_plan_destroy(plan);
    }
    return err;
}

void backend_plan_destroy(BackendPlan *plan)
{
    if (plan->handle && !backend_device_is_abandoned(plan->device)) {
        PluginGuard guard = plugin_enter();
        plan->plugin->api.plan_destroy(plan->handle);
        plugin_leave(&guard);
    }
    for (unsigned i = 0; i < plan->n_requests; i++)
        free(plan->requests[i].outputs);
    free(plan->requests);
    *plan = (BackendPlan){0};
}
