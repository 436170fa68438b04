/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Immediate command lists: what is put on them, what it waits for and does; events, waiting. */
#include "driver.h"

#include <inttypes.h>
#include <stdlib.h>
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

/* Bytes from the first to the last one of rows. */
static size_t extent(const Copy *copy, size_t pitch)
{
    return (copy->height - 1) * pitch + copy->width;
}

static ze_result_t run_copy(const Command *command, Work *work)
{
    const Copy *copy = &command->copy;
    unsigned char *dst = locate(command, copy->dst, extent(copy, copy->dst_pitch));
    const unsigned char *src = locate(command, copy->src, extent(copy, copy->src_pitch));
    if (!dst || !src)
        return ZE_RESULT_ERROR_DEVICE_LOST;
    for (size_t y = 0; y < copy->height; y++)
        memmove(dst + y * copy->dst_pitch, src + y * copy->src_pitch, copy->width);
    work->bus_bytes = copy->width * copy->height;
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

/* Waits for the event; without a time it only asks, and says ZE_RESULT_NOT_READY also when it has
 * just been signalled. */
static ze_result_t driver_wait_event(Event *event, uint64_t timeout_ns)
{
    const Goal goal = {signals, is_signalled, event};
    DeviceState *device = event->object.device->state;
    if (timeout_ns > 0 || is_signalled(event))
        return finish(device, &goal, timeout_ns);
    schedule_poll(&goal);
    return device->lost ? (ze_result_t)device->lost : ZE_RESULT_NOT_READY;
}

/* Waits for the event; without a time it only asks, and says ZE_RESULT_NOT_READY also when it has
 * just been signalled. */
static ze_result_t driver_finish_list(List *list)
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

/* Whether work waits for the event, signalled or not. */
static bool driver_is_awaited(const Event *event)
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

/* Events of a command, as programs name them. */
typedef struct Events {
    ze_event_handle_t signal;
    uint32_t n_wait;
    ze_event_handle_t *wait;
} Events;

/* -- lists -- */

static ze_result_t create_immediate(ze_context_handle_t context_handle, ze_device_handle_t handle,
                                    const ze_command_queue_desc_t *desc,
                                    ze_command_list_handle_t *created)
{
    ze_result_t result;
    Context *context = driver_find(context_handle, OBJECT_CONTEXT, &result);
    Device *device = context ? driver_find(handle, OBJECT_DEVICE, &result) : NULL;
    if (!device)
        return result;
    if (!desc || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->flags & ~(ze_command_queue_flags_t)ZE_COMMAND_QUEUE_FLAG_EXPLICIT_ONLY)
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (!driver_has_queue(device, desc->ordinal, desc->index))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    List *list = driver_create_object(OBJECT_LIST, sizeof(*list), device);
    list->context = context;
    list->ordinal = desc->ordinal;
    list->is_synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    list->queue.device = device->state;
    *created = (ze_command_list_handle_t)list;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeCommandListCreateImmediate,
              (ze_context_handle_t context, ze_device_handle_t device,
               const ze_command_queue_desc_t *desc, ze_command_list_handle_t *list),
              create_immediate(context, device, desc, list))
DRIVER_DEFINE(zeCommandListDestroy, (ze_command_list_handle_t handle),
              driver_give_back(handle, OBJECT_LIST))

/* -- adding to them -- */

void driver_free_command(Command *command)
{
    if (command->kind == COMMAND_KERNEL)
        free(command->launch.values);
    free(command->wait);
    free(command);
}

static ze_result_t submit(List *list, const Command *command)
{
    const DeviceState *device = list->queue.device;
    const MachineFault *fault = machine_count("submission");
    Command *added = malloc(sizeof(*added));
    *added = *command;
    added->list = list;
    if (fault)
        machine_arm(fault);
    if (schedule_submit(&list->queue, &added->task, schedule_fault(added->kind == COMMAND_KERNEL)))
        schedule_progress();
    return list->is_synchronous ? driver_finish_list(list) : (ze_result_t)device->lost;
}

static Event *find_event(const List *list, ze_event_handle_t handle, ze_result_t *result)
{
    Event *event = driver_find(handle, OBJECT_EVENT, result);
    if (event && event->pool->context != list->context) {
        machine_complain("an event of another context is used on a list");
        *result = ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
        return NULL;
    }
    return event;
}

/* The events of a command; what is in it is taken over, or given back after an error. */
static ze_result_t append(List *list, Command *command, Events events)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    Event **wait = events.n_wait ? calloc(events.n_wait, sizeof(Event *)) : NULL;
    if (events.n_wait && !events.wait)
        result = ZE_RESULT_ERROR_INVALID_SIZE;
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < events.n_wait; i++)
        wait[i] = find_event(list, events.wait[i], &result);
    if (result == ZE_RESULT_SUCCESS && events.signal)
        command->signal = find_event(list, events.signal, &result);
    command->wait = wait;
    command->n_wait = events.n_wait;
    if (result == ZE_RESULT_SUCCESS)
        return submit(list, command);
    Command *dropped = malloc(sizeof(*dropped));
    *dropped = *command;
    driver_free_command(dropped);
    return result;
}

