/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_SCHEDULE_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_SCHEDULE_H

#include "driver.h"

/*
 * What was submitted waits in a list, and runs only when somebody waits for something, no further
 * than needed: who forgets to wait finds what was there before. Commands run in any order that
 * barriers and events leave open.
 */
typedef struct Command Command;
typedef struct Event Event;
typedef struct Fence Fence;
typedef struct List List;
typedef struct Queue Queue;

/* Commands between which barriers act: those of an immediate list, or of a queue. */
typedef struct Sequence {
    uint64_t pass; /* of which this is scratch */
    bool is_blocked, is_begun;
} Sequence;

/* What somebody waits for: one of these. */
typedef struct Target {
    Event *event;
    Fence *fence;
    const Queue *queue;
    const List *list;
    const Context *context;
} Target;

/* Takes a command that was filled in; it is given back when it has run. */
void driver_submit(Command *command);
/* A new number for what is executed together. */
uint64_t driver_new_submission(void);
/* What may run at once, after something was submitted or signalled. */
void driver_make_progress(void);

/* Runs what is needed. ZE_RESULT_NOT_READY after that time without progress. */
ze_result_t driver_finish(Device *device, const Target *target, uint64_t timeout_ns);
void driver_finish_context(const Context *context);
/* The same for calls of the program; those without a time only ask: they run a little of it, and
 * say ZE_RESULT_NOT_READY also when it has just been done. */
ze_result_t driver_wait(Device *device, const Target *target, uint64_t timeout_ns);

/* Work of the device will not run; NULL: no work at all. */
void driver_drop_work(const Device *device);
/* The object is destroyed: work that uses it fails when it runs, and is complained about. */
void driver_spoil(const Object *object);
/* Destroys an object by its handle, for which its device need not work any more. */
ze_result_t driver_give_back(void *handle, enum ObjectKind kind);
bool driver_is_used(const Object *object);
/* Whether work waits for the event, signalled or not. */
bool driver_is_awaited(const Event *event);

#endif
