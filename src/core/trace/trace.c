/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trace/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/process.h"
#include "platform/text.h"
#include "platform/time.h"
#include "trace/nvtx.h"
#include "trace/recording.h"

enum { TRACE_TO_FILE = 1, TRACE_TO_NVTX = 2 };

atomic_uint trace_sinks;
static _Atomic(Recording *) current; /* after a fork that of the parent, until there is another */
static _Thread_local TraceThread *mine;

static bool to(unsigned sink)
{
    return atomic_load_explicit(&trace_sinks, memory_order_relaxed) & sink;
}

/* Most threads of short runs need no more than the first. */
enum { FIRST_CHUNK = 64, LARGEST_CHUNK = 4096 };

/* ---- the recording ---- */

/* The path, with %p replaced. To be freed; NULL: no memory. */
static char *expand(const char *pattern)
{
    size_t n_numbers = 0;
    for (const char *at = pattern; (at = strstr(at, "%p")); at += 2)
        n_numbers++;
    char number[16];
    snprintf(number, sizeof(number), "%d", vmaf_process_id());
    char *path = malloc(strlen(pattern) + n_numbers * sizeof(number) + 1);
    char *end = path;
    for (const char *at = pattern; path && *at;) {
        if (at[0] == '%' && at[1] == 'p') {
            end = stpcpy(end, number);
            at += 2;
        } else {
            *end++ = *at++;
        }
    }
    if (path)
        *end = '\0';
    return path;
}

/* `pattern` is a path in which %p stands for the number of the process; NULL: none. NULL: no
 * memory. */
static Recording *recording_create(const char *pattern)
{
    Recording *recording = calloc(1, sizeof(*recording));
    if (!recording)
        return NULL;
    recording->process = vmaf_process_id();
    recording->path = pattern ? expand(pattern) : NULL;
    atomic_init(&recording->n_events, 0);
    if ((pattern && !recording->path) || vmaf_mutex_init(&recording->lock)) {
        free(recording->path);
        free(recording);
        return NULL;
    }
    return recording;
}

/* Destroys a recording that has no contexts, threads or texts. */
static void recording_destroy(Recording *recording)
{
    vmaf_mutex_destroy(&recording->lock);
    free(recording->path);
    free(recording);
}

/* One that has ended and has room left: there may be many more threads than at a time. */
static TraceThread *find_ended(Recording *recording)
{
    vmaf_mutex_lock(&recording->lock);
    TraceThread *thread = recording->threads;
    while (thread && (!thread->ended || thread->n_events > RECORDING_THREAD_EVENTS / 2))
        thread = thread->next;
    if (thread)
        thread->ended = false;
    vmaf_mutex_unlock(&recording->lock);
    return thread;
}

/* NULL: no memory. */
static TraceThread *recording_add_thread(Recording *recording)
{
    TraceThread *ended = find_ended(recording);
    if (ended)
        return ended;
    TraceThread *thread = calloc(1, sizeof(*thread));
    if (!thread || vmaf_mutex_init(&thread->lock)) {
        free(thread);
        return NULL;
    }
    thread->recording = recording;
    vmaf_mutex_lock(&recording->lock);
    thread->next = recording->threads;
    recording->threads = thread;
    vmaf_mutex_unlock(&recording->lock);
    return thread;
}

/* Rows of callers are found by the thread, all others by their names. Locked. */
static TraceRow *find_row(const TraceContext *context, const TraceThread *thread, bool internal,
                          const char *name)
{
    TraceRow *row = context->rows;
    while (row && (row->internal != internal || row->busy ||
                   (internal ? strcmp(row->name, name) != 0 : row->thread != thread)))
        row = row->next;
    return row;
}

/* The row of a thread, or of the device of that name if it is NULL; made if there is none. Threads
 * of the library that follow each other may share one. */
static TraceRow *recording_row(TraceContext *context, const TraceThread *thread, bool internal,
                               const char *name)
{
    Recording *recording = context->recording;
    vmaf_mutex_lock(&recording->lock);
    TraceRow *row = find_row(context, thread, internal, name);
    if (!row && (row = calloc(1, sizeof(*row)))) {
        row->context = context;
        row->thread = thread;
        row->internal = internal;
        row->number = ++recording->n_rows;
        if (thread && !internal && ++context->n_callers > 1)
            snprintf(row->name, sizeof(row->name), "%s %u", name, context->n_callers);
        else
            snprintf(row->name, sizeof(row->name), "%s", name);
        row->next = context->rows;
        context->rows = row;
    }
    if (row)
        row->busy = internal && thread;
    vmaf_mutex_unlock(&recording->lock);
    return row;
}

