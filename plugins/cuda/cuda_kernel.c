/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Kernels are loaded on first use. Machine code for the device is preferred where the plugin has
 * some; PTX runs everywhere: the driver compiles it, and keeps the result in a cache of its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_internal.h"

/* "sm_86" as 86; 0 for others, among them "", which is PTX. */
static int architecture_of(const VmafKernelCode *code)
{
    return strncmp(code->architecture, "sm_", 3) == 0 ? atoi(code->architecture + 3) : 0;
}

/* Machine code runs on devices of its major version, of the same minor one or a later one. */
static bool runs_on(int architecture, int capability)
{
    return architecture / 10 == capability / 10 && architecture <= capability;
}

/* The machine code that is closest to the device; without, PTX. NULL: neither. */
static const VmafKernelCode *choose(const VmafKernel *kernel, int capability, bool machine_code)
{
    const VmafKernelCode *best = NULL;
    for (size_t i = 0; i < kernel->n_codes; i++) {
        const VmafKernelCode *code = &kernel->codes[i];
        const int architecture = architecture_of(code);
        const bool fits = architecture == 0 || (machine_code && runs_on(architecture, capability));
        if (fits && (!best || architecture > architecture_of(best)))
            best = code;
    }
    return best;
}

static CudaResult load_code(CudaKernel *kernel, const VmafKernel *source,
                            const VmafKernelCode *code)
{
    if (!code)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    CudaResult result = cuModuleLoadData(&kernel->module, code->code);
    if (result != CUDA_SUCCESS)
        return result;
    result = cuModuleGetFunction(&kernel->function, kernel->module, source->name);
    if (result != CUDA_SUCCESS)
        cuModuleUnload(kernel->module);
    return result;
}

static CudaResult load(const CudaDevice *device, CudaKernel *kernel, const VmafKernel *source)
{
    const VmafKernelCode *code = choose(source, device->capability, true);
    const VmafKernelCode *ptx = choose(source, device->capability, false);
    CudaResult result = cuda_enter(device);
    if (result != CUDA_SUCCESS)
        return result;
    result = load_code(kernel, source, code);
    /* A driver older than the compiler, or a device that is alike in number only. */
    if (result != CUDA_SUCCESS && cuda_error_of(result) != -ENODEV && ptx && code != ptx)
        result = load_code(kernel, source, ptx);
    cuda_leave();
    return result;
}

/* Whether this thread has to load the kernel; waits while another one does. */
static bool begin_loading(CudaDevice *device, CudaKernel *kernel)
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

static void end_loading(CudaDevice *device, CudaKernel *kernel, const CudaKernel *loaded)
{
    vmaf_mutex_lock(&device->kernel_lock);
    *kernel = *loaded;
    vmaf_condition_broadcast(&device->kernel_loaded);
    vmaf_mutex_unlock(&device->kernel_lock);
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
    if (begin_loading(device, kernel)) {
        CudaKernel loaded = {.head = {.kernel = source}, .state = KERNEL_LOADED};
        const CudaResult result = load(device, &loaded, source);
        if (result != CUDA_SUCCESS)
            loaded = (CudaKernel){.state = KERNEL_UNLOADED};
        end_loading(device, kernel, &loaded);
        if (result != CUDA_SUCCESS)
            return cuda_failed(device, result, name);
    }
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
