/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels are PTX, which the driver compiles on first use and keeps in a cache of its own. */
#include <errno.h>

#include "cuda_internal.h"

static CudaResult load(const CudaDevice *device, CudaKernel *kernel, const VmafKernel *source)
{
    CudaResult result = cuda_enter(device);
    if (result != CUDA_SUCCESS)
        return result;
    result = cuModuleLoadData(&kernel->module, source->code);
    if (result == CUDA_SUCCESS) {
        result = cuModuleGetFunction(&kernel->function, kernel->module, source->name);
        if (result != CUDA_SUCCESS) {
            cuModuleUnload(kernel->module);
            *kernel = (CudaKernel){0};
        }
    }
    cuda_leave();
    return result;
}

int cuda_kernel_find(VmafDevice *base, const VmafDeviceKernel **found, const char *name)
{
    CudaDevice *device = (CudaDevice *)base;
    const VmafKernel *source = vmaf_kernel_set_find(base->kernels, name);
    if (cuda_check(device))
        return -ENODEV;
    if (!source)
        return cuda_fail(device, -ENOENT, "there is no kernel %s", name);
    CudaKernel *kernel = &device->kernels[source - base->kernels->kernels];
    CudaResult result = CUDA_SUCCESS;
    vmaf_mutex_lock(&device->kernel_lock);
    if (!kernel->function)
        result = load(device, kernel, source);
    if (result == CUDA_SUCCESS)
        kernel->head.kernel = source;
    vmaf_mutex_unlock(&device->kernel_lock);
    if (result != CUDA_SUCCESS)
        return cuda_failed(device, result, name);
    *found = &kernel->head;
    return 0;
}

void cuda_kernels_destroy(CudaDevice *device)
{
    for (size_t i = 0; device->kernels && i < device->head.kernels->count; i++) {
        if (device->kernels[i].module)
            cuModuleUnload(device->kernels[i].module);
    }
}
