/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What is put on command lists. */
#include <stdlib.h>
#include <string.h>

#include "driver_list.h"
#include "driver_memory.h"

/* Events of a command, as programs name them. */
typedef struct Events {
    ze_event_handle_t signal;
    uint32_t n_wait;
    ze_event_handle_t *wait;
} Events;

static List *find_list(ze_command_list_handle_t handle, ze_result_t *result)
{
    List *list = driver_find(handle, OBJECT_LIST, result);
    if (list && list->is_closed) {
        machine_complain("something is added to a list that is closed");
        *result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    return list;
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
        return driver_append(list, command);
    Command *dropped = malloc(sizeof(*dropped));
    *dropped = *command;
    driver_free_command(dropped);
    return result;
}

/* -- order -- */

static ze_result_t append_barrier(ze_command_list_handle_t handle, Events events)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {
        .kind = COMMAND_BARRIER, .holds_later = true, .waits_for_earlier = events.n_wait == 0};
    return list ? append(list, &command, events) : result;
}

ze_result_t emulated_zeCommandListAppendBarrier(ze_command_list_handle_t list,
                                                ze_event_handle_t signal, uint32_t n_wait,
                                                ze_event_handle_t *wait)
{
    DRIVER_CALL(append_barrier(list, (Events){signal, n_wait, wait}));
}

/* All of memory is more than the ranges. */
ze_result_t emulated_zeCommandListAppendMemoryRangesBarrier(
    ze_command_list_handle_t list, uint32_t n_ranges, const size_t *sizes, const void **ranges,
    ze_event_handle_t signal, uint32_t n_wait, ze_event_handle_t *wait)
{
    (void)n_ranges;
    DRIVER_CALL(sizes && ranges ? append_barrier(list, (Events){signal, n_wait, wait})
                                : ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

static ze_result_t append_wait(ze_command_list_handle_t handle, uint32_t n, ze_event_handle_t *wait)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {.kind = COMMAND_WAIT, .holds_later = true};
    if (!list)
        return result;
    return wait ? append(list, &command, (Events){NULL, n, wait})
                : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

ze_result_t emulated_zeCommandListAppendWaitOnEvents(ze_command_list_handle_t list, uint32_t n,
                                                     ze_event_handle_t *events)
{
    DRIVER_CALL(append_wait(list, n, events));
}

static ze_result_t append_signal(ze_command_list_handle_t handle, ze_event_handle_t event)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {.kind = COMMAND_SIGNAL};
    if (!list)
        return result;
    return event ? append(list, &command, (Events){.signal = event})
                 : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t emulated_zeCommandListAppendSignalEvent(ze_command_list_handle_t list,
                                                    ze_event_handle_t event)
{
    DRIVER_CALL(append_signal(list, event));
}

static ze_result_t append_reset(ze_command_list_handle_t handle, ze_event_handle_t event)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {.kind = COMMAND_RESET};
    if (!list)
        return result;
    command.reset = find_event(list, event, &result);
    return command.reset ? append(list, &command, (Events){0}) : result;
}

ze_result_t emulated_zeCommandListAppendEventReset(ze_command_list_handle_t list,
                                                   ze_event_handle_t event)
{
    DRIVER_CALL(append_reset(list, event));
}

/* -- memory -- */

static ze_result_t append_copy(ze_command_list_handle_t handle, const Copy *copy, Events events)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
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

static ze_result_t append_fill(ze_command_list_handle_t handle, void *dst, const void *pattern,
                               size_t pattern_size, size_t size, Events events)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {.kind = COMMAND_FILL};
    if (!list)
        return result;
    if (!dst || !pattern)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const size_t most = list->ordinal == QUEUE_GROUP_COMPUTE ? DRIVER_MAX_PATTERN : 1;
    if (pattern_size == 0 || pattern_size > most || (pattern_size & (pattern_size - 1)) ||
        size % pattern_size != 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    command.fill = (Fill){.dst = (uintptr_t)dst, .size = size, .pattern_size = pattern_size};
    memcpy(command.fill.pattern, pattern, pattern_size);
    machine_note(" bytes=%zu", size);
    return append(list, &command, events);
}

ze_result_t emulated_zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void *dst,
                                                   const void *pattern, size_t pattern_size,
                                                   size_t size, ze_event_handle_t signal,
                                                   uint32_t n_wait, ze_event_handle_t *wait)
{
    DRIVER_CALL(
        append_fill(list, dst, pattern, pattern_size, size, (Events){signal, n_wait, wait}));
}

/* -- time -- */

static ze_result_t append_timer(ze_command_list_handle_t handle, uint64_t *dst, Events events)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {.kind = COMMAND_TIMER, .timer_address = (uintptr_t)dst};
    if (!list)
        return result;
    return dst ? append(list, &command, events) : ZE_RESULT_ERROR_INVALID_NULL_POINTER;
}

ze_result_t emulated_zeCommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t list,
                                                             uint64_t *dst,
                                                             ze_event_handle_t signal,
                                                             uint32_t n_wait,
                                                             ze_event_handle_t *wait)
{
    DRIVER_CALL(append_timer(list, dst, (Events){signal, n_wait, wait}));
}

static ze_result_t append_times(ze_command_list_handle_t handle, uint32_t n,
                                ze_event_handle_t *handles, void *dst, const size_t *offsets,
                                Events events)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
    Command command = {.kind = COMMAND_TIMES};
    if (!list)
        return result;
    if (!handles || !dst)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    Times *times = &command.times;
    times->dst = (uintptr_t)dst;
    times->n_events = n;
    times->events = calloc(n + 1, sizeof(Event *));
    times->offsets = offsets ? calloc(n + 1, sizeof(*offsets)) : NULL;
    if (offsets)
        memcpy(times->offsets, offsets, n * sizeof(*offsets));
    for (uint32_t i = 0; i < n; i++) {
        times->events[i] = find_event(list, handles[i], &result);
        if (!times->events[i] ||
            !(times->events[i]->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP)) {
            free(times->events);
            free(times->offsets);
            return ZE_RESULT_ERROR_INVALID_ARGUMENT;
        }
    }
    return append(list, &command, events);
}

ze_result_t emulated_zeCommandListAppendQueryKernelTimestamps(
    ze_command_list_handle_t list, uint32_t n, ze_event_handle_t *events, void *dst,
    const size_t *offsets, ze_event_handle_t signal, uint32_t n_wait, ze_event_handle_t *wait)
{
    DRIVER_CALL(append_times(list, n, events, dst, offsets, (Events){signal, n_wait, wait}));
}

/* -- kernels -- */

static ze_result_t append_launch(ze_command_list_handle_t handle, ze_kernel_handle_t kernel_handle,
                                 const ze_group_count_t *groups, Events events)
{
    ze_result_t result;
    List *list = find_list(handle, &result);
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

ze_result_t emulated_zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
                                                     ze_kernel_handle_t kernel,
                                                     const ze_group_count_t *groups,
                                                     ze_event_handle_t signal, uint32_t n_wait,
                                                     ze_event_handle_t *wait)
{
    DRIVER_CALL(append_launch(list, kernel, groups, (Events){signal, n_wait, wait}));
}