/* ---- events ---- */

/* Makes room for one; false: there is none. Locked. */
static bool make_room(TraceThread *thread)
{
    TraceChunk *last = thread->last;
    if (last && last->count < last->capacity)
        return true;
    unsigned capacity = last ? 2 * last->capacity : FIRST_CHUNK;
    if (capacity > LARGEST_CHUNK)
        capacity = LARGEST_CHUNK;
    if (capacity > RECORDING_THREAD_EVENTS - thread->n_events)
        capacity = RECORDING_THREAD_EVENTS - thread->n_events;
    atomic_uint *total = &thread->recording->n_events;
    if (!capacity)
        return false;
    TraceChunk *chunk = NULL;
    if (atomic_fetch_add(total, capacity) + capacity <= RECORDING_EVENTS)
        chunk = malloc(sizeof(*chunk) + capacity * sizeof(chunk->events[0]));
    if (!chunk) {
        atomic_fetch_sub(total, capacity);
        return false;
    }
    chunk->next = NULL;
    chunk->count = 0;
    chunk->capacity = capacity;
    if (last)
        last->next = chunk;
    else
        thread->first = chunk;
    thread->last = chunk;
    return true;
}

/* Locked. */
static void append(TraceThread *thread, const TraceEvent *event)
{
    if (make_room(thread)) {
        thread->last->events[thread->last->count++] = *event;
        thread->n_events++;
    } else {
        thread->n_dropped++;
    }
}

static void recording_add(TraceThread *thread, const TraceEvent *event)
{
    vmaf_mutex_lock(&thread->lock);
    append(thread, event);
    vmaf_mutex_unlock(&thread->lock);
}

/* To be called by the thread itself. */
static void recording_open(TraceThread *thread, const TraceEvent *event)
{
    vmaf_mutex_lock(&thread->lock);
    if (thread->depth < TRACE_DEPTH)
        thread->open[thread->depth] = *event;
    thread->depth++;
    vmaf_mutex_unlock(&thread->lock);
}

/* To be called by the thread itself. */
static void recording_close(TraceThread *thread, int64_t now)
{
    vmaf_mutex_lock(&thread->lock);
    if (--thread->depth < TRACE_DEPTH) {
        TraceEvent *event = &thread->open[thread->depth];
        event->duration = now - event->begin;
        append(thread, event);
    } else {
        thread->n_dropped++;
    }
    vmaf_mutex_unlock(&thread->lock);
}

void recording_read(TraceThread *thread, int64_t now,
                    void (*event)(void *cookie, const TraceEvent *event), void *cookie)
{
    vmaf_mutex_lock(&thread->lock);
    for (const TraceChunk *chunk = thread->first; chunk; chunk = chunk->next) {
        for (unsigned i = 0; i < chunk->count; i++)
            event(cookie, &chunk->events[i]);
    }
    for (unsigned i = 0; i < thread->depth && i < TRACE_DEPTH; i++) {
        TraceEvent open = thread->open[i];
        open.duration = now - open.begin;
        open.unfinished = true;
        event(cookie, &open);
    }
    vmaf_mutex_unlock(&thread->lock);
}

/* ---- contexts ---- */

Recording *recording_of_process(void)
{
    Recording *recording = atomic_load(&current);
    return recording && recording->process == vmaf_process_id() ? recording : NULL;
}

static const char *setting(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

/* The first context of a process decides who listens in it. */
static Recording *begin_recording(const Logger *logger)
{
    Recording *before = atomic_load(&current);
    const char *path = setting("VMAF_TRACE"), *library = setting("NVTX_INJECTION64_PATH");
    const bool to_nvtx = library && nvtx_load(library, logger);
    const unsigned sinks = (path ? TRACE_TO_FILE : 0) | (to_nvtx ? TRACE_TO_NVTX : 0);
    Recording *created = sinks ? recording_create(path) : NULL;
    if (!created) {
        if (before) /* what a fork has left */
            atomic_store(&trace_sinks, 0);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&current, &before, created)) {
        recording_destroy(created);
        return before;
    }
    atomic_store(&trace_sinks, sinks);
    return created;
}

