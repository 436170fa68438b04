/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What commands wait for and do; waiting for them; work that loses what it uses. */
#include "driver_command.h"

#include <inttypes.h>
#include <string.h>

/* -- order -- */

static const Command *command_of(const Task *task)
{
    return (const Command *)task;
}

static bool waits_for(const Task *later, const Task *earlier)
{
    return command_of(earlier)->holds_later || command_of(later)->waits_for_earlier;
}

static bool awaits(const Command *command, const Event *event)
{
    for (uint32_t i = 0; i < command->n_wait; i++) {
        if (command->wait[i] == event)
            return true;
    }
    return false;
}

static bool is_open(const Task *task)
{
    const Command *command = command_of(task);
    for (uint32_t i = 0; i < command->n_wait; i++) {
        if (!command->wait[i]->is_signalled)
            return false;
    }
    return true;
}

static bool opens(const Task *task, const Task *waiting)
{
    const Event *event = command_of(task)->signal;
    return event && !event->is_signalled && awaits(command_of(waiting), event);
}

/* -- what commands do -- */

/* Where bytes really are: in an allocation of the context, or in memory of the host that the
 * driver does not know. NULL: nowhere. */
static unsigned char *locate(const Command *command, uint64_t address, size_t size)
{
    const Memory *found = guarded_find(address);
    if (!found && !guarded_is_own_range(address))
        return (unsigned char *)(uintptr_t)address;
    if (!found) {
        machine_complain("0x%" PRIx64 " is used by a command, but was given back", address);
        return NULL;
    }
    if (!driver_can_use(command->list->context, command->list->object.device, found)) {
        machine_complain("memory of another context or device is used by a command");
        return NULL;
    }
    const size_t offset = (size_t)(address - found->address);
    if (size > found->size - offset) {
        machine_complain("%zu bytes at %zu of %zu are used by a command", size, offset,
                         found->size);
        return NULL;
    }
    return found->storage + offset;
}

/* Bytes from the first to the last one of rows in slices. */
static size_t extent(const Copy *copy, size_t pitch, size_t slice)
{
    return (copy->depth - 1) * slice + (copy->height - 1) * pitch + copy->width;
}

