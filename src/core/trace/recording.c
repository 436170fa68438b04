/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trace/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/process.h"
#include "platform/time.h"

/* Most threads of short runs need no more than the first. */
enum { FIRST_CHUNK = 64, LARGEST_CHUNK = 4096 };

/* ---- the whole ---- */

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

Recording *recording_create(const char *pattern)
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

void recording_destroy(Recording *recording)
{
    vmaf_mutex_destroy(&recording->lock);
    free(recording->path);
    free(recording);
}

TraceContext *recording_add_context(Recording *recording)
{
    TraceContext *context = calloc(1, sizeof(*context));
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

void recording_release_thread(TraceThread *thread)
{
    vmaf_mutex_lock(&thread->recording->lock);
    if (thread->row)
        thread->row->busy = false;
    thread->row = thread->latest = NULL;
    thread->ended = true;
    vmaf_mutex_unlock(&thread->recording->lock);
}

TraceThread *recording_add_thread(Recording *recording)
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

TraceRow *recording_row(TraceContext *context, const TraceThread *thread, bool internal,
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

const char *recording_keep(Recording *recording, const char *text)
{
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

void recording_add(TraceThread *thread, const TraceEvent *event)
{
    vmaf_mutex_lock(&thread->lock);
    append(thread, event);
    vmaf_mutex_unlock(&thread->lock);
}

void recording_open(TraceThread *thread, const TraceEvent *event)
{
    vmaf_mutex_lock(&thread->lock);
    if (thread->depth < TRACE_DEPTH)
        thread->open[thread->depth] = *event;
    thread->depth++;
    vmaf_mutex_unlock(&thread->lock);
}

void recording_close(TraceThread *thread, int64_t now)
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