TraceContext *trace_context_begin(const Logger *logger)
{
    Recording *recording = recording_of_process();
    if (!recording)
        recording = begin_recording(logger);
    TraceContext *context = recording ? calloc(1, sizeof(*context)) : NULL;
    if (!context)
        return NULL;
    context->recording = recording;
    context->begin = vmaf_steady_ns();
    vmaf_mutex_lock(&recording->lock);
    context->number = ++recording->n_contexts;
    recording->n_open++;
    context->next = recording->contexts;
    recording->contexts = context;
    vmaf_mutex_unlock(&recording->lock);
    return context;
}

static bool is_foreign(const TraceContext *context)
{
    return !context || context->recording != recording_of_process();
}

bool trace_context_end(TraceContext *context)
{
    if (is_foreign(context))
        return false;
    Recording *recording = context->recording;
    vmaf_mutex_lock(&recording->lock);
    const bool last = --recording->n_open == 0;
    vmaf_mutex_unlock(&recording->lock);
    return last && recording->path;
}

void trace_context_describe(TraceContext *context, const char *text)
{
    if (is_foreign(context))
        return;
    vmaf_mutex_lock(&context->recording->lock);
    snprintf(context->text, sizeof(context->text), "%s", text);
    vmaf_mutex_unlock(&context->recording->lock);
}

void trace_context_add_request(TraceContext *context, const char *name)
{
    if (is_foreign(context))
        return;
    vmaf_mutex_lock(&context->recording->lock);
    char **moved =
        reallocarray(context->requests, context->n_requests + 1, sizeof(*context->requests));
    if (moved) {
        context->requests = moved;
        context->requests[context->n_requests++] = strdup(name); /* NULL: it has no name */
    }
    vmaf_mutex_unlock(&context->recording->lock);
}

/* ---- threads ---- */

/* What the thread has recorded, if it may record; NULL if not. */
static TraceThread *this_thread(void)
{
    if (mine && mine->recording == atomic_load(&current))
        return mine;
    Recording *recording = recording_of_process();
    mine = recording ? recording_add_thread(recording) : NULL;
    return mine;
}

/* The thread if it is at work for a context; else NULL. */
static TraceThread *working_thread(void)
{
    return mine && mine->row && mine->recording == atomic_load(&current) ? mine : NULL;
}

/* From now on the thread works for the context. */
static TraceRow *switch_row(TraceThread *thread, TraceContext *context, bool internal,
                            const char *name)
{
    if (thread->latest && thread->latest->context == context)
        return thread->latest;
    TraceRow *row = is_foreign(context) ? NULL : recording_row(context, thread, internal, name);
    if (row && to(TRACE_TO_NVTX))
        nvtx_name_thread(row->name);
    thread->latest = row;
    return row;
}

TraceContext *trace_here(void)
{
    const TraceThread *thread = trace_is_on() ? working_thread() : NULL;
    return thread ? thread->row->context : NULL;
}

bool trace_thread_begin(TraceContext *context, const char *format, ...)
{
    if (!context)
        return false;
    char name[TRACE_NAME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof(name), format, arguments);
    va_end(arguments);
    TraceThread *thread = this_thread();
    if (thread)
        thread->row = switch_row(thread, context, true, name);
    return thread != NULL;
}

void trace_thread_end(void)
{
    vmaf_mutex_lock(&mine->recording->lock);
    if (mine->row)
        mine->row->busy = false;
    mine->row = mine->latest = NULL;
    mine->ended = true;
    vmaf_mutex_unlock(&mine->recording->lock);
    mine = NULL;
}

/* ---- spans ---- */

static TraceEvent event_of(const TraceSpan *span, const TraceRow *row)
{
    TraceEvent event = {
        .begin = vmaf_steady_ns(),
        .name = span->name,
        .row = row,
        .category = span->category,
        .of_frame = span->of_frame,
        .frame = span->frame,
        .has_requests = span->requests != NULL,
    };
    if (span->requests)
        memcpy(event.requests, span->requests, sizeof(event.requests));
    if (span->detail && to(TRACE_TO_FILE))
        event.detail = strdup(span->detail);
    return event;
}

static void open_span(TraceThread *thread, const TraceSpan *span)
{
    const TraceEvent event = event_of(span, thread->row);
    if (to(TRACE_TO_FILE))
        recording_open(thread, &event);
    if (to(TRACE_TO_NVTX))
        nvtx_push(span);
}

