/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "driver_memory.h"
#include "driver_module.h"
#include "driver_stream.h"

/* `extra` of a launch: a list that ends with 0. */
#define PARAM_BUFFER      ((void *)1)
#define PARAM_BUFFER_SIZE ((void *)2)

enum { MAX_LANES = 1024, MAX_LANES_Z = 64, MAX_GROUPS_YZ = 65535 };

static CudaResult check_shape(const CudaKernelNode *from, const CodeKernel *kernel,
                              unsigned max_shared_bytes)
{
    const uint64_t lanes = (uint64_t)from->block_x * from->block_y * from->block_z;
    if (!from->grid_x || !from->grid_y || !from->grid_z || from->grid_x > INT_MAX ||
        from->grid_y > MAX_GROUPS_YZ || from->grid_z > MAX_GROUPS_YZ || lanes == 0 ||
        lanes > MAX_LANES || from->block_z > MAX_LANES_Z)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->max_lanes && lanes > kernel->max_lanes)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->shared_size + (uint64_t)from->shared_bytes > max_shared_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Copies what the parameters are now. */
static CudaResult copy_params(const CudaKernelNode *from, const CodeKernel *kernel,
                              unsigned char *params)
{
    if (from->parameters && from->extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (from->extra) {
        const void *buffer = NULL;
        size_t size = 0;
        for (void **at = from->extra; *at; at += 2) {
            if (*at == PARAM_BUFFER)
                buffer = at[1];
            else if (*at == PARAM_BUFFER_SIZE)
                size = *(const size_t *)at[1];
            else
                return CUDA_ERROR_INVALID_VALUE;
        }
        if (!buffer || size != kernel->params_size)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(params, buffer, size);
        return CUDA_SUCCESS;
    }
    if (!from->parameters)
        return kernel->n_params ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    for (uint32_t i = 0; i < kernel->n_params; i++) {
        if (!from->parameters[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(params + kernel->params[i].offset, from->parameters[i], kernel->params[i].size);
    }
    return CUDA_SUCCESS;
}

CudaResult driver_resolve_launch(CudaContext context, const CudaKernelNode *from, Launch *launch)
{
    if (!driver_is_function(from->function))
        return CUDA_ERROR_INVALID_HANDLE;
    const CodeKernel *kernel = &from->function->kernel;
    if (from->function->module->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" %s", kernel->name);
    CudaResult result = check_shape(from, kernel, from->function->max_shared_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    *launch = (Launch){.function = from->function,
                       .groups = {from->grid_x, from->grid_y, from->grid_z},
                       .lanes = {from->block_x, from->block_y, from->block_z},
                       .shared_bytes = from->shared_bytes,
                       .params = calloc(1, kernel->params_size + 1)};
    result = copy_params(from, kernel, launch->params);
    if (result != CUDA_SUCCESS)
        driver_free_launch(launch);
    return result;
}

Launch driver_copy_launch(const Launch *launch)
{
    const size_t size = launch->function->kernel.params_size;
    Launch copy = *launch;
    copy.params = malloc(size + 1);
    memcpy(copy.params, launch->params, size);
    return copy;
}

void driver_free_launch(Launch *launch)
{
    free(launch->params);
    launch->params = NULL;
}

CudaResult driver_run_launch(CudaContext context, const Launch *launch, Work *work)
{
    return driver_is_function(launch->function) ? driver_run_kernel(context, launch, work)
                                                : CUDA_ERROR_LAUNCH_FAILED;
}

static CudaResult put_launch(CudaContext context, const CudaKernelNode *description,
                             CudaStream handle)
{
    Command command = {.kind = COMMAND_KERNEL};
    CudaResult result;
    CudaStream stream = driver_stream(context, handle, &result);
    if (!stream)
        return result;
    result = driver_resolve_launch(context, description, &command.launch);
    return result == CUDA_SUCCESS ? driver_put(stream, &command, NULL) : result;
}

CudaResult cuLaunchKernel(CudaFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z,
                          unsigned shared_bytes, CudaStream stream, void **parameters, void **extra)
{
    const CudaKernelNode description = {.function = function,
                                        .grid_x = grid_x,
                                        .grid_y = grid_y,
                                        .grid_z = grid_z,
                                        .block_x = block_x,
                                        .block_y = block_y,
                                        .block_z = block_z,
                                        .shared_bytes = shared_bytes,
                                        .parameters = parameters,
                                        .extra = extra};
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, put_launch(context, &description, stream));
}
