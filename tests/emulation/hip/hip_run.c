/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Binds kernels, which run as C. */
#include <string.h>

#include "c_kernel.h"
#include "driver_module.h"
#include "hip_code.h"

/* What kernels see where there is no memory: no element is valid, and the first one harmless. */
static uint64_t nothing[2];

/* Finds the buffers that the arguments name. */
static CudaResult bind(CudaContext context, const Launch *launch, const VmafKernel *source,
                       EmulatorBinding *bindings)
{
    for (uint32_t i = 0; i < source->n_buffers; i++) {
        uint64_t address;
        memcpy(&address, launch->params + launch->function->kernel.params[i].offset,
               sizeof(address));
        const Memory *found = guarded_find(address);
        bindings[i] = (EmulatorBinding){nothing, 0};
        if (!found || !driver_can_access(context, found))
            continue;
        /* Elements may be structs, of three words for instance. */
        const uint32_t alignment = source->element_size[i] & -source->element_size[i];
        if (address % alignment != 0) {
            machine_complain("kernel %s: buffer %u is at an address that is no multiple of %u",
                             source->name, i, alignment);
            return CUDA_ERROR_MISALIGNED_ADDRESS;
        }
        bindings[i].data = found->storage + (address - found->address);
        bindings[i].size = found->address + found->size - address;
    }
    return CUDA_SUCCESS;
}

CudaResult driver_run_kernel(CudaContext context, const Launch *launch, Work *work)
{
    const VmafKernel *source = ((const HipKernel *)launch->function->kernel.entry)->source;
    EmulatorBinding bindings[VMAF_KERNEL_MAX_BUFFERS];
    uint64_t args[VMAF_KERNEL_MAX_ARGS_SIZE / 8];
    char fault[EMULATOR_FAULT_SIZE];
    const CKernelLaunch run = {
        .kernel = source,
        .bindings = bindings,
        .args = args,
        .groups = {launch->groups[0], launch->groups[1], launch->groups[2]},
        .is_backwards = driver.runs % 2 == 0,
    };
    const CudaResult result = bind(context, launch, source, bindings);
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(args, launch->params + launch->function->kernel.params[source->n_buffers].offset,
           source->args_size);
    return c_kernel_run(&run, work, fault) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}
