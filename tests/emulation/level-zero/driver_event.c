/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Pools of events, events, fences: what the host does with them. */
#include <stdlib.h>

#include "driver_command.h"

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

ze_result_t emulated_zeEventPoolCreate(ze_context_handle_t context,
                                       const ze_event_pool_desc_t *desc, uint32_t n_devices,
                                       ze_device_handle_t *devices, ze_event_pool_handle_t *pool)
{
    DRIVER_CALL(create_pool(context, desc, n_devices, devices, pool));
}

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

ze_result_t emulated_zeEventPoolDestroy(ze_event_pool_handle_t handle)
{
    DRIVER_CALL(destroy_pool(handle));
}

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

ze_result_t emulated_zeEventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t *desc,
                                   ze_event_handle_t *event)
{
    DRIVER_CALL(create_event(pool, desc, event));
}

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

ze_result_t emulated_zeEventDestroy(ze_event_handle_t handle)
{
    DRIVER_CALL(destroy_event(handle));
}

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
    driver_make_progress();
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeEventHostSignal(ze_event_handle_t handle)
{
    DRIVER_CALL(signal_event(handle));
}

static ze_result_t wait_event(ze_event_handle_t handle, uint64_t timeout_ns)
{
    ze_result_t result;
    Event *event = find_visible(handle, &result);
    if (!event)
        return result;
    return driver_wait(event->object.device, &(Target){.event = event}, timeout_ns);
}

ze_result_t emulated_zeEventHostSynchronize(ze_event_handle_t handle, uint64_t timeout_ns)
{
    DRIVER_CALL(wait_event(handle, timeout_ns));
}

ze_result_t emulated_zeEventQueryStatus(ze_event_handle_t handle)
{
    DRIVER_CALL(wait_event(handle, 0));
}

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

ze_result_t emulated_zeEventHostReset(ze_event_handle_t handle)
{
    DRIVER_CALL(reset_event(handle));
}

static ze_result_t query_times(ze_event_handle_t handle, ze_kernel_timestamp_result_t *times)
{
    ze_result_t result;
    const Event *event = driver_find(handle, OBJECT_EVENT, &result);
    if (!event)
        return result;
    if (!times)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (!(event->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP)) {
        machine_complain("timestamps of an event are queried whose pool has none");
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!event->is_signalled)
        return ZE_RESULT_NOT_READY;
    driver_event_times(event, times);
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeEventQueryKernelTimestamp(ze_event_handle_t handle,
                                                 ze_kernel_timestamp_result_t *times)
{
    DRIVER_CALL(query_times(handle, times));
}

/* -- fences -- */

static ze_result_t create_fence(ze_command_queue_handle_t handle, const ze_fence_desc_t *desc,
                                ze_fence_handle_t *created)
{
    ze_result_t result;
    Queue *queue = driver_find(handle, OBJECT_QUEUE, &result);
    if (!queue)
        return result;
    if (!desc || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    Fence *fence = driver_create_object(OBJECT_FENCE, sizeof(*fence), queue->object.device);
    fence->queue = queue;
    fence->is_signalled = (desc->flags & ZE_FENCE_FLAG_SIGNALED) != 0;
    *created = (ze_fence_handle_t)fence;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeFenceCreate(ze_command_queue_handle_t queue, const ze_fence_desc_t *desc,
                                   ze_fence_handle_t *fence)
{
    DRIVER_CALL(create_fence(queue, desc, fence));
}

ze_result_t emulated_zeFenceDestroy(ze_fence_handle_t handle)
{
    DRIVER_CALL(driver_give_back(handle, OBJECT_FENCE));
}

static ze_result_t wait_fence(ze_fence_handle_t handle, uint64_t timeout_ns)
{
    ze_result_t result;
    Fence *fence = driver_find(handle, OBJECT_FENCE, &result);
    if (!fence)
        return result;
    return driver_wait(fence->object.device, &(Target){.fence = fence}, timeout_ns);
}

ze_result_t emulated_zeFenceHostSynchronize(ze_fence_handle_t handle, uint64_t timeout_ns)
{
    DRIVER_CALL(wait_fence(handle, timeout_ns));
}

ze_result_t emulated_zeFenceQueryStatus(ze_fence_handle_t handle)
{
    DRIVER_CALL(wait_fence(handle, 0));
}

static ze_result_t reset_fence(ze_fence_handle_t handle)
{
    ze_result_t result;
    Fence *fence = driver_find(handle, OBJECT_FENCE, &result);
    if (!fence)
        return result;
    if (driver_is_used(&fence->object)) {
        machine_complain("a fence is reset that work will still signal");
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    }
    fence->is_signalled = false;
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeFenceReset(ze_fence_handle_t handle)
{
    DRIVER_CALL(reset_fence(handle));
}