bool trace_open(const TraceSpan *span)
{
    TraceThread *thread = working_thread();
    if (thread)
        open_span(thread, span);
    return thread != NULL;
}

void trace_close(void)
{
    if (to(TRACE_TO_NVTX))
        nvtx_pop();
    if (to(TRACE_TO_FILE))
        recording_close(mine, vmaf_steady_ns());
}

/* The time since the last call, which is the application's. */
static void note_application(TraceThread *thread)
{
    TraceRow *row = thread->row;
    const int64_t now = vmaf_steady_ns();
    const TraceEvent event = {
        .begin = row->left,
        .duration = now - row->left,
        .name = "application",
        .category = TRACE_APPLICATION,
        .row = row,
    };
    if (row->left && !row->internal && to(TRACE_TO_FILE))
        recording_add(thread, &event);
}

bool trace_enter(TraceContext *context, const TraceSpan *span)
{
    TraceThread *thread = context ? this_thread() : NULL;
    if (!thread || context->recording != thread->recording || thread->n_calls == TRACE_DEPTH)
        return false;
    TraceRow *outside = thread->row, *row = outside;
    if (!row || row->context != context)
        row = switch_row(thread, context, false, "application");
    if (!row)
        return false;
    thread->outside[thread->n_calls++] = outside;
    thread->row = row;
    if (row != outside)
        note_application(thread);
    open_span(thread, span);
    return true;
}

void trace_leave(void)
{
    TraceThread *thread = mine;
    TraceRow *row = thread->row;
    trace_close();
    thread->row = thread->outside[--thread->n_calls];
    if (thread->row != row)
        row->left = vmaf_steady_ns();
}

/* ---- frames ---- */

TraceFrame trace_frame_started(unsigned index)
{
    if (!working_thread())
        return (TraceFrame){0};
    return (TraceFrame){vmaf_steady_ns(), to(TRACE_TO_NVTX) ? nvtx_start(index) : 0};
}

void trace_frame_ended(const TraceFrame *frame, const TraceFrameEnd *end)
{
    if (to(TRACE_TO_NVTX))
        nvtx_end(frame->range);
    TraceThread *thread = working_thread();
    if (!thread || !to(TRACE_TO_FILE))
        return;
    TraceEvent event = {
        .begin = frame->begin,
        .duration = vmaf_steady_ns() - frame->begin,
        .name = end->backend,
        .row = thread->row,
        .position = end->position,
        .category = TRACE_FRAME,
        .of_frame = true,
        .frame = end->index,
        .has_requests = true,
        .unfinished = end->dropped,
    };
    memcpy(event.requests, end->requests, sizeof(event.requests));
    recording_add(thread, &event);
}

/* ---- devices ---- */

bool trace_wants_device_times(void)
{
    return to(TRACE_TO_FILE);
}

TraceRow *trace_device_row(const char *name)
{
    const TraceThread *thread = working_thread();
    return thread && to(TRACE_TO_FILE) ? recording_row(thread->row->context, NULL, true, name)
                                       : NULL;
}

const char *trace_keep(const char *text)
{
    Recording *recording = recording_of_process();
    if (!recording)
        return NULL;
    const size_t size = strlen(text) + 1;
    vmaf_mutex_lock(&recording->lock);
    TraceText *kept = recording->texts;
    while (kept && strcmp(kept->text, text) != 0)
        kept = kept->next;
    if (!kept && (kept = malloc(sizeof(*kept) + size))) {
        memcpy(kept->text, text, size);
        kept->next = recording->texts;
        recording->texts = kept;
    }
    vmaf_mutex_unlock(&recording->lock);
    return kept ? kept->text : NULL;
}

void trace_device_span(TraceRow *row, const char *name, int64_t begin, int64_t duration)
{
    TraceThread *thread = working_thread();
    if (!row || !thread || !name)
        return;
    TraceEvent event = {
        .begin = begin,
        .duration = duration,
        .name = name,
        .row = row,
        .category = TRACE_DEVICE,
    };
    if (thread->depth && thread->depth <= TRACE_DEPTH) {
        const TraceEvent *around = &thread->open[thread->depth - 1];
        event.of_frame = around->of_frame;
        event.frame = around->frame;
    }
    recording_add(thread, &event);
}
