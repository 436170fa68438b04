/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Runs what was submitted: when, and in which order. */
#include "driver_schedule.h"

#include <time.h>

#include "driver_command.h"

enum { POLL_COMMANDS = 16, PAUSE_NS = 1000000 };

static Command *first, *last; /* that did not run yet, in the order of submission */
static uint64_t last_pass, last_submission;

uint64_t driver_new_submission(void)
{
    return ++last_submission;
}

static void take_out(Command *command)
{
    *(command->previous ? &command->previous->next : &first) = command->next;
    *(command->next ? &command->next->previous : &last) = command->previous;
    driver_free_command(command);
}

/* -- which commands are ready -- */

static bool is_signalled(const Command *command)
{
    for (uint32_t i = 0; i < command->n_wait; i++) {
        if (!command->wait[i]->is_signalled)
            return false;
    }
    return true;
}

/* Whether all else of what a fence was submitted with has run. */
static bool is_last_of_submission(const Command *fence)
{
    for (const Command *command = first; command; command = command->next) {
        if (command != fence && command->submission == fence->submission)
            return false;
    }
    return true;
}

/* Called for all commands in the order of submission. */
static bool is_ready(Command *command, uint64_t pass)
{
    Sequence *sequence = command->sequence;
    if (sequence->pass != pass) {
        sequence->pass = pass;
        sequence->is_blocked = sequence->is_begun = false;
    }
    const bool ready = !sequence->is_blocked &&
                       !(command->waits_for_earlier && sequence->is_begun) &&
                       command->fate != COMMAND_HANGS && is_signalled(command) &&
                       (command->kind != COMMAND_FENCE || is_last_of_submission(command));
    sequence->is_begun = true;
    if (command->holds_later)
        sequence->is_blocked = true;
    return ready;
}

/* -- what is needed -- */

static void need(Command *command);

static void need_signals(const Event *event)
{
    for (Command *other = last; other; other = other->previous) {
        if (other->signal == event)
            need(other);
    }
}

static void need(Command *command)
{
    if (command->is_needed)
        return;
    command->is_needed = true;
    for (uint32_t i = 0; i < command->n_wait; i++) {
        if (!command->wait[i]->is_signalled)
            need_signals(command->wait[i]);
    }
    for (Command *other = command->previous; other; other = other->previous) {
        if ((other->sequence == command->sequence &&
             (other->holds_later || command->waits_for_earlier)) ||
            (command->kind == COMMAND_FENCE && other->submission == command->submission))
            need(other);
    }
}

static bool is_target(const Command *command, const Target *target)
{
    return (target->event && command->signal == target->event) ||
           (target->fence && command->kind == COMMAND_FENCE && command->fence == target->fence) ||
           (target->queue && command->queue == target->queue) ||
           (target->list && command->list == target->list) ||
           (target->context && command->context == target->context);
}

static void find_needed(const Target *target)
{
    for (Command *command = first; command; command = command->next)
        command->is_needed = false;
    for (Command *command = first; command; command = command->next) {
        if (is_target(command, target))
            need(command);
    }
}

static bool is_done(const Target *target)
{
    if (target->event)
        return target->event->is_signalled;
    if (target->fence)
        return target->fence->is_signalled;
    for (const Command *command = first; command; command = command->next) {
        if (is_target(command, target))
            return false;
    }
    return true;
}

/* -- running -- */

static void run(Command *command)
{
    Device *device = command->device;
    const MachineFault *fault = machine_count("run");
    uint64_t ns = 0;
    if (fault && fault->kind == MACHINE_LOSE) {
        driver_lose(device, (ze_result_t)fault->error);
        return;
    }
    if (fault && fault->kind == MACHINE_HANG) {
        command->fate = COMMAND_HANGS;
        return;
    }
    const bool fails = command->fate == COMMAND_FAILS || (fault && fault->kind == MACHINE_ILLEGAL);
    const ze_result_t result = fails ? ZE_RESULT_ERROR_DEVICE_LOST : driver_run(command, &ns);
    machine_log("run %d list=%u ns=%llu %s", (int)command->kind,
                command->list ? command->list->object.id : 0, (unsigned long long)ns,
                result ? "fails" : "ok");
    const uint64_t begin = driver_pass_time(device, ns);
    if (result == ZE_RESULT_SUCCESS && command->signal) {
        command->signal->begin_ns = begin;
        command->signal->end_ns = device->clock_ns;
        command->signal->is_signalled = true;
    }
    take_out(command);
    if (result != ZE_RESULT_SUCCESS)
        driver_lose(device, result);
}

/* The ready command that comes next on the way to what is needed; NULL: there is none. */
static Command *choose(bool anything)
{
    Command *needed = NULL, *other = NULL;
    uint64_t n_ready = 0, pass = ++last_pass;
    Command *any = NULL;
    for (Command *command = first; command; command = command->next) {
        if (!is_ready(command, pass))
            continue;
        if (machine_random(++n_ready) == 0)
            any = command;
        *(command->is_needed ? &needed : &other) = command;
        if (machine_order == MACHINE_EARLY && anything)
            return command;
    }
    if (machine_order == MACHINE_RANDOM && (anything || !needed || machine_random(2) == 0))
        return anything || needed ? any : NULL;
    if (machine_order == MACHINE_OTHERS && other)
        return other;
    return needed;
}

/* Runs one command on the way to the target. False: nothing of it can run. */
static bool step(const Target *target)
{
    Command *chosen = choose(false);
    if (!chosen) { /* events may have been reset, or others signal them now */
        find_needed(target);
        chosen = choose(false);
    }
    if (!chosen)
        return false;
    run(chosen);
    return true;
}

