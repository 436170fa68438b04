/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_internal.h"

static int cuda_enumerate(VmafDeviceInfo *infos, size_t capacity, size_t *count, char *reason,
                          size_t reason_size)
{
    *count = 0;
    const int err = cuda_start(reason, reason_size);
    if (err)
        return err == -ENXIO ? 0 : err; /* the driver is there, and well */
    CudaCandidate *candidates = calloc(CUDA_CANDIDATES_MAX, sizeof(*candidates));
    if (!candidates) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    const int n = cuda_find_candidates(candidates, reason, reason_size);
    for (int i = 0; i < n && (size_t)i < capacity; i++)
        infos[i] = candidates[i].info;
    *count = (size_t)n;
    free(candidates);
    return 0;
}

/* -- opening -- */

static void cuda_close(VmafDevice *base)
{
    CudaDevice *device = (CudaDevice *)base;
    if (device->context && cuda_enter(device) == CUDA_SUCCESS) {
        cuda_kernels_destroy(device);
        cuda_leave();
    }
    if (device->context && !device->borrowed)
        cuDevicePrimaryCtxRelease(device->handle);
    vmaf_mutex_destroy(&device->lock);
    vmaf_mutex_destroy(&device->kernel_lock);
    vmaf_condition_destroy(&device->kernel_loaded);
    free(device->kernels);
    free(device);
}

/* 0; -ENOTSUP if the device cannot be used. */
static int adopt(CudaDevice *device, const CudaCandidate *candidate)
{
    if (candidate->info.unusable[0])
        return cuda_fail(device, -ENOTSUP, "%s", candidate->info.unusable);
    device->handle = candidate->handle;
    device->capability = candidate->capability;
    device->max_pitch = candidate->max_pitch;
    device->head.info = candidate->info;
    return 0;
}

static int choose(CudaDevice *device, const char *id)
{
    char reason[192];
    CudaCandidate *candidates = calloc(CUDA_CANDIDATES_MAX, sizeof(*candidates));
    if (!candidates)
        return cuda_fail(device, -ENOMEM, "out of memory");
    const int n = cuda_find_candidates(candidates, reason, sizeof(reason));
    int chosen = 0;
    while (chosen < n && id && strcmp(candidates[chosen].info.id, id) != 0)
        chosen++;
    int err;
    if (chosen < n)
        err = adopt(device, &candidates[chosen]);
    else if (id)
        err = cuda_fail(device, -ENODEV, "there is no device %s", id);
    else
        err = cuda_fail(device, -ENODEV, "%s", reason);
    free(candidates);
    return err;
}

/* The context that all users of the driver's runtime share, so that no second one takes memory. */
static int make_own(CudaDevice *device, const char *id)
{
    const int err = choose(device, id);
    if (err)
        return err;
    const CudaResult result = cuDevicePrimaryCtxRetain(&device->context, device->handle);
    if (result == CUDA_SUCCESS)
        return 0;
    device->context = NULL;
    if (result == CUDA_ERROR_DEVICE_UNAVAILABLE)
        return cuda_fail(device, -EIO, "%.100s is in use by another process, or refuses to compute",
                         device->head.info.name);
    return cuda_failed(device, result, "cuDevicePrimaryCtxRetain");
}

static int borrow(CudaDevice *device, const CudaExternal *external)
{
    CudaCandidate candidate;
    CudaDeviceHandle handle;
    device->borrowed = true;
    if (!external->context)
        return cuda_fail(device, -EINVAL, "the context is missing");
    CudaContext context = (CudaContext)(uintptr_t)external->context;
    CudaResult result = cuCtxPushCurrent_v2(context);
    if (result == CUDA_SUCCESS) {
        result = cuCtxGetDevice(&handle);
        cuda_leave();
    }
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, "the borrowed context");
    cuda_describe(handle, &candidate);
    device->context = context;
    return adopt(device, &candidate);
}

static int set_up(CudaDevice *device, const VmafDeviceOpenParams *params)
{
    char reason[192];
    device->kernels = calloc(params->kernels->count, sizeof(*device->kernels));
    if (!device->kernels)
        return cuda_fail(device, -ENOMEM, "out of memory");
    int err = cuda_start(reason, sizeof(reason));
    if (err)
        return cuda_fail(device, err == -ENXIO ? -ENODEV : err, "%s", reason);
    return params->external ? borrow(device, params->external) : make_own(device, params->id);
}

static int cuda_open(VmafDevice **opened, const VmafDeviceOpenParams *params, char *reason,
                     size_t reason_size)
{
    CudaDevice *device = calloc(1, sizeof(*device));
    if (!device) {
        snprintf(reason, reason_size, "out of memory");
        return -ENOMEM;
    }
    vmaf_mutex_init(&device->lock);
    vmaf_mutex_init(&device->kernel_lock);
    vmaf_condition_init(&device->kernel_loaded);
    device->head.layer = &vmaf_cuda_layer;
    device->head.kernels = params->kernels;
    if (params->faults)
        device->faults = *params->faults;
    const int err = set_up(device, params);
    if (err) {
        snprintf(reason, reason_size, "%s", device->error);
        cuda_close(&device->head);
        return err;
    }
    *opened = &device->head;
    return 0;
}

const VmafDeviceLayer vmaf_cuda_layer = {
    .name = "cuda",
    .enumerate = cuda_enumerate,
    .open = cuda_open,
    .close = cuda_close,
    .buffer_create = cuda_buffer_create,
    .buffer_destroy = cuda_buffer_destroy,
    .image_import = cuda_image_import,
    .image_destroy = cuda_image_destroy,
    .kernel_find = cuda_kernel_find,
    .command_list_begin = cuda_command_list_begin,
    .cmd_copy = cuda_cmd_copy,
    .cmd_dispatch = cuda_cmd_dispatch,
    .cmd_barrier = cuda_cmd_barrier,
    .cmd_timestamp = cuda_cmd_timestamp,
    .command_list_end = cuda_command_list_end,
    .command_list_destroy = cuda_command_list_destroy,
    .queue_create = cuda_queue_create,
    .queue_destroy = cuda_queue_destroy,
    .submit = cuda_submit,
    .wait = cuda_wait,
    .timestamps = cuda_timestamps,
    .copy_times = cuda_copy_times,
    .last_error = cuda_last_error,
};
