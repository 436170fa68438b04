/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A context from its creation to its start, and its end. */
#include "engine/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/backend_manager.h"
#include "engine/scores.h"
#include "metrics/framework/extractor.h"
#include "platform/process.h"
#include "report/report.h"
#include "support/cpu.h"

int context_create(VmafContext **created, VmafConfiguration cfg)
{
    VmafContext *context = calloc(1, sizeof(*context));
    if (!context)
        return -ENOMEM;
    context->cfg = cfg;
    if (cfg.n_threads > CONTEXT_THREADS_MAX)
        context->cfg.n_threads = CONTEXT_THREADS_MAX;
    context->logger.level = cfg.log_level;
    atomic_init(&context->error, 0);
    feature_set_init(&context->features, &context->logger);
    vmaf_mutex_init(&context->positions_lock);
    series_init(&context->positions);
    int err = collector_init(&context->collector, &context->logger);
    if (err)
        goto fail;
    err = backend_manager_create(&context->manager, &context->logger, cfg.gpumask != 0,
                                 &context->error);
    if (err)
        goto fail_manager;
    log_set_process_level(cfg.log_level);
    context->trace = trace_context_begin(&context->logger);
    *created = context;
    return 0;

fail_manager:
    collector_destroy(&context->collector);
fail:
    vmaf_mutex_destroy(&context->positions_lock);
    free(context);
    return err;
}

/* The process was forked from the one that has the threads or the device: locks that they hold stay
 * locked for ever. */
bool context_is_inherited(const VmafContext *context)
{
    return backend_manager_is_foreign(context->manager) ||
           (context->started && context->cfg.n_threads && context->process != vmaf_process_id());
}

static void destroy(VmafContext *context)
{
    TRACE_CALL(context->trace, "close");
    backend_manager_close(context->manager);
    cpu_client_destroy(context->cpu);
    frame_queue_destroy(context->queue);
    backend_manager_unref(context->manager);
    context_forget_pictures(context);
    record_keeping_clear(&context->records);
    work_list_destroy(&context->work);
    series_clear(&context->positions);
    vmaf_mutex_destroy(&context->positions_lock);
    picture_pool_close(context->pool);
    feature_set_destroy(&context->features);
    collector_destroy(&context->collector);
    if (context->attachment_destroy)
        context->attachment_destroy(context->attachment);
    free(context);
}

void context_destroy(VmafContext *context)
{
    if (context_is_inherited(context))
        return;
    if (context->group) {
        group_keep(context);
        return;
    }
    TraceContext *trace = context->trace;
    const Logger logger = context->logger;
    destroy(context);
    if (trace_context_end(trace)) /* it was the last */
        trace_write(&logger);
}

int context_use_extractor(VmafContext *context, const FeatureExtractor *extractor,
                          const Dictionary *dict, bool is_explicit)
{
    Reason why = {{0}};
    int err =
        context->started || context->flushed
            ? reason_set(&why, -EINVAL, "features must be registered before the first picture")
            : feature_set_add(&context->features, extractor, dict, is_explicit, &why);
    if (err)
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "feature extractor \"%s\": %s",
                    extractor->name, why.text[0] ? why.text : "out of memory");
    return err;
}

int context_use_model(VmafContext *context, const VmafModel *model)
{
    for (unsigned i = 0; i < model_feature_count(model); i++) {
        const char *name = model_feature_name(model, i);
        const FeatureExtractor *extractor = registry_find_provider(name);
        if (!extractor) {
            log_message(&context->logger, VMAF_LOG_LEVEL_ERROR,
                        "no feature extractor provides \"%s\", which model \"%s\" needs", name,
                        model_name(model));
            return -EINVAL;
        }
        int err = context_use_extractor(context, extractor, model_feature_options(model, i), false);
        if (err)
            return err;
    }
    return 0;
}

/* ---- backends ---- */

int context_check_open(const VmafContext *context)
{
    if (backend_manager_is_foreign(context->manager))
        return -ENODEV;
    return context->started || context->flushed ? -EBUSY : 0;
}

int context_backend_select(VmafContext *context, const char *name,
                           const BackendDeviceRequest *request)
{
    TRACE_CALL(context->trace, "select a backend", .detail = name);
    const int err = context_check_open(context);
    return err ? err : backend_manager_select(context->manager, name, request);
}

