/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_TRACE_RECORDING_H
#define CORE_TRACE_RECORDING_H

/*
 * Everything that a process has traced, in memory: contexts, their rows, and what happened in them.
 * Each thread adds to a buffer of its own. What is recorded stays until the process ends, so that
 * the trace of a later context contains that of the earlier ones.
 *
 * A fork copies the recording, but it is not the child's: it has one of its own, or none.
 */

#include "platform/thread.h"
#include "trace/trace.h"

/* Newer events than these are dropped: about 10 MiB for a thread, and 80 MiB for all. */
enum { RECORDING_THREAD_EVENTS = 1 << 17, RECORDING_EVENTS = 1 << 20 };
enum { TRACE_REQUEST_WORDS = 4, TRACE_DEPTH = 16, TRACE_NAME_SIZE = 96 };

typedef struct TraceEvent {
    int64_t begin, duration; /* ns */
    const char *name;        /* of a frame: the backend that computed a part of it, or NULL */
    const char *detail;      /* or NULL; never freed */
    const TraceRow *row;
    uint64_t position; /* of a frame */
    uint64_t requests[TRACE_REQUEST_WORDS];
    unsigned frame;
    TraceCategory category;
    bool of_frame, has_requests;
    bool unfinished; /* it goes on; of a frame: it was dropped */
} TraceEvent;

struct TraceRow {
    struct TraceRow *next;
    TraceContext *context;
    const struct TraceThread *thread; /* of a caller; NULL: a device */
    unsigned number;                  /* unique in the process, from 1 */
    bool internal;                    /* the library has started the thread, or it is a device */
    bool busy;    /* it has, and the thread goes on; then others of that name have other rows */
    int64_t left; /* when a call of the interface ended last */
    char name[TRACE_NAME_SIZE];
};

struct TraceContext {
    struct Recording *recording;
    TraceContext *next;
    unsigned number; /* from 1 */
    int64_t begin;
    TraceRow *rows; /* from the newest on */
    unsigned n_callers;
    char **requests;
    unsigned n_requests;
    char text[TRACE_NAME_SIZE];
};

typedef struct TraceChunk {
    struct TraceChunk *next;
    unsigned count, capacity;
    TraceEvent events[];
} TraceChunk;

/* One of the process, with what it has recorded. Only that thread writes, under the lock. */
typedef struct TraceThread {
    struct Recording *recording;
    struct TraceThread *next;
    VmafMutex lock;
    TraceRow *row;    /* where it is at work; of this thread alone, as the next three */
    TraceRow *latest; /* where it was at work last */
    TraceRow *outside[TRACE_DEPTH]; /* where it was before each call of the interface */
    unsigned n_calls;
    TraceEvent open[TRACE_DEPTH];
    unsigned depth; /* may be more than TRACE_DEPTH: those above are not recorded */
    TraceChunk *first, *last;
    unsigned n_events;
    uint64_t n_dropped;
    bool ended; /* another thread may go on with it */
} TraceThread;

typedef struct TraceText {
    struct TraceText *next;
    char text[];
} TraceText;

typedef struct Recording {
    int process;
    char *path; /* to be written to; NULL: nothing is recorded but contexts and rows */
    VmafMutex lock;
    TraceContext *contexts; /* from the newest on */
    TraceThread *threads;
    TraceText *texts;
    unsigned n_contexts, n_rows, n_open;
    atomic_uint n_events; /* that there is memory for */
} Recording;

/* The recording of this process; NULL: there is none. */
Recording *recording_of_process(void);
/* Calls `event` for each event of a thread, with those that go on. */
void recording_read(TraceThread *thread, int64_t now,
                    void (*event)(void *cookie, const TraceEvent *event), void *cookie);

#endif
