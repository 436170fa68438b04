/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Immediate command lists, what is put on them, and events. */
#include "driver_command.h"

#include <stdlib.h>

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
    machine_note(" bytes=%zu", copy->width * copy->height * copy->depth);
    if (!copy->dst || !copy->src)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    return append(list, &command, events);
}

ze_result_t emulated_zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void *dst,
                                                   const void *src, size_t size,
                                                   ze_event_handle_t signal, uint32_t n_wait,
                                                   ze_event_handle_t *wait)
{
    const Copy copy = {
        .dst = (uintptr_t)dst, .src = (uintptr_t)src, .width = size, .height = 1, .depth = 1};
    DRIVER_CALL(append_copy(list, &copy, (Events){signal, n_wait, wait}));
}

static bool is_good(const ze_copy_region_t *region, uint32_t pitch, uint32_t slice)
{
    return region->width > 0 && region->height > 0 &&
           (region->height == 1 || (uint64_t)region->originX + region->width <= pitch) &&
           (region->depth <= 1 || (uint64_t)pitch * region->height <= slice);
}

static ze_result_t make_copy(Copy *copy, const ze_copy_region_t *dst, const ze_copy_region_t *src)
{
    if (!dst || !src)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (dst->width != src->width || dst->height != src->height || dst->depth != src->depth ||
        !is_good(dst, (uint32_t)copy->dst_pitch, (uint32_t)copy->dst_slice) ||
        !is_good(src, (uint32_t)copy->src_pitch, (uint32_t)copy->src_slice)) {
        machine_complain("two regions of a copy differ, or are larger than their pitches");
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    copy->width = dst->width;
    copy->height = dst->height;
    copy->depth = dst->depth ? dst->depth : 1;
    copy->dst += dst->originX + dst->originY * copy->dst_pitch + dst->originZ * copy->dst_slice;
    copy->src += src->originX + src->originY * copy->src_pitch + src->originZ * copy->src_slice;
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
                       .src_pitch = src_pitch,
                       .dst_slice = dst_slice,
                       .src_slice = src_slice};
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

/* -- events -- */

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
