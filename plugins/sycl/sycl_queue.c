/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Command lists, queues, and how work gets to the device: copies on the queue's stream for them,
 * command lists on one of its other streams, which waits for the copies so far. Events say when
 * something has been done.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "platform/time.h"
#include "sycl_internal.h"

/* -- events: those that mark an order are Level Zero's, from pools of 64; those that take times are
 * a place in the host's memory, where the device writes its clock -- */

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

static ze_event_handle_t handle_of(const void *event)
{
    return ((const SyclEvent *)event)->handle;
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

static int create_event(SyclDevice *device, bool takes_time, void **created)
{
    SyclEvent *event = calloc(1, sizeof(*event));
    if (!event)
        return vmaf_stream_fail(&device->head, -ENOMEM, "out of memory (an event)");
    ze_result_t result = take_place(device, event);
    if (result != ZE_RESULT_SUCCESS) {
        free(event);
        return sycl_check(device, result, "zeEventPoolCreate");
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
    if (!takes_time)
        result = zeEventCreate(event->block->pool, &desc, &event->handle);
    vmaf_mutex_unlock(&device->event_lock);
    if (result != ZE_RESULT_SUCCESS) {
        leave_place(device, event);
        free(event);
        return sycl_check(device, result, "zeEventCreate");
    }
    *created = event;
    return 0;
}

static void destroy_event(SyclDevice *device, void *destroyed)
{
    SyclEvent *event = destroyed;
    if (!event)
        return;
    if (event->handle)
        zeEventDestroy(event->handle);
    leave_place(device, event);
    free(event);
}

/* -- streams: immediate command lists, where what is appended starts at once, in any order but for
 * barriers, which also make memory visible to the device and to the host -- */

/* A barrier that signals and waits; either may be NULL. */
static int append_barrier(SyclDevice *device, ze_command_list_handle_t stream,
                          ze_event_handle_t signal, ze_event_handle_t wait)
{
    return sycl_check(device,
                      zeCommandListAppendBarrier(stream, signal, wait ? 1 : 0, wait ? &wait : NULL),
                      "zeCommandListAppendBarrier");
}

static int record(SyclDevice *device, void *recorded, ze_command_list_handle_t stream)
{
    SyclEvent *event = recorded;
    atomic_store(&event->since_ns, vmaf_steady_ns());
    if (!event->handle) {
        const int err = append_barrier(device, stream, NULL, NULL);
        uint64_t *time = event->block->times + event->place;
        return err ? err
                   : sycl_check(
                         device,
                         zeCommandListAppendWriteGlobalTimestamp(stream, time, NULL, 0, NULL),
                         "zeCommandListAppendWriteGlobalTimestamp");
    }
    const int err = sycl_check(device, zeEventHostReset(event->handle), "zeEventHostReset");
    return err ? err : append_barrier(device, stream, event->handle, NULL);
}

static int create_stream(SyclDevice *device, const SyclQueueGroup *group, void **created)
{
    ze_command_list_handle_t stream = NULL;
    const ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .ordinal = group->ordinal,
        .index = atomic_fetch_add(&device->n_streams, 1) % group->n_queues,
        .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
    };
    const int err = sycl_check(
        device, zeCommandListCreateImmediate(device->context, device->device, &desc, &stream),
        "zeCommandListCreateImmediate");
    *created = err ? NULL : stream;
    return err;
}

/* Blocks until no work of the stream is running, or it never will. The error that led here stays,
 * unless the device is lost. If it cannot be waited for, what was started may run on, and what it
 * uses must not be freed. */
static void settle(SyclDevice *device, ze_command_list_handle_t stream, const void *settled)
{
    ze_event_handle_t event = handle_of(settled);
    ze_result_t result = zeEventHostReset(event);
    if (result == ZE_RESULT_SUCCESS)
        result = zeCommandListAppendBarrier(stream, event, 0, NULL);
    if (result == ZE_RESULT_SUCCESS)
        result = zeEventHostSynchronize(event, UINT64_MAX);
    if (result == ZE_RESULT_SUCCESS || vmaf_layer_state_check(&device->head.state))
        return;
    if (sycl_error_of(result) == -ENODEV) {
        sycl_check(device, result, "zeEventHostSynchronize");
        return;
    }
    atomic_store(&device->head.head.stuck, true);
    vmaf_stream_fail(&device->head, -ENODEV,
                     "the device was lost (what runs cannot be waited for)");
}

/* -- command lists -- */

int sycl_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list)
{
    return vmaf_stream_command_list_new(device, sizeof(VmafStreamCommandList), list);
}

void sycl_command_list_destroy(VmafDeviceCommandList *base)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    if (!list)
        return;
    SyclDevice *device = (SyclDevice *)base->device;
    for (int i = 0; i < VMAF_STREAM_TIMES; i++)
        destroy_event(device, list->times[i]);
    for (size_t i = 0; i < list->n_commands; i++) {
        if (list->commands[i].kind == VMAF_STREAM_DISPATCH)
            zeKernelDestroy(list->commands[i].dispatch.prepared);
    }
    vmaf_stream_command_list_free(list);
}