static ze_result_t append_barrier(ze_command_list_handle_t handle, Events events)
{
    ze_result_t result;
    List *list = driver_find(handle, OBJECT_LIST, &result);
    Command command = {
        .kind = COMMAND_BARRIER, .holds_later = true, .waits_for_earlier = events.n_wait == 0};
    return list ? append(list, &command, events) : result;
}

DRIVER_DEFINE(zeCommandListAppendBarrier,
              (ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t n_wait,
               ze_event_handle_t *wait),
              append_barrier(list, (Events){signal, n_wait, wait}))

static ze_result_t append_copy(ze_command_list_handle_t handle, const Copy *copy, Events events)
{
    ze_result_t result;
    List *list = driver_find(handle, OBJECT_LIST, &result);
    Command command = {.kind = COMMAND_COPY, .copy = *copy};
    if (!list)
        return result;
    machine_note(" bytes=%zu", copy->width * copy->height);
    if (!copy->dst || !copy->src)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return append(list, &command, events);
}

ze_result_t emulated_zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *dst,
                                                   const void *src, size_t size,
                                                   ze_event_handle_t signal, uint32_t n_wait,
                                                   ze_event_handle_t *wait)
{
    const Copy copy = {.dst = (uintptr_t)dst, .src = (uintptr_t)src, .width = size, .height = 1};
    DRIVER_CALL(append_copy(list, &copy, (Events){signal, n_wait, wait}));
}

static bool is_good(const ze_copy_region_t *region, size_t pitch)
{
    return region->width > 0 && region->height > 0 && region->depth <= 1 && !region->originZ &&
           (region->height == 1 || (uint64_t)region->originX + region->width <= pitch);
}

