/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_STREAM_H
#define TESTS_EMULATION_CUDA_DRIVER_STREAM_H

#include "driver.h"
#include "driver_copy.h"
#include "driver_module.h"
#include "schedule.h"

/* Everything on a stream up to there. */
typedef struct Point {
    CudaStream stream; /* NULL: nothing */
    uint64_t position;
} Point;

enum CommandKind { COMMAND_EMPTY, COMMAND_COPY, COMMAND_FILL, COMMAND_KERNEL, COMMAND_RECORD };

typedef struct Command {
    Task task;
    enum CommandKind kind;
    CudaStream stream;
    uint64_t position;
    Point *after; /* what has to be done before, on other streams */
    unsigned n_after;
    union {
        Copy copy;
        Fill fill;
        Launch launch;
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
    bool is_legacy;
    TaskQueue queue;
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

CudaStream driver_create_stream(CudaContext context, unsigned flags);
/* The stream that a handle means in the context; NULL: none, and an error in *result. */
CudaStream driver_stream(CudaContext context, CudaStream handle, CudaResult *result);

/*
 * Puts a command, of which the kind and its values are given, on a stream, behind what legacy
 * streams ask for. *point (may be NULL): where it is.
 */
CudaResult driver_put(CudaStream stream, const Command *command, Point *point);
/* What comes next on the stream waits for the point. */
void driver_put_wait(CudaStream stream, Point point);

bool driver_is_done(Point point);
/* Runs what is needed up to the point. What calls in the context return then. */
CudaResult driver_finish(CudaContext context, Point point);
CudaResult driver_finish_context(CudaContext context);
/* Runs a little of it. CUDA_ERROR_NOT_READY, also when it has just been done. */
CudaResult driver_poll(CudaContext context, Point point);

/* Nothing of it will run. */
void driver_drop_work(CudaContext context);
void driver_drop_streams(CudaContext context);

#endif
