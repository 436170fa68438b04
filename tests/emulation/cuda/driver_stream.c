/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Streams and events: what is put on them, and in what order it may run. */
#include "driver_stream.h"

#include <stdlib.h>

static CudaStream streams;
static CudaEvent events;

CudaStream driver_streams(void)
{
    return streams;
}

CudaStream driver_create_stream(CudaContext context, unsigned flags, int priority)
{
    CudaStream stream = calloc(1, sizeof(*stream));
    stream->magic = DRIVER_ALIVE;
    stream->next = streams;
    stream->context = context;
    stream->id = (unsigned)++driver.serial;
    stream->flags = flags;
    stream->priority = priority;
    stream->is_legacy = context->legacy == NULL;
    stream->last = &stream->first;
    streams = stream;
    return stream;
}

CudaStream driver_stream(CudaContext context, CudaStream handle, CudaResult *result)
{
    *result = CUDA_SUCCESS;
    if (!handle || handle == CUDA_STREAM_LEGACY || handle == CUDA_STREAM_PER_THREAD) {
        machine_note(" stream=0");
        return context->legacy;
    }
    if (handle->magic == DRIVER_ALIVE && handle->context == context) {
        machine_note(" stream=%u", handle->id);
        return handle;
    }
    *result =
        handle->magic == DRIVER_ALIVE ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_HANDLE;
    machine_complain("a stream that %s is used", handle->magic == DRIVER_ALIVE
                                                     ? "belongs to another context"
                                                     : "was destroyed");
    return NULL;
}

void driver_drop_streams(CudaContext context)
{
    for (CudaStream stream = streams; stream; stream = stream->next) {
        if (stream->context == context)
            stream->magic = DRIVER_DEAD;
    }
    for (CudaEvent event = events; event; event = event->next) {
        if (event->context == context)
            event->magic = DRIVER_DEAD;
    }
    context->legacy = NULL;
}

/* -- putting commands on them -- */

void driver_free_command(Command *command)
{
    if (command->kind == COMMAND_COPY)
        driver_free_copy(&command->copy);
    if (command->kind == COMMAND_KERNEL)
        driver_free_launch(&command->launch);
    free(command->after);
    free(command);
}

static void add_after(Command *command, Point point)
{
    if (!point.stream || driver_is_done(point))
        return;
    command->after = realloc(command->after, (command->n_after + 1) * sizeof(*command->after));
    command->after[command->n_after++] = point;
}

/* The legacy stream waits for all others that do not say otherwise, and they for it. */
static void add_legacy_order(Command *command, CudaStream stream)
{
    CudaContext context = stream->context;
    if (stream->flags & CUDA_STREAM_NON_BLOCKING)
        return;
    if (!stream->is_legacy) {
        add_after(command, (Point){context->legacy, context->legacy->enqueued});
        return;
    }
    for (CudaStream other = streams; other; other = other->next) {
        if (other != stream && other->context == context &&
            !(other->flags & CUDA_STREAM_NON_BLOCKING))
            add_after(command, (Point){other, other->enqueued});
    }
}

/* What the machine's file says about this piece of work. */
static int decide_fate(const Command *command)
{
    const MachineFault *fault = machine_armed();
    if (command->kind == COMMAND_KERNEL) {
        const MachineFault *of_launch = machine_count("launch");
        fault = of_launch ? of_launch : fault;
    }
    if (!fault)
        return COMMAND_RUNS;
    switch (fault->kind) {
    case MACHINE_HANG:
        return COMMAND_HANGS;
    case MACHINE_ILLEGAL:
        return COMMAND_FAILS;
    case MACHINE_LOSE:
        driver_lose(command->context->device, fault->error);
        return COMMAND_RUNS;
    default:
        return COMMAND_RUNS;
    }
}

