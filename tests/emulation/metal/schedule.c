/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * What runs when. Steps of one queue begin in order, but what Metal does not order may overlap:
 *
 * - A pass waits for earlier ones of its queue that use the same tracked resource, unless both only
 *   read it, and for those that its fences name; for nothing else.
 * - A signal of an event waits for everything before it on its queue.
 * - Everything behind a wait for an event waits for it.
 * - A command buffer ends after those before it.
 *
 * Queues know nothing of each other but for events. In random order the parts of passes, between
 * which one waits for the other, are steps of their own, so that other queues come between them.
 */
#include <time.h>

#include "command_buffer.h"

enum { POLL_STEPS = 4, POLL_PARTS = 16, PAUSE_NS = 1000000, MAX_READY = 1024, MAX_DEPTH = 16 };

/* Steps that could run now. */
typedef struct Ready {
    struct {
        CommandBuffer *commands;
        size_t step;
    } items[MAX_READY];
    size_t count;
} Ready;

static Ready needed, others; /* too large for a stack; guarded by the lock */

/* -- what waits for what -- */

static bool is_tracked(const Object *resource)
{
    return resource->class != &buffer_class || buffer_is_tracked((const Buffer *)resource);
}

static bool pass_depends(const Pass *later, const Pass *earlier)
{
    for (unsigned i = 0; i < later->n_waits; i++) {
        if (later->waits[i] == earlier->serial)
            return true;
    }
    for (unsigned i = 0; i < later->n_uses; i++) {
        for (unsigned k = 0; k < earlier->n_uses; k++) {
            const Use *a = &later->uses[i], *b = &earlier->uses[k];
            if (a->resource == b->resource && (a->writes || b->writes) && is_tracked(a->resource))
                return true;
        }
    }
    return false;
}

static bool waits_for(const Step *later, const Step *earlier)
{
    if (earlier->is_done)
        return false;
    if (earlier->kind == STEP_WAIT)
        return true;
    if (later->kind == STEP_PASS)
        return earlier->kind == STEP_PASS && pass_depends(later->pass, earlier->pass);
    return later->kind == STEP_SIGNAL;
}

static bool is_ready(const CommandBuffer *commands, size_t index)
{
    const Step *step = &commands->steps[index];
    if (step->is_done || (step->kind == STEP_WAIT && step->event->value < step->value))
        return false;
    for (const CommandBuffer *before = commands->queue->first;; before = before->next) {
        if (before->fate == WORK_HANGS && !before->failure)
            return false;
        const size_t n = before == commands ? index : before->n_steps;
        for (size_t i = 0; i < n; i++) {
            if (waits_for(step, &before->steps[i]))
                return false;
        }
        if (before == commands)
            return true;
    }
}

/* The command buffer, which is committed, that signals the event so; NULL: none. The lowest value
 * that is enough. */
static CommandBuffer *find_signal(const SharedEvent *event, uint64_t value)
{
    CommandBuffer *found = NULL;
    uint64_t lowest = UINT64_MAX;
    for (Queue *queue = queues(); queue; queue = queue->next) {
        for (CommandBuffer *commands = queue->first; commands; commands = commands->next) {
            for (size_t i = 0; i < commands->n_steps; i++) {
                const Step *step = &commands->steps[i];
                if (step->kind == STEP_SIGNAL && !step->is_done && step->event == event &&
                    step->value >= value && step->value < lowest) {
                    found = commands;
                    lowest = step->value;
                }
            }
        }
    }
    return found;
}

static void add(Ready *ready, CommandBuffer *commands, size_t step)
{
    for (size_t i = 0; i < ready->count; i++) {
        if (ready->items[i].commands == commands && ready->items[i].step == step)
            return;
    }
    if (ready->count == MAX_READY)
        return;
    ready->items[ready->count].commands = commands;
    ready->items[ready->count++].step = step;
}

/* What can run on the way to the end of the command buffer. */
static void collect(CommandBuffer *last, unsigned depth)
{
    for (CommandBuffer *commands = last->queue->first; commands; commands = commands->next) {
        for (size_t i = 0; i < commands->n_steps; i++) {
            const Step *step = &commands->steps[i];
            if (is_ready(commands, i)) {
                add(&needed, commands, i);
            } else if (!step->is_done && step->kind == STEP_WAIT &&
                       step->event->value < step->value && depth < MAX_DEPTH) {
                CommandBuffer *signals = find_signal(step->event, step->value);
                if (signals && signals->queue != last->queue)
                    collect(signals, depth + 1);
            }
        }
        if (commands == last)
            return;
    }
}

static bool is_needed(const CommandBuffer *commands, size_t step)
{
    for (size_t i = 0; i < needed.count; i++) {
        if (needed.items[i].commands == commands && needed.items[i].step == step)
            return true;
    }
    return false;
}

/* What can run, too, and is not needed. */
static void collect_others(void)
{
    others.count = 0;
    for (Queue *queue = queues(); queue; queue = queue->next) {
        for (CommandBuffer *commands = queue->first; commands; commands = commands->next) {
            for (size_t i = 0; i < commands->n_steps; i++) {
                if (is_ready(commands, i) && !is_needed(commands, i))
                    add(&others, commands, i);
            }
        }
    }
}

/* -- running a step -- */

