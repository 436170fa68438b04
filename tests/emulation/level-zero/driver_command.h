/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_COMMAND_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_COMMAND_H

#include "driver_module.h"
#include "driver_schedule.h"

typedef struct Pool {
    Object object;
    Context *context;
    ze_event_pool_flags_t flags;
    uint32_t count;
    Event **events; /* by index; NULL: not created */
} Pool;

struct Event {
    Object object;
    Pool *pool;
    uint32_t index;
    bool is_signalled;
    uint64_t begin_ns, end_ns; /* of the device's clock */
};

struct Fence {
    Object object;
    Queue *queue;
    bool is_signalled;
};

struct Queue {
    Object object;
    Context *context;
    uint32_t ordinal;
    bool is_synchronous;
    Sequence sequence;
};

struct List {
    Object object;
    Context *context;
    uint32_t ordinal;
    bool is_immediate, is_synchronous, is_closed;
    Sequence sequence;  /* of an immediate list */
    Command **commands; /* of another one, to be copied when it is executed */
    size_t n_commands;
};

enum CommandKind {
    COMMAND_BARRIER,
    COMMAND_COPY,
    COMMAND_FILL,
    COMMAND_KERNEL,
    COMMAND_SIGNAL,
    COMMAND_WAIT,
    COMMAND_RESET,
    COMMAND_TIMER,
    COMMAND_TIMES,
    COMMAND_FENCE,
};

/* Rows of bytes, in slices. */
typedef struct Copy {
    uint64_t dst, src;
    size_t width, height, depth;
    size_t dst_pitch, src_pitch, dst_slice, src_slice;
} Copy;

typedef struct Fill {
    uint64_t dst;
    size_t size, pattern_size;
    unsigned char pattern[DRIVER_MAX_PATTERN];
} Fill;

/* Timestamps of events, into memory. */
typedef struct Times {
    Event **events;
    uint32_t n_events;
    uint64_t dst;
    size_t *offsets; /* NULL: one after the other */
} Times;

struct Command {
    Command *previous, *next;
    Sequence *sequence;
    Queue *queue; /* NULL: on an immediate list */
    List *list;
    Context *context;
    Device *device;
    uint64_t submission;
    enum CommandKind kind;
    bool waits_for_earlier, holds_later; /* of its sequence */
    bool is_needed;
    enum { COMMAND_RUNS, COMMAND_HANGS, COMMAND_FAILS } fate;
    Event *signal; /* may be NULL */
    Event **wait;
    uint32_t n_wait;
    union {
        Copy copy;
        Fill fill;
        Launch launch;
        Event *reset;
        uint64_t timer_address;
        Times times;
        Fence *fence;
    };
};

/* Does what the command says; *ns: how long it took. */
ze_result_t driver_run(const Command *command, uint64_t *ns);
Command *driver_copy_command(const Command *command);
void driver_free_command(Command *command);

/* What a kernel's timestamps show. */
void driver_event_times(const Event *event, ze_kernel_timestamp_result_t *times);

#endif