static int use_pinned(VmafContext *context, const char *name, const Dictionary *dict, Reason *why)
{
    if (context->started || context->flushed)
        return reason_set(why, -EINVAL, "features must be registered before the first picture");
    const FeatureExtractor *extractor;
    bool newly_chosen;
    int err = backend_manager_find_pinned(context->manager, name, &extractor, &newly_chosen, why);
    if (err)
        return err;
    err = feature_set_add_pinned(&context->features, extractor, dict, why);
    if (err && newly_chosen)
        backend_manager_unchoose(context->manager);
    return err;
}

int context_use_pinned(VmafContext *context, const char *name, const Dictionary *dict)
{
    if (backend_manager_is_foreign(context->manager))
        return -ENODEV;
    if (!backend_manager_is_pinned_name(name)) {
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "there is no feature extractor \"%s\"",
                    name);
        return -EINVAL;
    }
    Reason why = {{0}};
    const int err = use_pinned(context, name, dict, &why);
    if (err)
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "feature \"%s\": %s", name,
                    why.text[0] ? why.text : "out of memory");
    return err;
}

int context_import_picture(VmafContext *context, VmafPicture *pic, const PictureImport *import)
{
    if (backend_manager_is_foreign(context->manager))
        return -ENODEV;
    Reason why = {{0}};
    BackendDevice *device = backend_manager_device(context->manager);
    int err = device
                  ? picture_import(pic, device, import, &why)
                  : reason_set(&why, -ENOTSUP,
                               "no backend was chosen by name, so there is no device for pictures");
    if (!err)
        return 0;
    backend_manager_note_reason(context->manager, why.text);
    log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "a picture on a device: %s", why.text);
    return err;
}

void context_backend_status(VmafContext *context, VmafBackendStatus *status)
{
    backend_manager_status(context->manager, status);
    status->downloads = atomic_load(&context->n_downloads);
    if (!atomic_load(&context->started) || context->process != vmaf_process_id())
        return; /* no thread of a forked process unlocks the queue */
    const RunProgress progress = frame_queue_progress(context->queue);
    status->frames = progress.n_retired;
    status->frames_by_backend = progress.n_by_backend;
}

/* ---- the start ---- */

/* The first instance that a request serves. */
static const FeatureInstance *instance_of(const VmafContext *context, unsigned request)
{
    for (unsigned i = 0; i < context->features.count; i++) {
        if (context->features.instances[i]->request == (int)request)
            return context->features.instances[i];
    }
    return NULL;
}

static void describe_for_trace(const VmafContext *context)
{
    if (!context->trace)
        return;
    const WorkList *work = &context->work;
    char text[FEATURE_KEY_SIZE];
    snprintf(text, sizeof(text), "%ux%u, %s, %u bit, %u threads", work->format.w[0],
             work->format.h[0], picture_format_name(work->format.pix_fmt), work->format.bpc,
             context->cfg.n_threads);
    trace_context_describe(context->trace, text);
    for (unsigned r = 0; r < work->n_requests; r++) {
        const FeatureInstance *instance = instance_of(context, r);
        text[0] = '\0';
        if (instance)
            feature_instance_key(instance, instance->extractor->name, text);
        trace_context_add_request(context->trace, text);
    }
}

/* What threads that wait do if there are no workers. */
static bool help(void *cookie)
{
    VmafContext *context = cookie;
    return cpu_client_help(context->cpu);
}

/*
 * Frames that may be in work at a time: enough for every worker to find something. Of small ones
 * there are more, which are submitted several at a time: to wake the caller takes longer than to
 * score one of them.
 */
static unsigned queue_capacity(unsigned n_threads, unsigned together)
{
    return n_threads ? n_threads + 2 + 2 * (together - 1) : 1;
}

static unsigned frames_together(const PictureFormat *format)
{
    enum { TOGETHER_PIXELS = 128 * 1024, TOGETHER_MAX = 16 };
    const size_t pixels = (size_t)format->w[0] * format->h[0];
    if (pixels * TOGETHER_MAX < TOGETHER_PIXELS)
        return TOGETHER_MAX;
    return pixels < TOGETHER_PIXELS ? (unsigned)(TOGETHER_PIXELS / pixels) : 1;
}