void driver_make_progress(void)
{
    Command *chosen;
    if (machine_order == MACHINE_RANDOM && machine_random(8) == 0) {
        for (uint64_t n = machine_random(4); n > 0 && (chosen = choose(true)); n--)
            run(chosen);
    }
    while (machine_order == MACHINE_EARLY && (chosen = choose(true)))
        run(chosen);
}

void driver_submit(Command *command)
{
    const MachineFault *fault = machine_armed();
    const MachineFault *of_launch =
        command->kind == COMMAND_KERNEL ? machine_count("launch") : NULL;
    fault = of_launch ? of_launch : fault;
    command->is_needed = false;
    command->previous = last;
    command->next = NULL;
    *(last ? &last->next : &first) = command;
    last = command;
    if (fault && fault->kind == MACHINE_HANG)
        command->fate = COMMAND_HANGS;
    else if (fault && fault->kind == MACHINE_ILLEGAL)
        command->fate = COMMAND_FAILS;
    else if (fault && fault->kind == MACHINE_LOSE)
        driver_lose(command->device, (ze_result_t)fault->error);
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

static bool has_hang(const Device *device)
{
    const Command *command = first;
    while (command && !(command->device == device && command->fate == COMMAND_HANGS))
        command = command->next;
    return command != NULL;
}

/* As Intel's driver does, finds out that the device hangs only here, where somebody waits. */
ze_result_t driver_finish(Device *device, const Target *target, uint64_t timeout_ns)
{
    const uint64_t limit_ns = (uint64_t)(emulated_machine.hang_seconds * 1e9);
    uint64_t waited_ns = 0;
    find_needed(target);
    while (device->lost == ZE_RESULT_SUCCESS && !is_done(target)) {
        if (step(target))
            continue;
        if (waited_ns >= limit_ns && has_hang(device))
            return driver_lose(device, ZE_RESULT_ERROR_DEVICE_LOST);
        if (waited_ns >= timeout_ns)
            return ZE_RESULT_NOT_READY;
        if (timeout_ns == UINT64_MAX && waited_ns >= limit_ns) {
            machine_complain("a wait without a limit does not end");
            return driver_lose(device, ZE_RESULT_ERROR_DEVICE_LOST);
        }
        pause_call();
        waited_ns += PAUSE_NS;
        find_needed(target);
    }
    return device->lost;
}

void driver_finish_context(const Context *context)
{
    const Target target = {.context = context};
    for (int i = 0; i < emulated_machine.n_devices; i++)
        driver_finish(&driver.devices[i], &target, UINT64_MAX);
}

static ze_result_t poll_target(Device *device, const Target *target)
{
    if (device->lost != ZE_RESULT_SUCCESS || is_done(target))
        return device->lost;
    find_needed(target);
    for (unsigned i = 0; i < POLL_COMMANDS && device->lost == ZE_RESULT_SUCCESS; i++) {
        if (is_done(target) || !step(target))
            break;
    }
    return device->lost == ZE_RESULT_SUCCESS ? ZE_RESULT_NOT_READY : device->lost;
}

ze_result_t driver_wait(Device *device, const Target *target, uint64_t timeout_ns)
{
    return timeout_ns == 0 ? poll_target(device, target)
                           : driver_finish(device, target, timeout_ns);
}

/* -- forgetting -- */

void driver_drop_work(const Device *device)
{
    for (Command *command = first; command;) {
        Command *next = command->next;
        if (!device || command->device == device)
            take_out(command);
        command = next;
    }
}

static bool uses_event(const Command *command, const Object *object)
{
    bool found = (command->signal && &command->signal->object == object) ||
                 (command->kind == COMMAND_RESET && &command->reset->object == object);
    for (uint32_t i = 0; i < command->n_wait; i++)
        found = found || &command->wait[i]->object == object;
    for (uint32_t i = 0; command->kind == COMMAND_TIMES && i < command->times.n_events; i++)
        found = found || &command->times.events[i]->object == object;
    return found;
}

static bool uses(const Command *command, const Object *object)
{
    switch (object->kind) {
    case OBJECT_CONTEXT:
        return &command->context->object == object;
    case OBJECT_QUEUE:
        return command->queue && &command->queue->object == object;
    case OBJECT_LIST:
        return command->list && &command->list->object == object;
    case OBJECT_FENCE:
        return command->kind == COMMAND_FENCE && &command->fence->object == object;
    case OBJECT_MODULE:
        return command->kind == COMMAND_KERNEL && &command->launch.kernel->module->object == object;
    case OBJECT_KERNEL:
        return command->kind == COMMAND_KERNEL && &command->launch.kernel->object == object;
    case OBJECT_EVENT:
        return uses_event(command, object);
    default:
        return false;
    }
}

bool driver_is_awaited(const Event *event)
{
    for (const Command *command = first; command; command = command->next) {
        for (uint32_t i = 0; i < command->n_wait; i++) {
            if (command->wait[i] == event)
                return true;
        }
    }
    return false;
}

bool driver_is_used(const Object *object)
{
    for (const Command *command = first; command; command = command->next) {
        if (uses(command, object))
            return true;
    }
    return false;
}

void driver_spoil(const Object *object)
{
    bool found = false;
    for (Command *command = first; command; command = command->next) {
        if (!uses(command, object))
            continue;
        if (!found)
            machine_complain("an object is destroyed that work still uses");
        found = true;
        if (command->fate == COMMAND_RUNS)
            command->fate = COMMAND_FAILS;
    }
}

ze_result_t driver_give_back(void *handle, enum ObjectKind kind)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    Object *object = driver_find_lost(handle, kind, &result);
    if (!object)
        return result;
    driver_spoil(object);
    driver_destroy_object(object);
    return ZE_RESULT_SUCCESS;
}