CudaResult driver_put(CudaStream stream, const Command *command, Point *point)
{
    Command *added = malloc(sizeof(*added));
    *added = *command;
    added->next = NULL;
    added->context = stream->context;
    added->after = NULL;
    added->n_after = 0;
    add_legacy_order(added, stream);
    added->position = ++stream->enqueued;
    added->fate = decide_fate(added);
    *stream->last = added;
    stream->last = &added->next;
    if (point)
        *point = (Point){stream, added->position};
    const CudaResult lost = driver_context_state(stream->context);
    if (lost) {
        driver_drop_work(stream->context);
        return lost;
    }
    driver_make_progress();
    return CUDA_SUCCESS;
}

CudaResult driver_put_wait(CudaStream stream, Point point)
{
    if (!point.stream || driver_is_done(point))
        return CUDA_SUCCESS;
    Command *added = calloc(1, sizeof(*added));
    added->context = stream->context;
    add_legacy_order(added, stream);
    add_after(added, point);
    added->position = ++stream->enqueued;
    *stream->last = added;
    stream->last = &added->next;
    return CUDA_SUCCESS;
}

CudaResult driver_put_record(CudaStream stream, CudaEvent event)
{
    const Command command = {.kind = COMMAND_RECORD, .event = event, .record = ++event->records};
    /* Before it is put there: the order may have it run at once. */
    event->point = (Point){stream, stream->enqueued + 1};
    return driver_put(stream, &command, NULL);
}

/* -- calls on streams -- */

static CudaResult create_stream(CudaContext context, CudaStream *stream, unsigned flags,
                                int priority)
{
    if (!stream || flags > CUDA_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    *stream = driver_create_stream(context, flags, priority);
    machine_note(" stream=%u", (*stream)->id);
    return CUDA_SUCCESS;
}

CudaResult cuStreamCreate(CudaStream *stream, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, create_stream(context, stream, flags, 0));
}

CudaResult cuStreamCreateWithPriority(CudaStream *stream, unsigned flags, int priority)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, create_stream(context, stream, flags, priority));
}

static CudaResult get_flags(CudaContext context, CudaStream handle, unsigned *flags)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && !flags)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream)
        *flags = stream->flags;
    return result;
}

CudaResult cuStreamGetFlags(CudaStream stream, unsigned *flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_flags(context, stream, flags));
}

static CudaResult get_priority(CudaContext context, CudaStream handle, int *priority)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && !priority)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream)
        *priority = stream->priority;
    return result;
}

CudaResult cuStreamGetPriority(CudaStream stream, int *priority)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_priority(context, stream, priority));
}

static CudaResult get_context(CudaContext context, CudaStream handle, CudaContext *found)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && !found)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream)
        *found = stream->context;
    return result;
}

CudaResult cuStreamGetCtx(CudaStream stream, CudaContext *found)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_context(context, stream, found));
}

/* What is on it still runs. */
static CudaResult destroy_stream(CudaContext context, CudaStream handle)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && stream->is_legacy)
        return CUDA_ERROR_INVALID_HANDLE;
    if (stream)
        stream->magic = DRIVER_DEAD;
    return result;
}

CudaResult cuStreamDestroy_v2(CudaStream stream)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, destroy_stream(context, stream));
}

/* Everything that was put on it so far; the legacy stream also stands for the blocking ones. */
static CudaResult end_of_stream(CudaContext context, CudaStream handle, Point *point)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && stream->is_legacy)
        result = driver_put(stream, &(Command){.kind = COMMAND_EMPTY}, point);
    else if (stream)
        *point = (Point){stream, stream->enqueued};
    return result;
}

static CudaResult synchronize_stream(CudaContext context, CudaStream handle)
{
    Point point;
    const CudaResult result = end_of_stream(context, handle, &point);
    return result == CUDA_SUCCESS ? driver_finish(context, point) : result;
}

CudaResult cuStreamSynchronize(CudaStream stream)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, synchronize_stream(context, stream));
}

static CudaResult query_stream(CudaContext context, CudaStream handle)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    return stream ? driver_poll(context, (Point){stream, stream->enqueued}) : result;
}

CudaResult cuStreamQuery(CudaStream stream)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, query_stream(context, stream));
}

