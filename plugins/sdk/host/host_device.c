/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "host_device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_internal.h"
#include "platform/memory.h"
#include "platform/time.h"

static const VmafDeviceInfo host_info = {
    .id = "host",
    .name = "kernels as plain C",
    .vendor = "libvmaf",
    .driver = "host",
    .kind = VMAF_DEVICE_SOFTWARE,
    /* The smallest limits that device.h allows, so that nobody comes to rely on larger ones. */
    .caps =
        {
            .memory_size = UINT64_C(1) << 32,
            .max_buffer_size = UINT64_C(1) << 30,
            .max_binding_size = UINT64_C(1) << 27,
            .binding_alignment = 256,
            .host_memory_alignment = 4096,
            .unified_memory = true,
            .exact_float64 = true,
            .timestamps = true,
        },
};

static int host_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                          size_t reason_size)
{
    (void)reason;
    (void)reason_size;
    if (capacity > 0) {
        infos[0] = host_info;
    }
    *count = 1;
    return 0;
}

static void host_close(VmafDevice *base)
{
    HostDevice *device = (HostDevice *)base;
    if (device) {
        vmaf_mutex_destroy(&device->lock);
        free(device->kernels);
        free(device);
    }
}

static int host_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                     size_t reason_size)
{
    if (params->id && strcmp(params->id, host_info.id) != 0) {
        snprintf(reason, reason_size, "no device %s", params->id);
        return -ENODEV;
    }
    HostDevice *device = calloc(1, sizeof(*device));
    if (!device) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    device->head.layer = &vmaf_host_layer;
    device->head.info = host_info;
    device->head.kernels = params->kernels;
    if (params->external) {
        device->options = *(const HostDeviceOptions *)params->external;
    }
    device->head.info.caps.unified_memory = !device->options.no_unified_memory;
    if (params->faults) {
        device->faults = *params->faults;
    }
    device->random = device->options.seed ? device->options.seed : 1;
    device->last_pending = &device->first_pending;
    device->kernels = calloc(params->kernels->count, sizeof(*device->kernels));
    if (!device->kernels || vmaf_mutex_init(&device->lock) != 0) {
        free(device->kernels);
        free(device);
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    for (size_t i = 0; i < params->kernels->count; i++) {
        device->kernels[i].kernel = &params->kernels->kernels[i];
    }
    *opened = &device->head;
    return 0;
}

static int host_buffer_create(VmafDevice *base, VmafDeviceBuffer **created,
                              const VmafDeviceBufferParams *params)
{
    HostDevice *device = (HostDevice *)base;
    vmaf_mutex_lock(&device->lock);
    const bool fails = ++device->buffers_created == device->faults.no_memory_at_buffer;
    const uint32_t noise = device->random + (uint32_t)device->buffers_created;
    int status = device->lost ? -ENODEV : 0;
    if (status == 0 && (fails || params->size > host_info.caps.max_buffer_size)) {
        status = host_fail(device, -ENOMEM, "no memory for a buffer of %llu bytes",
                           (unsigned long long)params->size);
    }
    vmaf_mutex_unlock(&device->lock);
    if (status < 0) {
        return status;
    }
    HostBuffer *buffer = calloc(1, sizeof(*buffer));
    if (!buffer) {
        return -ENOMEM;
    }
    buffer->owned = !params->host_memory;
    buffer->data = params->host_memory;
    if (buffer->owned) {
        /* aligned like the bindings, and no larger than asked for: tools see what lies beyond */
        buffer->data = vmaf_aligned_alloc(host_info.caps.binding_alignment, params->size);
        if (!buffer->data) {
            free(buffer);
            return -ENOMEM;
        }
        host_fill_noise(buffer->data, params->size, noise);
    }
    buffer->head.memory = params->memory;
    buffer->head.size = params->size;
    buffer->head.mapped = params->memory == VMAF_MEMORY_DEVICE ? NULL : buffer->data;
    *created = &buffer->head;
    return 0;
}

static void host_buffer_destroy(VmafDevice *base, VmafDeviceBuffer *destroyed)
{
    HostBuffer *buffer = (HostBuffer *)destroyed;
    (void)base;
    if (buffer) {
        if (buffer->owned) {
            vmaf_aligned_free(buffer->data);
        }
        free(buffer);
    }
}

static int host_kernel_find(VmafDevice *base, const VmafDeviceKernel **kernel, const char *name)
{
    HostDevice *device = (HostDevice *)base;
    const VmafKernel *found = vmaf_kernel_set_find(base->kernels, name);
    int status = 0;
    vmaf_mutex_lock(&device->lock);
    if (device->lost) {
        status = -ENODEV;
    } else if (!found) {
        status = host_fail(device, -ENOENT, "no kernel %s", name);
    } else {
        *kernel = &device->kernels[found - base->kernels->kernels];
    }
    vmaf_mutex_unlock(&device->lock);
    return status;
}

/* Runs what was submitted, oldest first, up to `ticket`. */
static int run_pending(HostDevice *device, VmafDeviceTicket ticket)
{
    while (device->first_pending && device->first_pending->ticket <= ticket) {
        HostRecording *recording = device->first_pending;
        if (recording->ticket == device->faults.hang_at_submit) {
            return -ETIMEDOUT;
        }
        device->first_pending = recording->next_pending;
        if (!device->first_pending) {
            device->last_pending = &device->first_pending;
        }
        recording->pending = false;
        device->finished = recording->ticket;
        const int status =
            host_run_commands(device, recording, recording->prologue, recording->n_commands);
        if (status < 0) {
            return status;
        }
    }
    return 0;
}

static int submit_locked(HostDevice *device, HostRecording *recording, VmafDeviceTicket *ticket)
{
    if (device->lost) {
        return -ENODEV;
    }
    if (!recording->ended || recording->pending) {
        return host_fail(device, -EINVAL, "the recording is %s",
                         recording->ended ? "running" : "not ended");
    }
    if (++device->submissions == device->faults.lose_at_submit) {
        device->lost = true;
        return host_fail(device, -ENODEV, "device lost at submission %llu",
                         (unsigned long long)device->submissions);
    }
    const int status = host_run_commands(device, recording, 0, recording->prologue);
    if (status < 0) {
        return status;
    }
    recording->ticket = device->submissions;
    recording->pending = true;
    recording->next_pending = NULL;
    *device->last_pending = recording;
    device->last_pending = &recording->next_pending;
    *ticket = recording->ticket;
    if (device->options.immediate && device->faults.hang_at_submit == 0) {
        return run_pending(device, recording->ticket);
    }
    return 0;
}

static int host_submit(VmafDeviceRecording *base, VmafDeviceTicket *ticket)
{
    HostDevice *device = (HostDevice *)base->device;
    vmaf_mutex_lock(&device->lock);
    const int status = submit_locked(device, (HostRecording *)base, ticket);
    vmaf_mutex_unlock(&device->lock);
    return status;
}

static int host_wait(VmafDevice *base, VmafDeviceTicket ticket, uint64_t timeout_ns)
{
    HostDevice *device = (HostDevice *)base;
    int status = 0;
    vmaf_mutex_lock(&device->lock);
    if (device->lost) {
        status = -ENODEV;
    } else if (ticket > device->submissions) {
        status = host_fail(device, -EINVAL, "no submission has this ticket");
    } else if (ticket > device->finished) {
        status = run_pending(device, ticket);
    }
    vmaf_mutex_unlock(&device->lock);
    if (status == -ETIMEDOUT) /* a hang: the time has to pass */
        vmaf_sleep_ns(timeout_ns);
    return status;
}

static void host_last_error(VmafDevice *base, char *text, size_t size)
{
    HostDevice *device = (HostDevice *)base;
    vmaf_mutex_lock(&device->lock);
    snprintf(text, size, "%s", device->error);
    vmaf_mutex_unlock(&device->lock);
}

const VmafDeviceLayer vmaf_host_layer = {
    .name = "host",
    .enumerate = host_enumerate,
    .open = host_open,
    .close = host_close,
    .buffer_create = host_buffer_create,
    .buffer_destroy = host_buffer_destroy,
    .kernel_find = host_kernel_find,
    .recording_begin = host_recording_begin,
    .record_copy = host_record_copy,
    .record_dispatch = host_record_dispatch,
    .record_barrier = host_record_barrier,
    .record_timestamp = host_record_timestamp,
    .recording_end = host_recording_end,
    .recording_destroy = host_recording_destroy,
    .submit = host_submit,
    .wait = host_wait,
    .timestamps = host_timestamps,
    .last_error = host_last_error,
};
