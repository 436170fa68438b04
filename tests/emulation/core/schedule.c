/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine.h"

#include <time.h>

enum { POLL_TASKS = 16, PAUSE_NS = 1000000 };

static TaskQueue *queues; /* that have tasks */
static uint64_t last_serial;

/* -- queues -- */

static void add(TaskQueue *queue, Task *task)
{
    if (!queue->first) {
        queue->next = queues;
        queues = queue;
    }
    task->queue = queue;
    task->serial = ++last_serial;
    task->is_needed = false;
    task->next = NULL;
    task->previous = queue->last;
    *(queue->last ? &queue->last->next : &queue->first) = task;
    queue->last = task;
}

void schedule_take_out(Task *task)
{
    TaskQueue *queue = task->queue, **place = &queues;
    *(task->previous ? &task->previous->next : &queue->first) = task->next;
    *(task->next ? &task->next->previous : &queue->last) = task->previous;
    if (queue->first)
        return;
    while (*place != queue)
        place = &(*place)->next;
    *place = queue->next;
}

Task *schedule_next(const Task *task)
{
    if (task && task->next)
        return task->next;
    const TaskQueue *queue = task ? task->queue->next : queues;
    return queue ? queue->first : NULL;
}

/* False: the device is lost, and what it had to do is gone. */
static bool apply(Task *task, const MachineFault *fault)
{
    DeviceState *device = task->queue->device;
    if (fault && fault->kind == MACHINE_HANG)
        task->fate = TASK_HANGS;
    else if (fault && fault->kind == MACHINE_ILLEGAL)
        task->fate = TASK_FAILS;
    else if (fault && fault->kind == MACHINE_LOSE)
        machine_lose_device(device, fault->error);
    return !device->lost;
}

const MachineFault *schedule_fault(bool is_launch)
{
    const MachineFault *of_launch = is_launch ? machine_count("launch") : NULL;
    return of_launch ? of_launch : machine_armed();
}

bool schedule_submit(TaskQueue *queue, Task *task, const MachineFault *fault)
{
    add(queue, task);
    return apply(task, fault);
}

/* -- what can run, and what is needed -- */

static bool is_ready(const Task *task)
{
    if (task->fate == TASK_HANGS || !schedule_rules.is_open(task))
        return false;
    for (const Task *earlier = task->queue->first; earlier != task; earlier = earlier->next) {
        if (schedule_rules.waits_for(task, earlier))
            return false;
    }
    return true;
}

static void need(Task *task)
{
    if (task->is_needed)
        return;
    task->is_needed = true;
    for (Task *earlier = task->queue->first; earlier != task; earlier = earlier->next) {
        if (schedule_rules.waits_for(task, earlier))
            need(earlier);
    }
    if (schedule_rules.is_open(task))
        return;
    for (Task *other = schedule_next(NULL); other; other = schedule_next(other)) {
        if (schedule_rules.opens(other, task))
            need(other);
    }
}

static void find_needed(const Goal *goal)
{
    for (Task *task = schedule_next(NULL); task; task = schedule_next(task))
        task->is_needed = false;
    for (Task *task = schedule_next(NULL); task; task = schedule_next(task)) {
        if (goal->needs(task, goal->subject))
            need(task);
    }
}

bool schedule_has(const Goal *goal)
{
    const Task *task = schedule_next(NULL);
    while (task && !goal->needs(task, goal->subject))
        task = schedule_next(task);
    return task != NULL;
}

/* -- running -- */

static void run(Task *task)
{
    if (apply(task, machine_count("run")) && task->fate != TASK_HANGS)
        schedule_rules.run(task);
}

/* Whether the order prefers a task to the one before it, of n that are ready. */
static bool is_better(const Task *task, const Task *than, uint64_t n)
{
    if (machine_order == MACHINE_RANDOM)
        return machine_random(n) == 0;
    return !than || (machine_order == MACHINE_EARLY) == (task->serial < than->serial);
}

/* Those that could run now, if there are any: the best of those that are needed, and of others. */
static void choose(Task **needed, Task **other)
{
    uint64_t n_needed = 0, n_others = 0;
    *needed = *other = NULL;
    for (Task *task = schedule_next(NULL); task; task = schedule_next(task)) {
        Task **best = task->is_needed ? needed : other;
        if ((best == other && machine_order == MACHINE_LATE) || !is_ready(task))
            continue;
        if (is_better(task, *best, best == needed ? ++n_needed : ++n_others))
            *best = task;
    }
}

/* Runs one task on the way to the goal, for which tasks were marked. False: none can run. */
static bool step(const Goal *goal)
{
    Task *needed, *other;
    choose(&needed, &other);
    if (!needed) { /* what opens the way may have come, or gone, since */
        find_needed(goal);
        choose(&needed, &other);
    }
    if (other && (machine_order == MACHINE_OTHERS ||
                  (machine_order == MACHINE_RANDOM && machine_random(2) == 0)))
        needed = other;
    if (!needed)
        return false;
    run(needed);
    return true;
}

void schedule_progress(void)
{
    Task *needed, *other;
    uint64_t n = machine_order == MACHINE_EARLY ? UINT64_MAX : 0;
    if (machine_order == MACHINE_RANDOM && machine_random(8) == 0)
        n = machine_random(4);
    for (; n > 0; n--) {
        choose(&needed, &other);
        if (!needed && !other)
            return;
        run(needed ? needed : other);
    }
}

/* -- waiting -- */

static void pause_call(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    MachineCall call;
    machine_pause(&call);
    nanosleep(&pause, NULL);
    machine_resume(&call);
}

bool schedule_wait(const Goal *goal, uint64_t limit_ns)
{
    uint64_t waited_ns = 0;
    find_needed(goal);
    while (!goal->is_reached(goal->subject)) {
        if (step(goal))
            continue;
        if (waited_ns >= limit_ns)
            return false;
        pause_call();
        waited_ns += PAUSE_NS;
    }
    return true;
}

bool schedule_poll(const Goal *goal)
{
    find_needed(goal);
    for (unsigned i = 0; i < POLL_TASKS && !goal->is_reached(goal->subject); i++) {
        if (!step(goal))
            return false;
    }
    return true;
}