int sycl_command_list_end(VmafDeviceCommandList *base)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    SyclDevice *device = (SyclDevice *)base->device;
    int err = vmaf_layer_state_check(&device->head.state);
    for (int i = 0; i < VMAF_STREAM_TIMES && !err; i++) {
        if (list->takes[i])
            err = create_event(device, true, &list->times[i]);
    }
    return err;
}

/* Times since the first event: the device's clock wraps, some after minutes. */
static int read_times(VmafStreamCommandList *list, void *const *events, uint64_t *times_ns,
                      uint32_t count)
{
    const SyclDevice *device = (const SyclDevice *)list->head.device;
    const int err = vmaf_stream_check_times(list, events, count);
    uint64_t first = 0;
    for (uint32_t i = 0; i < count && !err; i++) {
        const SyclEvent *event = events[i];
        const uint64_t ticks = event->block->times[event->place];
        if (i == 0)
            first = ticks;
        const uint64_t passed = (ticks - first) & device->tick_mask;
        const bool before = passed > device->tick_mask / 2;
        times_ns[i] = before ? 0 : (uint64_t)((double)passed * device->ns_per_tick);
    }
    return err;
}

int sycl_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    return read_times(list, list->times, times_ns, count);
}

int sycl_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    VmafStreamCommandList *list = (VmafStreamCommandList *)base;
    return read_times(list, &list->times[VMAF_STREAM_COPY_TIMES], times_ns, 2);
}

/* -- queues -- */

typedef struct SyclQueue {
    VmafStreamQueue base;
    void *settled[VMAF_STREAM_COUNT]; /* an event for each stream: see settle */
} SyclQueue;

void sycl_queue_destroy(VmafDeviceQueue *base)
{
    SyclQueue *queue = (SyclQueue *)base;
    if (!queue)
        return;
    SyclDevice *device = (SyclDevice *)base->device;
    for (int p = 0; p < VMAF_STREAM_PLACES; p++) {
        destroy_event(device, queue->base.places[p].copied);
        destroy_event(device, queue->base.places[p].finished);
    }
    for (int t = 0; t < VMAF_STREAM_COUNT; t++) {
        if (queue->base.streams[t])
            zeCommandListDestroy(queue->base.streams[t]);
        destroy_event(device, queue->settled[t]);
    }
    vmaf_stream_queue_free(&queue->base);
}

static int create_all(SyclDevice *device, SyclQueue *queue)
{
    int err = 0;
    for (int t = 0; t < VMAF_STREAM_COUNT && !err; t++) {
        const bool copies = t == VMAF_STREAM_COPIES && device->copy.n_queues;
        err = create_stream(device, copies ? &device->copy : &device->compute,
                            &queue->base.streams[t]);
        if (!err)
            err = create_event(device, false, &queue->settled[t]);
    }
    for (int p = 0; p < VMAF_STREAM_PLACES && !err; p++) {
        err = create_event(device, false, &queue->base.places[p].copied);
        if (!err)
            err = create_event(device, false, &queue->base.places[p].finished);
    }
    return err;
}

int sycl_queue_create(VmafDevice *base, VmafDeviceQueue **created)
{
    int err;
    *created = NULL;
    SyclQueue *queue = vmaf_stream_queue_new(base, sizeof(*queue), &err);
    if (!queue)
        return err;
    err = create_all((SyclDevice *)base, queue);
    if (err)
        sycl_queue_destroy(&queue->base.head);
    else
        *created = &queue->base.head;
    return err;
}

/* -- commands -- */

static ze_result_t copy_region(ze_command_list_handle_t list, unsigned char *dst,
                               const unsigned char *src, const VmafDeviceCopy *rows)
{
    const ze_copy_region_t region = {
        .width = (uint32_t)rows->row_size, .height = rows->rows, .depth = 1};
    const uint32_t dst_pitch = (uint32_t)rows->dst_stride, src_pitch = (uint32_t)rows->src_stride;
    return zeCommandListAppendMemoryCopyRegion(list, dst, &region, dst_pitch,
                                               dst_pitch * rows->rows, src, &region, src_pitch,
                                               src_pitch * rows->rows, NULL, 0, NULL);
}

/* Regions have numbers of 32 bits. */
static bool is_region(const VmafDeviceCopy *rows)
{
    return rows->rows > 1 && rows->dst_stride <= UINT32_MAX / rows->rows &&
           rows->src_stride <= UINT32_MAX / rows->rows;
}

static int copy_rows(SyclDevice *device, ze_command_list_handle_t stream,
                     const VmafDeviceCopy *rows)
{
    unsigned char *dst =
        (unsigned char *)(uintptr_t)vmaf_stream_address(rows->dst, rows->dst_offset);
    const unsigned char *src =
        (const unsigned char *)(uintptr_t)vmaf_stream_address(rows->src, rows->src_offset);
    if (is_region(rows))
        return sycl_check(device, copy_region(stream, dst, src, rows),
                          "zeCommandListAppendMemoryCopyRegion");
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t row = 0; row < rows->rows && result == ZE_RESULT_SUCCESS; row++)
        result = zeCommandListAppendMemoryCopy(stream, dst + row * rows->dst_stride,
                                               src + row * rows->src_stride, rows->row_size, NULL,
                                               0, NULL);
    return sycl_check(device, result, "zeCommandListAppendMemoryCopy");
}