static ze_result_t make_copy(Copy *copy, const ze_copy_region_t *dst, const ze_copy_region_t *src)
{
    if (!dst || !src)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (dst->width != src->width || dst->height != src->height || !is_good(dst, copy->dst_pitch) ||
        !is_good(src, copy->src_pitch)) {
        machine_complain("two regions of a copy differ, or are larger than their pitches");
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    copy->width = dst->width;
    copy->height = dst->height;
    copy->dst += dst->originX + dst->originY * copy->dst_pitch;
    copy->src += src->originX + src->originY * copy->src_pitch;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t append_region(ze_command_list_handle_t handle, Copy copy,
                                 const ze_copy_region_t *dst, const ze_copy_region_t *src,
                                 Events events)
{
    if (!copy.dst || !copy.src)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const ze_result_t result = make_copy(&copy, dst, src);
    return result == ZE_RESULT_SUCCESS ? append_copy(handle, &copy, events) : result;
}

ze_result_t emulated_zeCommandListAppendMemoryCopyRegion(
    ze_command_list_handle_t list, void *dst, const ze_copy_region_t *dst_region,
    uint32_t dst_pitch, uint32_t dst_slice, const void *src, const ze_copy_region_t *src_region,
    uint32_t src_pitch, uint32_t src_slice, ze_event_handle_t signal, uint32_t n_wait,
    ze_event_handle_t *wait)
{
    const Copy copy = {.dst = (uintptr_t)dst,
                       .src = (uintptr_t)src,
                       .dst_pitch = dst_pitch,
                       .src_pitch = src_pitch};
    (void)dst_slice; /* there is one */
    (void)src_slice;
    DRIVER_CALL(append_region(list, copy, dst_region, src_region, (Events){signal, n_wait, wait}));
}

static ze_result_t append_timer(ze_command_list_handle_t handle, uint64_t *dst, Events events)
{
    ze_result_t result;
    List *list = driver_find(handle, OBJECT_LIST, &result);
    Command command = {.kind = COMMAND_TIMER, .timer_address = (uintptr_t)dst};
    if (!list)
        return result;
    return dst ? append(list, &command, events) : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

DRIVER_DEFINE(zeCommandListAppendWriteGlobalTimestamp,
              (ze_command_list_handle_t list, uint64_t *dst, ze_event_handle_t signal,
               uint32_t n_wait, ze_event_handle_t *wait),
              append_timer(list, dst, (Events){signal, n_wait, wait}))

static ze_result_t append_launch(ze_command_list_handle_t handle, ze_kernel_handle_t kernel_handle,
                                 const ze_group_count_t *groups, Events events)
{
    ze_result_t result;
    List *list = driver_find(handle, OBJECT_LIST, &result);
    Command command = {.kind = COMMAND_KERNEL};
    Kernel *kernel = list ? driver_find(kernel_handle, OBJECT_KERNEL, &result) : NULL;
    if (!kernel)
        return result;
    if (!groups)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (list->ordinal != QUEUE_GROUP_COMPUTE) {
        machine_complain("a kernel is put on a list for copies");
        return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    }
    if (kernel->module->object.magic != DRIVER_ALIVE || kernel->module->context != list->context ||
        kernel->object.device != list->object.device) {
        machine_complain("a kernel is used without its module, context or device");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    machine_note(" name=%s", kernel->code->name);
    result = driver_prepare_launch(kernel, groups, &command.launch);
    return result == ZE_RESULT_SUCCESS ? append(list, &command, events) : result;
}

DRIVER_DEFINE(zeCommandListAppendLaunchKernel,
              (ze_command_list_handle_t list, ze_kernel_handle_t kernel,
               const ze_group_count_t *groups, ze_event_handle_t signal, uint32_t n_wait,
               ze_event_handle_t *wait),
              append_launch(list, kernel, groups, (Events){signal, n_wait, wait}))

/* -- pools -- */

static ze_result_t create_pool(ze_context_handle_t handle, const ze_event_pool_desc_t *desc,
                               uint32_t n_devices, ze_device_handle_t *devices,
                               ze_event_pool_handle_t *created)
{
    ze_result_t result;
    Device *device = &driver.devices[0];
    Context *context = driver_find(handle, OBJECT_CONTEXT, &result);
    if (!context)
        return result;
    if (!desc || !created || (n_devices && !devices))
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->count == 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    if (desc->flags & ZE_EVENT_POOL_FLAG_IPC)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    for (uint32_t i = n_devices; i-- > 0;) {
        device = driver_find(devices[i], OBJECT_DEVICE, &result);
        if (!device)
            return result;
    }
    Pool *pool = driver_create_object(OBJECT_POOL, sizeof(*pool), device);
    pool->context = context;
    pool->flags = desc->flags;
    pool->count = desc->count;
    pool->events = calloc(desc->count, sizeof(*pool->events));
    *created = (ze_event_pool_handle_t)pool;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeEventPoolCreate,
              (ze_context_handle_t context, const ze_event_pool_desc_t *desc, uint32_t n_devices,
               ze_device_handle_t *devices, ze_event_pool_handle_t *pool),
              create_pool(context, desc, n_devices, devices, pool))

static ze_result_t destroy_pool(ze_event_pool_handle_t handle)
{
    ze_result_t result;
    Pool *pool = driver_find_lost(handle, OBJECT_POOL, &result);
    if (!pool)
        return result;
    for (uint32_t i = 0; i < pool->count; i++) {
        if (!pool->events[i])
            continue;
        machine_complain("a pool is destroyed that has events");
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    free(pool->events);
    driver_destroy_object(&pool->object);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeEventPoolDestroy, (ze_event_pool_handle_t handle), destroy_pool(handle))

/* -- events -- */

static ze_result_t create_event(ze_event_pool_handle_t handle, const ze_event_desc_t *desc,
                                ze_event_handle_t *created)
{
    ze_result_t result;
    Pool *pool = driver_find(handle, OBJECT_POOL, &result);
    if (!pool)
        return result;
    if (!desc || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->index >= pool->count)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (pool->events[desc->index]) {
        machine_complain("two events of a pool have the index %u", desc->index);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    Event *event = driver_create_object(OBJECT_EVENT, sizeof(*event), pool->object.device);
    event->pool = pool;
    event->index = desc->index;
    pool->events[desc->index] = event;
    *created = (ze_event_handle_t)event;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeEventCreate,
              (ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *event),
              create_event(pool, desc, event))

static ze_result_t destroy_event(ze_event_handle_t handle)
{
    ze_result_t result;
    Event *event = driver_find_lost(handle, OBJECT_EVENT, &result);
    if (!event)
        return result;
    driver_spoil(&event->object);
    event->pool->events[event->index] = NULL;
    driver_destroy_object(&event->object);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeEventDestroy, (ze_event_handle_t handle), destroy_event(handle))

/* One that the host may ask about. */
static Event *find_visible(ze_event_handle_t handle, ze_result_t *result)
{
    Event *event = driver_find(handle, OBJECT_EVENT, result);
    if (event && !(event->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE)) {
        machine_complain("the host uses an event that is not visible to it");
        *result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    return event;
}

static ze_result_t signal_event(ze_event_handle_t handle)
{
    ze_result_t result;
    Event *event = find_visible(handle, &result);
    if (!event)
        return result;
    event->is_signalled = true;
    schedule_progress();
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeEventHostSignal, (ze_event_handle_t handle), signal_event(handle))

static ze_result_t wait_event(ze_event_handle_t handle, uint64_t timeout_ns)
{
    ze_result_t result;
    Event *event = find_visible(handle, &result);
    if (!event)
        return result;
    return driver_wait_event(event, timeout_ns);
}

DRIVER_DEFINE(zeEventHostSynchronize, (ze_event_handle_t handle, uint64_t timeout_ns),
              wait_event(handle, timeout_ns))
DRIVER_DEFINE(zeEventQueryStatus, (ze_event_handle_t handle), wait_event(handle, 0))

static ze_result_t reset_event(ze_event_handle_t handle)
{
    ze_result_t result;
    Event *event = driver_find(handle, OBJECT_EVENT, &result);
    if (!event)
        return result;
    if (event->is_signalled && driver_is_awaited(event))
        machine_complain("the host resets an event before work that waits for it has seen it");
    event->is_signalled = false;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeEventHostReset, (ze_event_handle_t handle), reset_event(handle))
