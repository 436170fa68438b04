/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A stream is an immediate command list: what is appended starts at once, in any order but for
 * barriers, which also make memory visible to the device and to the host.
 */
#include <errno.h>
#include <stdlib.h>

#include "sycl_internal.h"

typedef struct SyclStream {
    ze_command_list_handle_t list;
    void *settled; /* an event for sycl_stream_settle */
} SyclStream;

ze_command_list_handle_t sycl_list_of(void *stream)
{
    return ((SyclStream *)stream)->list;
}

/* -- life -- */

static int create_list(VmafStreamDevice *base, const SyclQueueGroup *group, SyclStream *stream)
{
    SyclDevice *device = sycl_device(base);
    const ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
        .ordinal = group->ordinal,
        .index = atomic_fetch_add(&device->n_streams, 1) % group->n_queues,
        .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
    };
    return sycl_check(
        base, zeCommandListCreateImmediate(device->context, device->device, &desc, &stream->list),
        "zeCommandListCreateImmediate");
}

static int create_stream(VmafStreamDevice *base, const SyclQueueGroup *group, void **created)
{
    SyclStream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return vmaf_stream_fail(base, -ENOMEM, "out of memory (a stream)");
    int err = create_list(base, group, stream);
    if (!err)
        err = sycl_event_create(base, VMAF_STREAM_EVENT_ORDER, &stream->settled);
    if (err) {
        sycl_stream_destroy(base, stream);
        return err;
    }
    *created = stream;
    return 0;
}

int sycl_stream_create(VmafStreamDevice *base, void **created)
{
    return create_stream(base, &sycl_device(base)->compute, created);
}

int sycl_copy_stream_create(VmafStreamDevice *base, void **created)
{
    const SyclDevice *device = sycl_device(base);
    return create_stream(base, device->copy.n_queues ? &device->copy : &device->compute, created);
}

void sycl_stream_destroy(VmafStreamDevice *base, void *destroyed)
{
    SyclStream *stream = destroyed;
    if (stream->list)
        zeCommandListDestroy(stream->list);
    if (stream->settled)
        sycl_event_destroy(base, stream->settled);
    free(stream);
}

/* -- order -- */

int sycl_append_barrier(VmafStreamDevice *base, void *stream, ze_event_handle_t signal,
                        ze_event_handle_t wait)
{
    return sycl_check(
        base,
        zeCommandListAppendBarrier(sycl_list_of(stream), signal, wait ? 1 : 0, wait ? &wait : NULL),
        "zeCommandListAppendBarrier");
}

int sycl_barrier(VmafStreamDevice *base, void *stream)
{
    return sycl_append_barrier(base, stream, NULL, NULL);
}

int sycl_stream_wait(VmafStreamDevice *base, void *stream, void *event)
{
    return sycl_append_barrier(base, stream, NULL, sycl_event_handle(event));
}

/* The error that led here stays, unless the device is lost. If it cannot be waited for, what was
 * started may run on, and what it uses must not be freed. */
void sycl_stream_settle(VmafStreamDevice *base, void *settled)
{
    const SyclStream *stream = settled;
    ze_event_handle_t event = sycl_event_handle(stream->settled);
    ze_result_t result = zeEventHostReset(event);
    if (result == ZE_RESULT_SUCCESS)
        result = zeCommandListAppendBarrier(stream->list, event, 0, NULL);
    if (result == ZE_RESULT_SUCCESS)
        result = zeEventHostSynchronize(event, UINT64_MAX);
    if (result == ZE_RESULT_SUCCESS || vmaf_stream_check(base))
        return;
    if (sycl_error_of(result) == -ENODEV) {
        sycl_check(base, result, "zeEventHostSynchronize");
        return;
    }
    atomic_store(&base->head.stuck, true);
    vmaf_stream_fail(base, -ENODEV, "the device was lost (what runs cannot be waited for)");
}

/* Events of the application's context. */
int sycl_sync_wait(VmafStreamDevice *base, void *stream, const VmafBackendSync *sync)
{
    return sycl_append_barrier(base, stream, NULL, (ze_event_handle_t)(uintptr_t)sync->handle);
}

int sycl_sync_signal(VmafStreamDevice *base, void *stream, const VmafBackendSync *sync,
                     void *copied)
{
    (void)copied; /* the barrier comes after it */
    return sycl_append_barrier(base, stream, (ze_event_handle_t)(uintptr_t)sync->handle, NULL);
}

/* -- work -- */

static ze_result_t copy_region(ze_command_list_handle_t list, unsigned char *dst,
                               const unsigned char *src, const VmafStreamRows *rows)
{
    const ze_copy_region_t region = {
        .width = (uint32_t)rows->row_size, .height = rows->rows, .depth = 1};
    const uint32_t dst_pitch = (uint32_t)rows->dst_stride, src_pitch = (uint32_t)rows->src_stride;
    return zeCommandListAppendMemoryCopyRegion(list, dst, &region, dst_pitch,
                                               dst_pitch * rows->rows, src, &region, src_pitch,
                                               src_pitch * rows->rows, NULL, 0, NULL);
}

/* Regions have numbers of 32 bits. */
static bool is_region(const VmafStreamRows *rows)
{
    return rows->rows > 1 && rows->dst_stride <= UINT32_MAX / rows->rows &&
           rows->src_stride <= UINT32_MAX / rows->rows;
}

int sycl_copy(VmafStreamDevice *base, void *stream, const VmafStreamRows *rows)
{
    ze_command_list_handle_t list = sycl_list_of(stream);
    unsigned char *dst = (unsigned char *)(uintptr_t)(rows->dst->address + rows->dst_offset);
    const unsigned char *src =
        (const unsigned char *)(uintptr_t)(rows->src->address + rows->src_offset);
    if (is_region(rows))
        return sycl_check(base, copy_region(list, dst, src, rows),
                          "zeCommandListAppendMemoryCopyRegion");
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t row = 0; row < rows->rows && result == ZE_RESULT_SUCCESS; row++)
        result = zeCommandListAppendMemoryCopy(list, dst + row * rows->dst_stride,
                                               src + row * rows->src_stride, rows->row_size, NULL,
                                               0, NULL);
    return sycl_check(base, result, "zeCommandListAppendMemoryCopy");
}

int sycl_dispatch(VmafStreamDevice *base, void *stream, const VmafStreamDispatch *dispatch)
{
    const ze_group_count_t groups = {dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]};
    return sycl_check(base,
                      zeCommandListAppendLaunchKernel(sycl_list_of(stream), dispatch->prepared,
                                                      &groups, NULL, 0, NULL),
                      dispatch->kernel->head.kernel->name);
}
