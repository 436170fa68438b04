/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_module.h"
#include "hip.h"
#include "hip_code.h"

enum { MAX_EXTRA = 8 }; /* words of a launch's list */

HipResult hipModuleLoadData(CudaModule *module, const void *image)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleLoadData(module, image));
}

/* No option means anything to code that is machine code already. */
HipResult hipModuleLoadDataEx(CudaModule *module, const void *image, unsigned n_options,
                              void *options, void **values)
{
    (void)n_options;
    (void)options;
    (void)values;
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleLoadData(module, image));
}

HipResult hipModuleUnload(CudaModule module)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleUnload(module));
}

HipResult hipModuleGetFunction(CudaFunction *function, CudaModule module, const char *name)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuModuleGetFunction(function, module, name));
}

HipResult hipFuncGetAttribute(int *value, int attribute, CudaFunction function)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuFuncGetAttribute(value, attribute, function));
}

/* The driver's list ends with another word. */
static HipResult convert_extra(void **extra, void *converted[MAX_EXTRA + 1])
{
    int n = 0;
    while (extra[n] != HIP_PARAM_END) {
        if (n + 2 > MAX_EXTRA ||
            (extra[n] != HIP_PARAM_BUFFER && extra[n] != HIP_PARAM_BUFFER_SIZE))
            return hipErrorInvalidValue;
        converted[n] = extra[n];
        converted[n + 1] = extra[n + 1];
        n += 2;
    }
    converted[n] = NULL;
    return hipSuccess;
}

/* Whether groups are those that the kernel was written for; with others it would go wrong. */
static HipResult check_lanes(const CudaKernelNode *launch)
{
    if (!driver_is_function(launch->function))
        return hipErrorInvalidHandle;
    const VmafKernel *source = ((const HipKernel *)launch->function->kernel.entry)->source;
    if (launch->block_x == source->lanes[0] && launch->block_y == source->lanes[1] &&
        launch->block_z == 1)
        return hipSuccess;
    machine_complain("kernel %s is launched with groups of %ux%ux%u lanes, and has %ux%u",
                     source->name, launch->block_x, launch->block_y, launch->block_z,
                     source->lanes[0], source->lanes[1]);
    return hipErrorInvalidConfiguration;
}

static HipResult launch_kernel(CudaKernelNode launch, CudaStream stream)
{
    void *converted[MAX_EXTRA + 1];
    HipResult result = check_lanes(&launch);
    if (result == hipSuccess && launch.extra) {
        result = convert_extra(launch.extra, converted);
        launch.extra = converted;
    }
    if (result != hipSuccess)
        return result;
    return cuLaunchKernel(launch.function, launch.grid_x, launch.grid_y, launch.grid_z,
                          launch.block_x, launch.block_y, launch.block_z, launch.shared_bytes,
                          stream, launch.parameters, launch.extra);
}

HipResult hipModuleLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y,
                                unsigned grid_z, unsigned block_x, unsigned block_y,
                                unsigned block_z, unsigned shared_bytes, CudaStream stream,
                                void **parameters, void **extra)
{
    const CudaKernelNode launch = {.function = function,
                                   .grid_x = grid_x,
                                   .grid_y = grid_y,
                                   .grid_z = grid_z,
                                   .block_x = block_x,
                                   .block_y = block_y,
                                   .block_z = block_z,
                                   .shared_bytes = shared_bytes,
                                   .parameters = parameters,
                                   .extra = extra};
    HIP_CALL(HIP_NEEDS_DEVICE, launch_kernel(launch, stream));
}