static int launch(SyclDevice *device, ze_command_list_handle_t stream,
                  const VmafStreamDispatch *dispatch)
{
    const ze_group_count_t groups = {dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]};
    return sycl_check(
        device, zeCommandListAppendLaunchKernel(stream, dispatch->prepared, &groups, NULL, 0, NULL),
        dispatch->kernel->head.kernel->name);
}

static int run_list(SyclDevice *device, ze_command_list_handle_t stream,
                    const VmafStreamCommandList *list)
{
    int err = 0;
    for (size_t i = 0; i < list->n_commands && !err; i++) {
        const VmafStreamCommand *command = &list->commands[i];
        switch (command->kind) {
        case VMAF_STREAM_COPY:
            err = copy_rows(device, stream, &command->copy);
            break;
        case VMAF_STREAM_DISPATCH:
            err = launch(device, stream, &command->dispatch);
            break;
        case VMAF_STREAM_BARRIER:
            err = append_barrier(device, stream, NULL, NULL);
            break;
        case VMAF_STREAM_TIMESTAMP:
            err = record(device, list->times[command->time], stream);
            break;
        }
    }
    return err;
}

/* -- submissions -- */

/* An event of the application's context. */
static ze_event_handle_t event_of(const VmafBackendSync *sync)
{
    return (ze_event_handle_t)(uintptr_t)sync->handle;
}

/* The copies of a submission, between what they wait for and what they signal. */
static int start_copies(SyclDevice *device, const VmafStreamCommandList *list,
                        const VmafDeviceSubmit *params, const VmafStreamSubmission *submission)
{
    ze_command_list_handle_t stream = submission->copies;
    void *const *times = list ? &list->times[VMAF_STREAM_COPY_TIMES] : NULL;
    int err = 0;
    for (uint32_t i = 0; i < params->n_waits && !err; i++)
        err = append_barrier(device, stream, NULL, event_of(&params->waits[i]));
    if (!err && times && times[0])
        err = record(device, times[0], stream);
    for (uint32_t i = 0; i < params->n_copies && !err; i++) {
        const VmafDeviceCopy rows = vmaf_stream_rows_of(&params->copies[i]);
        err = copy_rows(device, stream, &rows);
    }
    if (!err && times && times[1])
        err = record(device, times[1], stream);
    if (!err)
        err = record(device, submission->place->copied, stream);
    if (!err)
        vmaf_stream_note_copies(submission);
    for (uint32_t i = 0; i < params->n_signals && !err; i++)
        err = append_barrier(device, stream, event_of(&params->signals[i]), NULL);
    return err;
}

static int start(SyclDevice *device, const VmafStreamCommandList *list,
                 const VmafDeviceSubmit *params, const VmafStreamSubmission *submission)
{
    ze_command_list_handle_t stream = submission->stream;
    int err = vmaf_stream_has_copies(params) ? start_copies(device, list, params, submission) : 0;
    void *copied = err ? NULL : vmaf_stream_awaited_copies(submission);
    if (copied)
        err = append_barrier(device, stream, NULL, handle_of(copied));
    if (!err && list)
        err = run_list(device, stream, list);
    return err ? err : record(device, submission->place->finished, stream);
}

int sycl_submit(VmafDeviceQueue *base, VmafDeviceCommandList *list, const VmafDeviceSubmit *params,
                VmafDeviceTicket *ticket)
{
    SyclQueue *queue = (SyclQueue *)base;
    SyclDevice *device = (SyclDevice *)base->device;
    VmafStreamSubmission submission;
    int err = vmaf_stream_submit_begin(&queue->base, list, params, &submission);
    if (!err && !submission.hangs) {
        err = submission.loses ? vmaf_layer_state_failed(&device->head.state, -ENODEV,
                                                         "a fault for tests", "lost")
                               : start(device, (VmafStreamCommandList *)list, params, &submission);
        /* The part that was started has no ticket to wait for. */
        for (int t = 0; t < VMAF_STREAM_COUNT && err; t++)
            settle(device, queue->base.streams[t], queue->settled[t]);
    }
    return vmaf_stream_submit_end(&submission, err, ticket);
}

/* -- waiting -- */

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

static int query(VmafStreamDevice *device, void *event)
{
    ze_result_t result = zeEventQueryStatus(handle_of(event));
    if (result == ZE_RESULT_NOT_READY)
        result = look_for_hang(event);
    return result == ZE_RESULT_NOT_READY
               ? -EAGAIN
               : sycl_check((SyclDevice *)device, result, "zeEventQueryStatus");
}

int sycl_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    return vmaf_stream_wait((VmafStreamQueue *)queue, ticket, timeout_ns, query);
}