static void run_signal(CommandBuffer *commands, const Step *step)
{
    SharedEvent *event = step->event;
    if (!object_is_alive(&event->head)) {
        machine_complain("%s signals %s, which was freed", object_words(&commands->head),
                         object_words(&event->head));
        command_buffer_fail(commands, ERROR_INVALID_RESOURCE, "an event was freed");
        return;
    }
    if (step->value < event->value)
        machine_complain("%s goes back from %lu to %lu", object_words(&event->head),
                         (unsigned long)event->value, (unsigned long)step->value);
    event->value = step->value;
    event->time = commands->queue->time;
}

static void run_step(CommandBuffer *commands, size_t index)
{
    Step *step = &commands->steps[index];
    Queue *queue = commands->queue;
    static const char *const names[] = {"pass", "signal", "wait"};
    object_use(commands);
    command_buffer_apply(commands, machine_count("run"));
    if (commands->fate != WORK_HANGS && !commands->failure && !device_lost(queue->device)) {
        commands->status = STATUS_SCHEDULED;
        bool is_done = true;
        if (step->kind == STEP_PASS)
            is_done = run_pass(commands, step->pass);
        else if (step->kind == STEP_SIGNAL)
            run_signal(commands, step);
        else if (queue->time < step->event->time)
            queue->time = step->event->time;
        step->is_done = is_done || step->is_done;
        machine_log("run %s %zu of %s on %s", names[step->kind], index,
                    object_words(&commands->head), object_words(&queue->head));
    }
    queue_retire(queue);
    schedule_drop_lost();
    object_unuse(commands);
}

static bool has_chosen_other(void)
{
    if (machine_order != MACHINE_OTHERS &&
        !(machine_order == MACHINE_RANDOM && machine_random(2) == 0))
        return false;
    collect_others();
    return others.count > 0;
}

/* Runs one step on the way to the end of the command buffer. False: nothing can run. */
static bool run_one(CommandBuffer *commands)
{
    needed.count = 0;
    collect(commands, 0);
    const Ready *from = has_chosen_other() ? &others : &needed;
    if (from->count == 0)
        return false;
    size_t chosen = from->count - 1;
    if (machine_order == MACHINE_RANDOM)
        chosen = machine_random(from->count);
    else if (machine_order == MACHINE_EARLY)
        chosen = 0;
    run_step(from->items[chosen].commands, from->items[chosen].step);
    return true;
}

void schedule_progress(void)
{
    uint64_t n = machine_order == MACHINE_EARLY ? UINT64_MAX : 0;
    if (machine_order == MACHINE_RANDOM && machine_random(4) == 0)
        n = machine_random(4);
    for (; n > 0; n--) {
        needed.count = 0;
        collect_others();
        if (others.count == 0)
            return;
        const size_t chosen = machine_order == MACHINE_RANDOM ? machine_random(others.count) : 0;
        run_step(others.items[chosen].commands, others.items[chosen].step);
    }
}

/* -- what never ends -- */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void schedule_drop_lost(void)
{
    for (Queue *queue = queues(), *next; queue; queue = next) {
        next = queue->next;
        const int error = device_lost(queue->device);
        if (!error || !queue->first)
            continue;
        for (CommandBuffer *commands = queue->first; commands; commands = commands->next)
            command_buffer_fail(commands, error, "the device was lost");
        queue_retire(queue);
    }
}

static bool expire_hung(void)
{
    bool has_any = false;
    for (Queue *queue = queues(), *next; queue; queue = next) {
        next = queue->next;
        for (CommandBuffer *commands = queue->first; commands; commands = commands->next) {
            if (commands->fate == WORK_HANGS && !commands->failure) {
                command_buffer_fail(commands, ERROR_TIMEOUT, "the command buffer took too long");
                has_any = true;
            }
        }
        queue_retire(queue);
    }
    return has_any;
}

/* Nothing can run for it: what hangs fails after a while, or else what waits for nothing. */
static void note_stuck(CommandBuffer *commands)
{
    Queue *queue = commands->queue;
    if (commands->stuck_since == 0)
        commands->stuck_since = now();
    if (now() - commands->stuck_since < emulated_machine.hang_seconds)
        return;
    commands->stuck_since = 0;
    if (!expire_hung()) {
        command_buffer_fail(queue->first, ERROR_TIMEOUT, "the command buffer waited too long");
        queue_retire(queue);
    }
}

/* -- waiting and asking -- */

static void block(void)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    MachineCall call;
    pages_close_all();
    machine_pause(&call);
    nanosleep(&pause, NULL);
    machine_resume(&call);
}

void schedule_finish(CommandBuffer *commands)
{
    object_use(commands);
    schedule_drop_lost();
    while (!command_buffer_has_ended(commands)) {
        if (run_one(commands)) {
            commands->stuck_since = 0;
            continue;
        }
        note_stuck(commands);
        if (!command_buffer_has_ended(commands))
            block();
    }
    object_unuse(commands);
}

void schedule_poll(CommandBuffer *commands)
{
    object_use(commands);
    schedule_drop_lost();
    const unsigned n = machine_order == MACHINE_RANDOM ? POLL_PARTS : POLL_STEPS;
    for (unsigned i = 0; i < n && !command_buffer_has_ended(commands); i++) {
        if (!run_one(commands)) {
            note_stuck(commands);
            break;
        }
        commands->stuck_since = 0;
    }
    object_unuse(commands);
}

void schedule_poll_event(const SharedEvent *event)
{
    CommandBuffer *commands = find_signal(event, event->value + 1);
    if (commands)
        schedule_poll(commands);
}
