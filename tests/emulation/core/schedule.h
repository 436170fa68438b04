/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_SCHEDULE_H
#define TESTS_EMULATION_CORE_SCHEDULE_H

#include "machine_device.h"

/*
 * What was submitted runs only when somebody waits for something, and then no further than needed:
 * who forgets to wait finds what was there before. Tasks run in any order that the rules of the
 * runtime leave open; machine_order says in which.
 */
typedef struct Task Task;

/* Tasks in the order of submission. Zeros but for the device are an empty queue. */
typedef struct TaskQueue {
    struct TaskQueue *next; /* of those that have tasks */
    Task *first, *last;
    DeviceState *device;
} TaskQueue;

/* What runtimes begin their commands with. */
struct Task {
    Task *previous, *next; /* of its queue */
    TaskQueue *queue;
    uint64_t serial; /* in the order of submission to all queues */
    enum { TASK_RUNS, TASK_HANGS, TASK_FAILS } fate;
    bool is_needed;
};

/* What the interface of a runtime says about order. */
typedef struct ScheduleRules {
    /* Whether a task waits for an earlier one of its queue that is still there. */
    bool (*waits_for)(const Task *later, const Task *earlier);
    /* Whether everything else has happened that it waits for. */
    bool (*is_open)(const Task *task);
    /* Whether a task makes something happen that the other one waits for. */
    bool (*opens)(const Task *task, const Task *waiting);
    /* Runs a task, or the next part of it, and takes it out when it has been done. TASK_FAILS: it
     * accesses memory that is not there. */
    void (*run)(Task *task);
} ScheduleRules;

/* Defined once in every runtime that has queues. */
extern const ScheduleRules schedule_rules;

/* What somebody waits for: tasks, or what they make happen. */
typedef struct Goal {
    bool (*needs)(const Task *task, const void *subject);
    /* Whether there is nothing to wait for any more, as after a loss. */
    bool (*is_reached)(const void *subject);
    const void *subject;
} Goal;

/* What the machine says about this launch, or work, of this call; NULL: nothing. */
const MachineFault *schedule_fault(bool is_launch);
/* Puts a task on a queue, and has the fault happen to it. False: the device is lost, and the task
 * was dropped with its work. */
bool schedule_submit(TaskQueue *queue, Task *task, const MachineFault *fault);
void schedule_take_out(Task *task);
/* The task after that one, of all queues; NULL: the first one, and there is none. */
Task *schedule_next(const Task *task);
bool schedule_has(const Goal *goal);

/* What the order may run at once, after something was submitted or signalled. */
void schedule_progress(void);
/* Runs what is needed. False: nothing could run for that long. */
bool schedule_wait(const Goal *goal, uint64_t limit_ns);
/* Runs a little of it, for calls that only ask. False: nothing could run. */
bool schedule_poll(const Goal *goal);

#endif
