/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "transfer.h"

#include <errno.h>

#include "memory.h"

int vmaf_transfer_begin(VmafDevice *device)
{
    if (!device->state)
        return -ENOTSUP;
    VmafTransfer *transfer = &device->state->transfer;
    vmaf_mutex_lock(&transfer->lock);
    int err = atomic_load(&device->stuck) ? -ENODEV : 0;
    if (!err && !transfer->queue)
        err = device->layer->queue_create(device, &transfer->queue);
    if (err)
        vmaf_mutex_unlock(&transfer->lock);
    return err;
}

void vmaf_transfer_end(VmafDevice *device)
{
    vmaf_mutex_unlock(&device->state->transfer.lock);
}

int vmaf_transfer_staging(VmafDevice *device, enum VmafDeviceMemory memory, uint64_t size,
                          VmafDeviceBuffer **staging)
{
    VmafDeviceBuffer **kept = &device->state->transfer.staging[memory == VMAF_MEMORY_DOWNLOAD];
    int err = 0;
    if (*kept && (*kept)->size < size) {
        device->layer->buffer_destroy(device, *kept);
        *kept = NULL;
    }
    if (!*kept) {
        const VmafDeviceBufferParams params = {.memory = memory, .size = size};
        err = device->layer->buffer_create(device, kept, &params);
        if (err)
            *kept = NULL;
    }
    *staging = *kept;
    return err;
}

int vmaf_transfer_run(VmafDevice *device, const VmafDeviceSubmit *submit)
{
    VmafDeviceQueue *queue = device->state->transfer.queue;
    VmafDeviceTicket ticket;
    int err = vmaf_device_submit(queue, NULL, submit, &ticket);
    if (!err)
        err = device->layer->wait(queue, ticket, VMAF_START_LIMIT_NS);
    if (err == -ETIMEDOUT)
        atomic_store(&device->stuck, true);
    return err;
}

void vmaf_transfer_close(VmafDeviceState *state)
{
    VmafDevice *device = state->device;
    VmafTransfer *transfer = &state->transfer;
    if (atomic_load(&device->stuck))
        return;
    for (int i = 0; i < 2; i++)
        device->layer->buffer_destroy(device, transfer->staging[i]);
    if (transfer->queue)
        device->layer->queue_destroy(transfer->queue);
}