static ze_result_t run_copy(const Command *command, Work *work)
{
    const Copy *copy = &command->copy;
    unsigned char *dst = locate(command, copy->dst, extent(copy, copy->dst_pitch, copy->dst_slice));
    const unsigned char *src =
        locate(command, copy->src, extent(copy, copy->src_pitch, copy->src_slice));
    if (!dst || !src)
        return ZE_RESULT_ERROR_DEVICE_LOST;
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++)
            memmove(dst + z * copy->dst_slice + y * copy->dst_pitch,
                    src + z * copy->src_slice + y * copy->src_pitch, copy->width);
    }
    work->bus_bytes = copy->width * copy->height * copy->depth;
    work->is_download = guarded_is_device_range(copy->src);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t run_timer(const Command *command, Work *work)
{
    const uint64_t ticks = driver_ticks(command->list->object.device);
    unsigned char *dst = locate(command, command->timer_address, sizeof(ticks));
    if (!dst)
        return ZE_RESULT_ERROR_DEVICE_LOST;
    memcpy(dst, &ticks, sizeof(ticks));
    work->memory_bytes = sizeof(ticks);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t do_work(const Command *command, Work *work)
{
    switch (command->kind) {
    case COMMAND_COPY:
        return run_copy(command, work);
    case COMMAND_KERNEL:
        return driver_run_launch(command->list->context, &command->launch, work);
    case COMMAND_TIMER:
        return run_timer(command, work);
    default:
        return ZE_RESULT_SUCCESS;
    }
}

static void run(Task *task)
{
    Command *command = (Command *)task;
    Device *device = command->list->object.device;
    Work work = {0};
    const ze_result_t result =
        task->fate == TASK_FAILS ? ZE_RESULT_ERROR_DEVICE_LOST : do_work(command, &work);
    machine_log("run %d list=%u %s", (int)command->kind, command->list->object.id,
                result ? "fails" : "ok");
    machine_pass_time(device->state, &work, &device->clock_ns);
    if (result == ZE_RESULT_SUCCESS && command->signal)
        command->signal->is_signalled = true;
    schedule_take_out(task);
    driver_free_command(command);
    if (result != ZE_RESULT_SUCCESS)
        machine_lose_device(device->state, (int)result);
}

const ScheduleRules schedule_rules = {waits_for, is_open, opens, run};

/* -- waiting -- */

static bool signals(const Task *task, const void *event)
{
    return command_of(task)->signal == event;
}

static bool is_signalled(const void *subject)
{
    const Event *event = subject;
    return event->is_signalled || event->object.device->state->lost;
}

static bool is_on_list(const Task *task, const void *list)
{
    return command_of(task)->list == list;
}

static bool is_list_empty(const void *subject)
{
    return !((const List *)subject)->queue.first;
}

static bool is_in_context(const Task *task, const void *context)
{
    return command_of(task)->list->context == context;
}

static bool is_context_idle(const void *context)
{
    return !schedule_has(&(Goal){.needs = is_in_context, .subject = context});
}

static bool is_hung(const Task *task, const void *device)
{
    return task->fate == TASK_HANGS && task->queue->device == device;
}

/* As Intel's driver does, finds out that the device hangs only here, where somebody waits. */
static ze_result_t finish(DeviceState *device, const Goal *goal, uint64_t timeout_ns)
{
    const uint64_t limit_ns = (uint64_t)(emulated_machine.hang_seconds * 1e9);
    const Goal hang = {.needs = is_hung, .subject = device};
    if (schedule_wait(goal, timeout_ns < limit_ns ? timeout_ns : limit_ns))
        return (ze_result_t)device->lost;
    if (timeout_ns >= limit_ns && schedule_has(&hang))
        return (ze_result_t)machine_lose_device(device, (int)ZE_RESULT_ERROR_DEVICE_LOST);
    if (timeout_ns == UINT64_MAX) {
        machine_complain("a wait without a limit does not end");
        return (ze_result_t)machine_lose_device(device, (int)ZE_RESULT_ERROR_DEVICE_LOST);
    }
    return timeout_ns <= limit_ns || !schedule_wait(goal, timeout_ns - limit_ns)
               ? ZE_RESULT_NOT_READY
               : (ze_result_t)device->lost;
}

ze_result_t driver_wait_event(Event *event, uint64_t timeout_ns)
{
    const Goal goal = {signals, is_signalled, event};
    DeviceState *device = event->object.device->state;
    if (timeout_ns > 0 || is_signalled(event))
        return finish(device, &goal, timeout_ns);
    schedule_poll(&goal);
    return device->lost ? (ze_result_t)device->lost : ZE_RESULT_NOT_READY;
}

ze_result_t driver_finish_list(List *list)
{
    return finish(list->queue.device, &(Goal){is_on_list, is_list_empty, list}, UINT64_MAX);
}

void driver_finish_context(const Context *context)
{
    const Goal goal = {is_in_context, is_context_idle, context};
    for (int i = 0; i < emulated_machine.n_devices; i++)
        finish(&machine_devices[i], &goal, UINT64_MAX);
}

/* -- what work uses -- */

bool driver_is_awaited(const Event *event)
{
    const Task *task = schedule_next(NULL);
    while (task && !awaits(command_of(task), event))
        task = schedule_next(task);
    return task != NULL;
}

static bool uses(const Command *command, const Object *object)
{
    const Kernel *kernel = command->kind == COMMAND_KERNEL ? command->launch.kernel : NULL;
    switch (object->kind) {
    case OBJECT_CONTEXT:
        return &command->list->context->object == object;
    case OBJECT_LIST:
        return &command->list->object == object;
    case OBJECT_MODULE:
        return kernel && &kernel->module->object == object;
    case OBJECT_KERNEL:
        return kernel && &kernel->object == object;
    case OBJECT_EVENT:
        return command->signal == (const Event *)object || awaits(command, (const Event *)object);
    default:
        return false;
    }
}

void driver_spoil(const Object *object)
{
    bool found = false;
    for (Task *task = schedule_next(NULL); task; task = schedule_next(task)) {
        if (!uses(command_of(task), object))
            continue;
        if (!found)
            machine_complain("an object is destroyed that work still uses");
        found = true;
        if (task->fate == TASK_RUNS)
            task->fate = TASK_FAILS;
    }
}
