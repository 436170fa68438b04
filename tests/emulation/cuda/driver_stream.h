/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_STREAM_H
#define TESTS_EMULATION_CUDA_DRIVER_STREAM_H

#include "driver.h"
#include "driver_copy.h"
#include "driver_launch.h"

/*
 * Streams are queues that run only when somebody waits for something, and then no further than
 * that: who forgets to wait finds what was there before. driver_schedule.c decides what runs when.
 */

/* Everything on a stream up to there. */
typedef struct Point {
    CudaStream stream; /* NULL: nothing */
    uint64_t position;
} Point;

enum CommandKind {
    COMMAND_EMPTY,
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_KERNEL,
    COMMAND_RECORD,
    COMMAND_CALL
};

typedef struct HostCall {
    CudaStreamCallback callback; /* or */
    CudaHostFunction function;
    void *data;
} HostCall;

typedef struct Command {
    struct Command *next;
    enum CommandKind kind;
    CudaContext context;
    uint64_t position;
    Point *after; /* what has to be done before */
    unsigned n_after;
    enum { COMMAND_RUNS, COMMAND_HANGS, COMMAND_FAILS } fate;
    union {
        Copy copy;
        Fill fill;
        Launch launch;
        HostCall call;
        struct {
            CudaEvent event;
            uint64_t record; /* that of its records which this one is */
        };
    };
} Command;

struct CUstream_st {
    unsigned magic;
    CudaStream next; /* of all */
    CudaContext context;
    unsigned id, flags;
    int priority;
    bool is_legacy;
    bool is_in_call; /* to the host; nothing behind it can run yet */
    Command *first, **last;
    uint64_t enqueued, completed; /* positions */
    uint64_t time_ns;             /* simulated, at which its last command ended */
};

struct CUevent_st {
    unsigned magic;
    CudaEvent next;
    CudaContext context;
    unsigned id, flags;
    Point point; /* of its last record */
    uint64_t records, done;
    uint64_t time_ns;
};

CudaStream driver_create_stream(CudaContext context, unsigned flags, int priority);
/* The stream that a handle means in the context; NULL: none, and an error in *result. */
CudaStream driver_stream(CudaContext context, CudaStream handle, CudaResult *result);
/* Of all contexts, in no order. */
CudaStream driver_streams(void);

/*
 * Puts a command, of which the kind and its values are given, on a stream, behind what legacy
 * streams ask for. *point (may be NULL): where it is.
 */
CudaResult driver_put(CudaStream stream, const Command *command, Point *point);
/* What comes next on the stream waits for the point. */
CudaResult driver_put_wait(CudaStream stream, Point point);
CudaResult driver_put_record(CudaStream stream, CudaEvent event);
/* Whether a handle is an event that exists. */
bool driver_is_event(CudaEvent event);

/* -- driver_schedule.c -- */

bool driver_is_done(Point point);
/* Runs what is needed up to the point. What calls in the context return then. */
CudaResult driver_finish(CudaContext context, Point point);
CudaResult driver_finish_context(CudaContext context);
/* Runs a little of it. CUDA_ERROR_NOT_READY, also when it has just been done. */
CudaResult driver_poll(CudaContext context, Point point);
/* What may run at once, after something was put on a stream. */
void driver_make_progress(void);

/* Nothing of it will run. */
void driver_drop_work(CudaContext context);
void driver_drop_streams(CudaContext context);
void driver_free_command(Command *command);

#endif
