/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Events come from pools of 64. Those that mark an order are Level Zero's; those that take times
 * are a place in the host's memory, where the device writes its clock.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "platform/time.h"
#include "sycl_internal.h"

enum { BLOCK_EVENTS = 64 };

typedef struct SyclEventBlock {
    struct SyclEventBlock *next;
    uint64_t used; /* a set of places */
    ze_event_pool_handle_t pool;
    uint64_t *times;
} SyclEventBlock;

typedef struct SyclEvent {
    SyclEventBlock *block;
    uint32_t place;
    ze_event_handle_t handle; /* NULL: takes times */
    /* When it was recorded, or last waited for: see sycl_event_query. */
    _Atomic int64_t since_ns;
} SyclEvent;

ze_event_handle_t sycl_event_handle(void *event)
{
    return ((SyclEvent *)event)->handle;
}

static void close_block(const SyclDevice *device, SyclEventBlock *block)
{
    if (block->pool)
        zeEventPoolDestroy(block->pool);
    if (block->times)
        zeMemFree(device->context, block->times);
    free(block);
}

void sycl_events_close(SyclDevice *device)
{
    while (device->blocks) {
        SyclEventBlock *block = device->blocks;
        device->blocks = block->next;
        close_block(device, block);
    }
}

/* Adds a block without events. The lock is held. */
static ze_result_t add_block(SyclDevice *device)
{
    const ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
        .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
        .count = BLOCK_EVENTS,
    };
    const ze_host_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    SyclEventBlock *block = calloc(1, sizeof(*block));
    void *times = NULL;
    if (!block)
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    ze_result_t result =
        zeEventPoolCreate(device->context, &desc, 1, &device->device, &block->pool);
    if (result == ZE_RESULT_SUCCESS)
        result = zeMemAllocHost(device->context, &memory, BLOCK_EVENTS * sizeof(*block->times),
                                sizeof(*block->times), &times);
    block->times = times;
    if (result != ZE_RESULT_SUCCESS) {
        close_block(device, block);
        return result;
    }
    block->next = device->blocks;
    device->blocks = block;
    return ZE_RESULT_SUCCESS;
}

/* Finds a place for an event. */
static ze_result_t take_place(SyclDevice *device, SyclEvent *event)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    vmaf_mutex_lock(&device->event_lock);
    SyclEventBlock *block = device->blocks;
    while (block && block->used == UINT64_MAX)
        block = block->next;
    if (!block) {
        result = add_block(device);
        block = device->blocks;
    }
    if (result == ZE_RESULT_SUCCESS) {
        event->block = block;
        while (block->used >> event->place & 1)
            event->place++;
        block->used |= UINT64_C(1) << event->place;
    }
    vmaf_mutex_unlock(&device->event_lock);
    return result;
}

static void leave_place(SyclDevice *device, const SyclEvent *event)
{
    vmaf_mutex_lock(&device->event_lock);
    event->block->used &= ~(UINT64_C(1) << event->place);
    vmaf_mutex_unlock(&device->event_lock);
}

int sycl_event_create(VmafStreamDevice *base, enum VmafStreamEventKind kind, void **created)
{
    SyclDevice *device = sycl_device(base);
    SyclEvent *event = calloc(1, sizeof(*event));
    if (!event)
        return vmaf_stream_fail(base, -ENOMEM, "out of memory (an event)");
    ze_result_t result = take_place(device, event);
    if (result != ZE_RESULT_SUCCESS) {
        free(event);
        return sycl_check(base, result, "zeEventPoolCreate");
    }
    /* The host reads what was copied before the event, and the device what the host wrote. */
    const ze_event_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
        .index = event->place,
        .signal = ZE_EVENT_SCOPE_FLAG_HOST,
        .wait = ZE_EVENT_SCOPE_FLAG_HOST,
    };
    /* One thread at a time may create events of a pool. */
    vmaf_mutex_lock(&device->event_lock);
    if (kind == VMAF_STREAM_EVENT_ORDER)
        result = zeEventCreate(event->block->pool, &desc, &event->handle);
    vmaf_mutex_unlock(&device->event_lock);
    if (result != ZE_RESULT_SUCCESS) {
        leave_place(device, event);
        free(event);
        return sycl_check(base, result, "zeEventCreate");
    }
    *created = event;
    return 0;
}

void sycl_event_destroy(VmafStreamDevice *base, void *destroyed)
{
    SyclEvent *event = destroyed;
    if (event->handle)
        zeEventDestroy(event->handle);
    leave_place(sycl_device(base), event);
    free(event);
}

int sycl_event_record(VmafStreamDevice *base, void *recorded, void *stream)
{
    SyclEvent *event = recorded;
    atomic_store(&event->since_ns, vmaf_steady_ns());
    if (!event->handle) {
        const int err = sycl_append_barrier(base, stream, NULL, NULL);
        uint64_t *time = event->block->times + event->place;
        return err ? err
                   : sycl_check(base,
                                zeCommandListAppendWriteGlobalTimestamp(sycl_list_of(stream), time,
                                                                        NULL, 0, NULL),
                                "zeCommandListAppendWriteGlobalTimestamp");
    }
    const int err = sycl_check(base, zeEventHostReset(event->handle), "zeEventHostReset");
    return err ? err : sycl_append_barrier(base, stream, event->handle, NULL);
}

/*
 * Intel's driver finds out that a device hangs, or was reset, only while somebody waits in it:
 * asking reads memory that nobody writes any more. So an event that has not come true for long is
 * waited for a moment, which a device that works on it ends.
 */
static ze_result_t look_for_hang(SyclEvent *event)
{
    enum { LONG_NS = 2000000000, MOMENT_NS = 700000000 };
    const int64_t now = vmaf_steady_ns();
    if (now - atomic_load(&event->since_ns) < LONG_NS)
        return ZE_RESULT_NOT_READY;
    atomic_store(&event->since_ns, now);
    return zeEventHostSynchronize(event->handle, MOMENT_NS);
}

int sycl_event_query(VmafStreamDevice *base, void *asked)
{
    SyclEvent *event = asked;
    ze_result_t result = zeEventQueryStatus(event->handle);
    if (result == ZE_RESULT_NOT_READY)
        result = look_for_hang(event);
    return result == ZE_RESULT_NOT_READY ? -EAGAIN : sycl_check(base, result, "zeEventQueryStatus");
}

/* Since the first event: the device's clock wraps, some after minutes. */
int sycl_event_times(VmafStreamDevice *base, void *const *events, uint64_t *times_ns,
                     uint32_t count)
{
    const SyclDevice *device = sycl_device(base);
    uint64_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        const SyclEvent *event = events[i];
        const uint64_t ticks = event->block->times[event->place];
        if (i == 0)
            first = ticks;
        const uint64_t passed = (ticks - first) & device->tick_mask;
        const bool before = passed > device->tick_mask / 2;
        times_ns[i] = before ? 0 : (uint64_t)((double)passed * device->ns_per_tick);
    }
    return 0;
}
