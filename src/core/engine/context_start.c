/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/backend_manager.h"
#include "engine/context.h"
#include "engine/frame_queue.h"
#include "engine/scores.h"
#include "platform/process.h"
#include "report/report.h"
#include "support/cpu.h"

/* The first instance that a request serves. */
static const FeatureInstance *instance_of(const VmafContext *context, unsigned request)
{
    for (unsigned i = 0; i < context->features.count; i++) {
        if (context->features.instances[i]->request == (int)request)
            return context->features.instances[i];
    }
    return NULL;
}

void context_trace_describe(const VmafContext *context)
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

void context_trace_end(TraceContext *trace, const Logger *logger)
{
    if (trace_context_end(trace))
        trace_write(logger);
}

/* What threads that wait do if there are no workers. */
static bool help(void *cookie)
{
    VmafContext *context = cookie;
    return cpu_executor_help(context->cpu);
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
    context_trace_describe(context);
    return 0;
}

static int start_cpu(VmafContext *context, const RequestMask *requests, unsigned flags)
{
    if (context->team)
        return cpu_executor_create_in_team(&context->cpu, &context->work, context->queue, requests,
                                           context->team, flags);
    return cpu_executor_create(&context->cpu, &context->work, context->queue, requests,
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
                        refuse(&why, -EINVAL, "%s: stored frames were finished %s a backend", name,
                               had_scores[r] ? "by" : "without"),
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
    cpu_executor_destroy(context->cpu);
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
