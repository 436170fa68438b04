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

int cuda_kernel_load(VmafStreamDevice *device, VmafStreamKernel *base, const VmafKernel *source)
{
    VmafDriverKernel *kernel = (VmafDriverKernel *)base;
    const int capability = ((CudaDevice *)device)->capability;
    const VmafKernelCode *code = choose(source, capability, true);
    const VmafKernelCode *ptx = choose(source, capability, false);
    CudaResult result = code ? vmaf_driver_load_code(&cuda_calls, kernel, source, code)
                             : CUDA_ERROR_NO_BINARY_FOR_GPU;
    /* A driver older than the compiler, or a device that is alike in number only. */
    if (result != CUDA_SUCCESS && cuda_error_of(result) != -ENODEV && ptx && code != ptx)
        result = vmaf_driver_load_code(&cuda_calls, kernel, source, ptx);
    return cuda_done(device, result, source->name);
}
