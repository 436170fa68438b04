/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_COMMAND_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_COMMAND_H

#include "driver_module.h"
#include "schedule.h"

/* What is on command lists, which are immediate ones. Order is up to barriers and events. */

typedef struct Pool {
    Object object;
    Context *context;
    ze_event_pool_flags_t flags;
    uint32_t count;
    struct Event **events; /* by index; NULL: not created */
} Pool;

typedef struct Event {
    Object object;
    Pool *pool;
    uint32_t index;
    bool is_signalled;
} Event;

typedef struct List {
    Object object;
    Context *context;
    uint32_t ordinal;
    bool is_synchronous;
    TaskQueue queue;
} List;

enum CommandKind { COMMAND_BARRIER, COMMAND_COPY, COMMAND_KERNEL, COMMAND_TIMER };

/* Rows of bytes, in slices. */
typedef struct Copy {
    uint64_t dst, src;
    size_t width, height, depth;
    size_t dst_pitch, src_pitch, dst_slice, src_slice;
} Copy;

typedef struct Command {
    Task task;
    List *list;
    enum CommandKind kind;
    bool waits_for_earlier, holds_later; /* of its list */
    Event *signal;                       /* may be NULL */
    Event **wait;
    uint32_t n_wait;
    union {
        Copy copy;
        Launch launch;
        uint64_t timer_address;
    };
} Command;

void driver_free_command(Command *command);

/* Waits for the event; without a time it only asks, and says ZE_RESULT_NOT_READY also when it has
 * just been signalled. */
ze_result_t driver_wait_event(Event *event, uint64_t timeout_ns);
ze_result_t driver_finish_list(List *list);
void driver_finish_context(const Context *context);
/* Whether work waits for the event, signalled or not. */
bool driver_is_awaited(const Event *event);
/* The object is destroyed: work that uses it fails when it runs, and is complained about. */
void driver_spoil(const Object *object);

#endif
