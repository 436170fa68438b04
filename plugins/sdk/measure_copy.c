/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Measures how fast a device copies: the limit for kernels that do nothing but move bytes. */
#include <errno.h>

#include "driver_guard.h"
#include "memory.h"
#include "platform/time.h"
#include "status.h"
#include "stopwatch.h"

enum { COPIES = 8 };
static const uint64_t COPY_SIZE = UINT64_C(1) << 26; /* more than any cache holds */

static double now(void)
{
    return 1e-9 * (double)vmaf_steady_ns();
}

typedef struct CopyTrial {
    VmafDevice *device;
    VmafDeviceBuffer *src, *dst;
    VmafDeviceQueue *queue;
    VmafDeviceCommandList *list;
} CopyTrial;

static int prepare(CopyTrial *trial, uint32_t copy)
{
    static const enum VmafDeviceMemory memories[][2] = {
        [VMAF_SDK_COPY_DEVICE] = {VMAF_MEMORY_DEVICE, VMAF_MEMORY_DEVICE},
        [VMAF_SDK_COPY_UPLOAD] = {VMAF_MEMORY_UPLOAD, VMAF_MEMORY_DEVICE},
        [VMAF_SDK_COPY_DOWNLOAD] = {VMAF_MEMORY_DEVICE, VMAF_MEMORY_DOWNLOAD},
    };
    const VmafDeviceLayer *layer = trial->device->layer;
    const VmafDeviceBufferParams src = {.memory = memories[copy][0], .size = COPY_SIZE};
    const VmafDeviceBufferParams dst = {.memory = memories[copy][1], .size = COPY_SIZE};
    int err = layer->queue_create(trial->device, &trial->queue);
    if (!err)
        err = layer->buffer_create(trial->device, &trial->src, &src);
    if (!err)
        err = layer->buffer_create(trial->device, &trial->dst, &dst);
    if (!err)
        err = layer->command_list_begin(trial->device, &trial->list);
    for (int i = 0; i < COPIES && !err; i++) {
        const VmafDeviceCopy command = {
            .dst = trial->dst, .src = trial->src, .row_size = COPY_SIZE, .rows = 1};
        err = layer->cmd_barrier(trial->list);
        if (!err)
            err = vmaf_device_cmd_copy(trial->list, &command);
    }
    return err ? err : layer->command_list_end(trial->list);
}

static int run(const CopyTrial *trial, double *seconds)
{
    const VmafDeviceLayer *layer = trial->device->layer;
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit)};
    VmafDeviceTicket ticket;
    const double begin = now();
    int err = vmaf_device_submit(trial->queue, trial->list, &submit, &ticket);
    if (!err)
        err = layer->wait(trial->queue, ticket, VMAF_START_LIMIT_NS);
    *seconds = now() - begin;
    return err;
}

int32_t vmaf_measure_copy(VmafDevice *device, uint32_t copy, double *bytes_per_second)
{
    if (copy > VMAF_SDK_COPY_DOWNLOAD)
        return VMAF_BACKEND_INVALID;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    CopyTrial trial = {.device = device};
    double seconds = 0.0;
    int err = prepare(&trial, copy);
    for (int i = 0; i < 2 && !err; i++) /* the first run touches new memory */
        err = run(&trial, &seconds);
    if (err == -ETIMEDOUT) {
        atomic_store(&device->stuck, true);
    } else {
        if (trial.list)
            device->layer->command_list_destroy(trial.list);
        if (trial.queue)
            device->layer->queue_destroy(trial.queue);
        device->layer->buffer_destroy(device, trial.src);
        device->layer->buffer_destroy(device, trial.dst);
    }
    vmaf_driver_guard_end(&guard);
    *bytes_per_second = err ? 0.0 : COPIES * (double)COPY_SIZE / seconds;
    return vmaf_sdk_status(err);
}
