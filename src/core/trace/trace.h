/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_TRACE_TRACE_H
#define CORE_TRACE_TRACE_H

/*
 * What the library does and when, for those who want to know where the time goes. Code marks what
 * it does, in one line, for two sinks, if the environment asks for them: a recording, which becomes
 * a Chrome trace (VMAF_TRACE), and the NVTX library of a profiler (NVTX_INJECTION64_PATH). Without
 * a sink, a line costs a load and a branch.
 *
 * A thread works for one context at a time, and has a row in that context's part of the trace. What
 * a thread does that works for none is not shown. All functions may be called by any thread; none
 * fails: what there is no memory for is missing from the trace, which has a note about that.
 *
 * Texts are copied, except names of spans, which live as long as the process.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "support/log.h"

typedef struct TraceContext TraceContext;

/* The sinks, TRACE_TO_*; 0: none. Read by trace_is_on alone. */
extern atomic_uint trace_sinks;

static inline bool trace_is_on(void)
{
    return __builtin_expect(atomic_load_explicit(&trace_sinks, memory_order_relaxed) != 0, 0);
}

/* ---- contexts ---- */

/* A context of the interface begins. NULL: there is no sink, or no memory; all functions accept
 * that. What is wrong with the environment is a warning. */
TraceContext *trace_context_begin(const Logger *logger);
/* The context ends; true if it was the last one of this process and the recording is to be
 * written. */
bool trace_context_end(TraceContext *context);
/* What it is about, such as the size of its pictures. */
void trace_context_describe(TraceContext *context, const char *text);
/* Requests have numbers: their names are added in that order. */
void trace_context_add_request(TraceContext *context, const char *name);

/* ---- threads ---- */

/* The context that the calling thread works for; NULL: none. Threads that it starts inherit it by
 * passing it on to TRACE_THREAD. */
TraceContext *trace_here(void);

bool trace_thread_begin(TraceContext *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void trace_thread_end(void);

static inline void trace_thread_scope_end(const bool *begun)
{
    if (__builtin_expect(*begun, 0))
        trace_thread_end();
}

/* The calling thread was started by the library, and works for that context until the function
 * returns that it began with. After the context come format and arguments of its name. */
#define TRACE_THREAD(context, ...)                                                                 \
    const bool trace_thread __attribute__((cleanup(trace_thread_scope_end), unused)) =             \
        trace_is_on() && trace_thread_begin(context, __VA_ARGS__)

/* ---- spans ---- */

typedef enum TraceCategory {
    TRACE_API,         /* a call of the interface */
    TRACE_APPLICATION, /* the time between two of them */
    TRACE_WORK,        /* scoring */
    TRACE_WAIT,
    TRACE_BACKEND, /* calls into a plugin, and what precedes and follows them */
    TRACE_DEVICE,  /* what a device has done */
    TRACE_FRAME,   /* the way of a frame from beginning to end */
} TraceCategory;

typedef struct TraceSpan {
    TraceCategory category;
    const char *name;
    bool of_frame;
    unsigned frame;           /* index */
    const uint64_t *requests; /* 4 words of a mask; NULL: not of requests */
    const char *detail;       /* NULL: none. Costs an allocation, so not for each frame. */
} TraceSpan;

/* Members of a span that is about a frame, or about some of its requests. */
#define TRACE_INDEX(index)           .of_frame = true, .frame = (index)
#define TRACE_REQUESTS(index, words) TRACE_INDEX(index), .requests = (words)

/* Spans of a thread are nested. False: it is not shown, and must not be closed. */
bool trace_open(const TraceSpan *span);
void trace_close(void);
/* The same for a call of the interface, for which the thread works for the context. */
bool trace_enter(TraceContext *context, const TraceSpan *span);
void trace_leave(void);

static inline void trace_close_scope(const bool *opened)
{
    if (__builtin_expect(*opened, 0))
        trace_close();
}

static inline void trace_leave_scope(const bool *entered)
{
    if (__builtin_expect(*entered, 0))
        trace_leave();
}

/* A span from here to the end of the block; after the name come members of TraceSpan. */
#define TRACE_SCOPE(kind, text, ...)                                                               \
    const bool trace_scope __attribute__((cleanup(trace_close_scope), unused)) =                   \
        trace_is_on() && trace_open(&(TraceSpan){.category = (kind), .name = (text), __VA_ARGS__})
#define TRACE_CALL(context, text, ...)                                                             \
    const bool trace_call __attribute__((cleanup(trace_leave_scope), unused)) =                    \
        trace_is_on() &&                                                                           \
        trace_enter(context, &(TraceSpan){.category = TRACE_API, .name = (text), __VA_ARGS__})

/* ---- frames ---- */

/* A frame on its way, which other threads may end. */
typedef struct TraceFrame {
    int64_t begin; /* steady clock, ns; 0: not shown */
    uint64_t range;
} TraceFrame;

/* What has become of a frame. */
typedef struct TraceFrameEnd {
    uint64_t position;
    unsigned index;
    const uint64_t *requests;
    const char *backend; /* that has computed a part of it, or NULL; lives as long as the process */
    bool dropped;        /* it was not scored */
} TraceFrameEnd;

TraceFrame trace_frame_started(unsigned index);
void trace_frame_ended(const TraceFrame *frame, const TraceFrameEnd *end);

static inline TraceFrame trace_frame_begin(unsigned index)
{
    return trace_is_on() ? trace_frame_started(index) : (TraceFrame){0};
}

static inline void trace_frame_end(const TraceFrame *frame, const TraceFrameEnd *end)
{
    if (__builtin_expect(frame->begin != 0, 0))
        trace_frame_ended(frame, end);
}

/* ---- devices ---- */

typedef struct TraceRow TraceRow;

/* Devices are worth asking for times: these are recorded. */
bool trace_wants_device_times(void);
/* The row of a device, of the context that the thread works for; NULL: none. */
TraceRow *trace_device_row(const char *name);
/* A copy of a name, which lives as long as the process; NULL: no memory. */
const char *trace_keep(const char *text);
/* Something that the device did, for the frame of the span that the thread is in. `begin` is a time
 * of the steady clock, in ns. */
void trace_device_span(TraceRow *row, const char *name, int64_t begin, int64_t duration);

#endif
