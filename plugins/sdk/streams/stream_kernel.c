/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels are loaded on first use, each by one thread. */
#include <errno.h>
#include <string.h>

#include "stream_internal.h"

enum { KERNEL_UNLOADED, KERNEL_LOADING, KERNEL_LOADED };

static VmafStreamKernel *kernel_at(const VmafStreamDevice *device, size_t index)
{
    return (VmafStreamKernel *)(void *)(device->kernels + index * device->api->kernel_size);
}

/* Returns true if this thread has to load the kernel; waits while another one does. */
static bool begin_loading(VmafStreamDevice *device, VmafStreamKernel *kernel)
{
    vmaf_mutex_lock(&device->kernel_lock);
    while (kernel->state == KERNEL_LOADING)
        vmaf_condition_wait(&device->kernel_loaded, &device->kernel_lock);
    const bool loads = kernel->state == KERNEL_UNLOADED;
    if (loads)
        kernel->state = KERNEL_LOADING;
    vmaf_mutex_unlock(&device->kernel_lock);
    return loads;
}

static void end_loading(VmafStreamDevice *device, VmafStreamKernel *kernel, int state)
{
    vmaf_mutex_lock(&device->kernel_lock);
    kernel->state = state;
    vmaf_condition_broadcast(&device->kernel_loaded);
    vmaf_mutex_unlock(&device->kernel_lock);
}

static int load(VmafStreamDevice *device, VmafStreamKernel *kernel, const VmafKernel *source)
{
    int err = vmaf_stream_enter(device);
    if (err)
        return err;
    kernel->head.kernel = source;
    err = device->api->kernel_load(device, kernel, source);
    vmaf_stream_leave(device);
    return err;
}

int vmaf_stream_kernel_find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    VmafStreamDevice *device = (VmafStreamDevice *)base;
    const VmafKernel *source = vmaf_kernel_set_find(base->kernels, name);
    if (vmaf_stream_check(device))
        return -ENODEV;
    if (!source)
        return vmaf_stream_fail(device, -ENOENT, "there is no kernel %s", name);
    VmafStreamKernel *kernel = kernel_at(device, (size_t)(source - base->kernels->kernels));
    if (begin_loading(device, kernel)) {
        const int err = load(device, kernel, source);
        end_loading(device, kernel, err ? KERNEL_UNLOADED : KERNEL_LOADED);
        if (err)
            return err;
    }
    *found = &kernel->head;
    return 0;
}

void vmaf_stream_unload_kernels(VmafStreamDevice *device)
{
    for (size_t i = 0; i < device->head.kernels->count; i++) {
        VmafStreamKernel *kernel = kernel_at(device, i);
        if (kernel->state == KERNEL_LOADED)
            device->api->kernel_unload(device, kernel);
    }
}