static CudaResult call_host(CudaContext context, CudaStream handle, HostCall call)
{
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    const Command command = {.kind = COMMAND_CALL, .call = call};
    if (!call.callback && !call.function)
        return CUDA_ERROR_INVALID_VALUE;
    return stream ? driver_put(stream, &command, NULL) : result;
}

CudaResult cuStreamAddCallback(CudaStream stream, CudaStreamCallback callback, void *data,
                               unsigned flags)
{
    const HostCall call = {.callback = callback, .data = data};
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                flags ? CUDA_ERROR_INVALID_VALUE : call_host(context, stream, call));
}

CudaResult cuLaunchHostFunc(CudaStream stream, CudaHostFunction function, void *data)
{
    const HostCall call = {.function = function, .data = data};
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, call_host(context, stream, call));
}

/* -- events -- */

bool driver_is_event(CudaEvent event)
{
    if (event && event->magic == DRIVER_ALIVE)
        return true;
    machine_complain("an event that %s is used", event ? "was destroyed" : "is none");
    return false;
}

static CudaResult create_event(CudaContext context, CudaEvent *event, unsigned flags)
{
    if (!event || flags > 7 ||
        ((flags & CUDA_EVENT_INTERPROCESS) && !(flags & CUDA_EVENT_DISABLE_TIMING)))
        return CUDA_ERROR_INVALID_VALUE;
    *event = calloc(1, sizeof(**event));
    **event = (struct CUevent_st){.magic = DRIVER_ALIVE,
                                  .next = events,
                                  .context = context,
                                  .id = (unsigned)++driver.serial,
                                  .flags = flags};
    events = *event;
    machine_note(" event=%u", (*event)->id);
    return CUDA_SUCCESS;
}

CudaResult cuEventCreate(CudaEvent *event, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, create_event(context, event, flags));
}

/* What waits for it, or would record it, still does. */
static CudaResult destroy_event(CudaEvent event)
{
    if (!driver_is_event(event))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    event->magic = DRIVER_DEAD;
    return CUDA_SUCCESS;
}

CudaResult cuEventDestroy_v2(CudaEvent event)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, destroy_event(event));
}

static CudaResult record(CudaContext context, CudaEvent event, CudaStream handle)
{
    CudaResult result;
    if (!driver_is_event(event))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    CudaStream stream = driver_stream(context, handle, &result);
    if (stream && event->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    return stream ? driver_put_record(stream, event) : result;
}

CudaResult cuEventRecord(CudaEvent event, CudaStream stream)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, record(context, event, stream));
}

static CudaResult wait_event(CudaContext context, CudaStream handle, CudaEvent event)
{
    CudaResult result;
    if (!driver_is_event(event))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    CudaStream stream = driver_stream(context, handle, &result);
    return stream ? driver_put_wait(stream, event->point) : result;
}

CudaResult cuStreamWaitEvent(CudaStream stream, CudaEvent event, unsigned flags)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                flags > 1 ? CUDA_ERROR_INVALID_VALUE : wait_event(context, stream, event));
}

static CudaResult query_event(CudaEvent event)
{
    if (!driver_is_event(event))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    return driver_poll(event->context, event->point);
}

CudaResult cuEventQuery(CudaEvent event)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, query_event(event));
}

static CudaResult synchronize_event(CudaEvent event)
{
    if (!driver_is_event(event))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" event=%u", event->id);
    return driver_finish(event->context, event->point);
}

CudaResult cuEventSynchronize(CudaEvent event)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, synchronize_event(event));
}

static CudaResult elapsed(float *milliseconds, CudaEvent begin, CudaEvent end)
{
    if (!driver_is_event(begin) || !driver_is_event(end) || begin->context != end->context ||
        !begin->records || !end->records ||
        ((begin->flags | end->flags) & CUDA_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_done(begin->point) || !driver_is_done(end->point))
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)((double)(int64_t)(end->time_ns - begin->time_ns) / 1e6);
    return CUDA_SUCCESS;
}

CudaResult cuEventElapsedTime(float *milliseconds, CudaEvent begin, CudaEvent end)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, elapsed(milliseconds, begin, end));
}