/* The reasons of a backend are logged where it fails. */
static int fail(VmafContext *context, int err, const char *what, const Reason *why)
{
    if (why->text[0])
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "%s", why->text);
    else
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "%s: out of memory",
                    what ? what : "could not start");
    return err;
}

static int keep_records(VmafContext *context)
{
    RecordKeeping *records = &context->records;
    int err = records->keep ? record_layout_create(&records->layout, &context->work) : 0;
    if (!err && records->keep) {
        records->data = malloc(records->layout.n_bytes + 1);
        err = records->data ? 0 : -ENOMEM;
    }
    return err;
}

static int start_stream(VmafContext *context, const PictureFormat *format)
{
    const unsigned n_threads = context->cfg.n_threads, together = frames_together(format);
    const char *failed_extractor = NULL;
    Reason why = {{0}};
    int err = work_list_create(&context->work, &context->features, format,
                               cpu_flags(context->cfg.cpumask), &failed_extractor, &why);
    if (!err)
        err = frame_queue_create(&context->queue, &context->work,
                                 queue_capacity(n_threads, together), finish_frame, context);
    if (err)
        return fail(context, err, failed_extractor, &why);
    frame_queue_count_downloads(context->queue, &context->n_downloads);
    frame_queue_set_together(context->queue, n_threads ? together : 1);
    context->process = vmaf_process_id();
    context->width = format->w[0];
    context->height = format->h[0];
    still_frames_start(&context->still, &context->work);
    describe_for_trace(context);
    return 0;
}

static int start_cpu(VmafContext *context, const RequestMask *requests, unsigned flags)
{
    if (context->group_workers)
        return cpu_client_join(&context->cpu, context->group_workers, &context->work,
                               context->queue, requests, flags);
    return cpu_client_create(&context->cpu, &context->work, context->queue, requests,
                             context->cfg.n_threads);
}

/* Opens the session of a chosen backend. Stored frames that were read go on with pictures of the
 * same kind: a feature is finished by a backend from the first frame on, or never. */
static int start_backend(VmafContext *context, unsigned flags, RequestMask *for_cpu)
{
    WorkList *work = &context->work;
    bool had_scores[REQUESTS_MAX];
    for (unsigned r = 0; r < work->n_requests; r++) {
        had_scores[r] = work->requests[r].scores;
        work->requests[r].scores = false;
    }
    const int err = backend_manager_start(context->manager, work, flags, for_cpu);
    if (err) {
        log_message(&context->logger, VMAF_LOG_LEVEL_DEBUG, "no backend: nothing is scored");
        return err;
    }
    for (unsigned r = 0; r < work->n_requests && context->n_frames; r++) {
        Reason why;
        const char *name = work->units[work->requests[r].unit].extractor->name;
        if (had_scores[r] != work->requests[r].scores)
            return fail(context,
                        reason_set(&why, -EINVAL, "%s: stored frames were finished %s a backend",
                                   name, had_scores[r] ? "by" : "without"),
                        NULL, &why);
    }
    return 0;
}

static int start_executors(VmafContext *context)
{
    const unsigned n_threads = context->cfg.n_threads, flags = cpu_flags(context->cfg.cpumask);
    const unsigned capacity = queue_capacity(n_threads, frames_together(&context->work.format));
    const Reason no_memory = {{0}};
    RequestMask for_cpu;
    int err = start_backend(context, flags, &for_cpu);
    if (err)
        return err;
    err = keep_records(context);
    if (!err)
        err = start_cpu(context, &for_cpu, flags);
    if (!err && !n_threads)
        frame_queue_set_help(context->queue, help, context);
    if (!err)
        err = backend_manager_join(context->manager, context->queue, context->cpu, capacity,
                                   n_threads);
    return err ? fail(context, err, NULL, &no_memory) : 0;
}

static void undo(VmafContext *context)
{
    cpu_client_destroy(context->cpu);
    context->cpu = NULL;
    if (context->started)
        return;
    frame_queue_destroy(context->queue);
    work_list_destroy(&context->work);
    context->queue = NULL;
}

int context_start(VmafContext *context, const PictureFormat *format, bool executors)
{
    int err = context->started ? 0 : start_stream(context, format);
    if (!err && executors && !context->cpu)
        err = start_executors(context);
    if (err) {
        undo(context);
        atomic_store(&context->error, err);
        return err;
    }
    context->started = true;
    return 0;
}
