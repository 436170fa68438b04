/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules, their functions, and launches of these. */
#include "driver_module.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "driver_stream.h"

static CudaModule modules;

static CudaResult load(CudaContext context, CudaModule *module, const void *image)
{
    Code *code = NULL;
    char error[CODE_ERROR_SIZE] = "";
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    const CudaResult result = driver_load_code(context->device, image, &code, error);
    if (result != CUDA_SUCCESS) {
        machine_log("! a module is refused: %s", error);
        return result;
    }
    *module = calloc(1, sizeof(**module));
    **module = (struct CUmod_st){.magic = DRIVER_ALIVE,
                                 .next = modules,
                                 .context = context,
                                 .id = (unsigned)++driver.serial,
                                 .code = code};
    modules = *module;
    machine_note(" module=%u", (*module)->id);
    return CUDA_SUCCESS;
}

static void unload(CudaModule module)
{
    for (CudaFunction function = module->functions; function; function = function->next) {
        function->magic = DRIVER_DEAD;
        free(function->kernel.params);
        function->kernel.params = NULL;
    }
    module->magic = DRIVER_DEAD;
    driver_free_code(module->code);
    module->code = NULL;
}

void driver_drop_modules(CudaContext context)
{
    for (CudaModule module = modules; module; module = module->next) {
        if (module->context == context && module->magic == DRIVER_ALIVE)
            unload(module);
    }
}

static CudaResult unload_checked(CudaModule module)
{
    if (!driver_is_alive(module, "a module"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" module=%u", module->id);
    unload(module);
    return CUDA_SUCCESS;
}

/* -- functions -- */

bool driver_is_function(CudaFunction function)
{
    if (function && function->magic == DRIVER_ALIVE)
        return true;
    machine_complain("a function of a module that was unloaded is used");
    return false;
}

static CudaResult get_function(CudaFunction *function, CudaModule module, const char *name)
{
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_alive(module, "a module"))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" %.64s", name);
    for (*function = module->functions; *function; *function = (*function)->next) {
        if (strcmp((*function)->kernel.name, name) == 0)
            return CUDA_SUCCESS;
    }
    CodeKernel kernel;
    const CudaResult result = driver_find_kernel(module->code, name, &kernel);
    if (result != CUDA_SUCCESS)
        return result;
    *function = calloc(1, sizeof(**function));
    **function = (struct CUfunc_st){
        .magic = DRIVER_ALIVE, .next = module->functions, .module = module, .kernel = kernel};
    module->functions = *function;
    return CUDA_SUCCESS;
}

/* -- launches -- */

enum { MAX_LANES = 1024, MAX_LANES_Z = 64, MAX_GROUPS_YZ = 65535, MAX_SHARED_BYTES = 49152 };

static CudaResult check_shape(const CudaKernelNode *from, const CodeKernel *kernel)
{
    const uint64_t lanes = (uint64_t)from->block_x * from->block_y * from->block_z;
    if (!from->grid_x || !from->grid_y || !from->grid_z || from->grid_x > INT_MAX ||
        from->grid_y > MAX_GROUPS_YZ || from->grid_z > MAX_GROUPS_YZ || lanes == 0 ||
        lanes > MAX_LANES || from->block_z > MAX_LANES_Z)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->max_lanes && lanes > kernel->max_lanes)
        return CUDA_ERROR_INVALID_VALUE;
    if (kernel->shared_size + (uint64_t)from->shared_bytes > MAX_SHARED_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* Copies what the parameters are now. */
static CudaResult copy_params(const CudaKernelNode *from, const CodeKernel *kernel,
                              unsigned char *params)
{
    if (from->extra) /* parameters in one buffer */
        return CUDA_ERROR_NOT_SUPPORTED;
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
    CudaResult result = check_shape(from, kernel);
    if (result != CUDA_SUCCESS)
        return result;
    *launch = (Launch){.function = from->function,
                       .groups = {from->grid_x, from->grid_y, from->grid_z},
                       .lanes = {from->block_x, from->block_y, from->block_z},
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

CUDA_MODULE_FUNCTIONS(DRIVER_DEFINE)
