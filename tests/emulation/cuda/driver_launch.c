/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "driver_launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "driver_memory.h"
#include "driver_module.h"
#include "driver_stream.h"
#include "ptx_run.h"

/* `extra` of a launch: a list that ends with 0. */
#define PARAM_BUFFER      ((void *)1)
#define PARAM_BUFFER_SIZE ((void *)2)

enum { MAX_LANES = 1024, MAX_LANES_Z = 64, MAX_GROUPS_YZ = 65535 };
static const uint64_t max_instructions = UINT64_C(20000000000); /* of a group */

static CudaResult check_shape(const CudaKernelNode *from, const PtxEntry *entry,
                              unsigned max_shared_bytes)
{
    const uint64_t lanes = (uint64_t)from->block_x * from->block_y * from->block_z;
    if (!from->grid_x || !from->grid_y || !from->grid_z || from->grid_x > INT_MAX ||
        from->grid_y > MAX_GROUPS_YZ || from->grid_z > MAX_GROUPS_YZ || lanes == 0 ||
        lanes > MAX_LANES || from->block_z > MAX_LANES_Z)
        return CUDA_ERROR_INVALID_VALUE;
    if (entry->max_lanes && lanes > entry->max_lanes)
        return CUDA_ERROR_INVALID_VALUE;
    if (entry->shared_size + (uint64_t)from->shared_bytes > max_shared_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Copies what the parameters are now. */
static CudaResult copy_params(const CudaKernelNode *from, const PtxEntry *entry,
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
        if (!buffer || size != entry->params_size)
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(params, buffer, size);
        return CUDA_SUCCESS;
    }
    if (!from->parameters)
        return entry->n_params ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    for (uint32_t i = 0; i < entry->n_params; i++) {
        if (!from->parameters[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(params + entry->params[i].offset, from->parameters[i], entry->params[i].size);
    }
    return CUDA_SUCCESS;
}

CudaResult driver_resolve_launch(CudaContext context, const CudaKernelNode *from, Launch *launch)
{
    if (!driver_is_function(from->function))
        return CUDA_ERROR_INVALID_HANDLE;
    const PtxEntry *entry = from->function->entry;
    if (from->function->module->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    driver_note(" %s", entry->name);
    CudaResult result = check_shape(from, entry, from->function->max_shared_bytes);
    if (result != CUDA_SUCCESS)
        return result;
    *launch = (Launch){.function = from->function,
                       .groups = {from->grid_x, from->grid_y, from->grid_z},
                       .lanes = {from->block_x, from->block_y, from->block_z},
                       .shared_bytes = from->shared_bytes,
                       .params = calloc(1, entry->params_size + 1)};
    result = copy_params(from, entry, launch->params);
    if (result != CUDA_SUCCESS)
        driver_free_launch(launch);
    return result;
}

Launch driver_copy_launch(const Launch *launch)
{
    const size_t size = launch->function->entry->params_size;
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

static CudaResult result_of(enum PtxFault fault)
{
    switch (fault) {
    case PTX_FAULT_ADDRESS:
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    case PTX_FAULT_ALIGNMENT:
        return CUDA_ERROR_MISALIGNED_ADDRESS;
    case PTX_FAULT_ENDLESS:
        return CUDA_ERROR_LAUNCH_TIMEOUT;
    default:
        return CUDA_ERROR_LAUNCH_FAILED;
    }
}

CudaResult driver_run_launch(CudaContext context, const Launch *launch, Work *work)
{
    char error[PTX_ERROR_SIZE] = "";
    if (!driver_is_function(launch->function))
        return CUDA_ERROR_LAUNCH_FAILED;
    size_t n;
    PtxAllocation *memory = driver_list_memory(context, &n);
    enum PtxFault fault = PTX_FAULT_NONE;
    const PtxLaunch run = {.entry = launch->function->entry,
                           .params = launch->params,
                           .lanes = {launch->lanes[0], launch->lanes[1], launch->lanes[2]},
                           .groups = {launch->groups[0], launch->groups[1], launch->groups[2]},
                           .shared_bytes = launch->shared_bytes,
                           .allocations = memory,
                           .n_allocations = n,
                           .backwards = driver.runs % 2 == 0,
                           .max_instructions = max_instructions,
                           .noise = (uint32_t)driver.runs * 2654435761u + 1,
                           .fault = &fault,
                           .instructions = &work->instructions};
    const int status = ptx_run(&run, error);
    free(memory);
    if (status == 0)
        return CUDA_SUCCESS;
    driver_complain("%s", error);
    return result_of(fault);
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
