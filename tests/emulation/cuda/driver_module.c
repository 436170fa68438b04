/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules and their functions. */
#include "driver_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SHARED_BYTES = 49152, MOST_SHARED_BYTES = 101376 };
enum { INFO_LOG = 3, INFO_LOG_SIZE, ERROR_LOG, ERROR_LOG_SIZE };

static CudaModule modules;

static CudaResult load(CudaContext context, CudaModule *module, const void *image,
                       char error[CODE_ERROR_SIZE])
{
    Code *code = NULL;
    error[0] = '\0';
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

static CudaResult load_data(CudaContext context, CudaModule *module, const void *image)
{
    char error[CODE_ERROR_SIZE];
    return load(context, module, image, error);
}

CudaResult cuModuleLoadData(CudaModule *module, const void *image)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, load_data(context, module, image));
}

/* Where a log goes: the buffer of one option, of the size in the next. */
static void write_log(unsigned n, const int *options, void **values, int buffer, const char *text)
{
    char *to = NULL;
    for (unsigned i = 0; i < n; i++)
        to = options[i] == buffer ? values[i] : to;
    for (unsigned i = 0; i < n && to; i++) {
        if (options[i] != buffer + 1)
            continue;
        const size_t size = (uintptr_t)values[i] & UINT32_MAX;
        if (size > 0)
            snprintf(to, size, "%s", text);
        const size_t written = size > strlen(text) ? strlen(text) : size;
        values[i] = (void *)(uintptr_t)written;
    }
}

static CudaResult load_with_options(CudaContext context, CudaModule *module, const void *image,
                                    unsigned n, const int *options, void **values)
{
    char error[CODE_ERROR_SIZE], text[CODE_ERROR_SIZE + 64] = "";
    if (n > 0 && (!options || !values))
        return CUDA_ERROR_INVALID_VALUE;
    const CudaResult result = load(context, module, image, error);
    if (error[0])
        snprintf(text, sizeof(text), "ptxas application ptx input, fatal : %s", error);
    write_log(n, options, values, INFO_LOG, "");
    write_log(n, options, values, ERROR_LOG, text);
    return result;
}

CudaResult cuModuleLoadDataEx(CudaModule *module, const void *image, unsigned n_options,
                              const int *options, void **values)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT,
                load_with_options(context, module, image, n_options, options, values));
}

static bool is_module(CudaModule module)
{
    if (module && module->magic == DRIVER_ALIVE)
        return true;
    machine_complain("a module that %s is used", module ? "was unloaded" : "is none");
    return false;
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
    if (!is_module(module))
        return CUDA_ERROR_INVALID_HANDLE;
    machine_note(" module=%u", module->id);
    unload(module);
    return CUDA_SUCCESS;
}

CudaResult cuModuleUnload(CudaModule module)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, unload_checked(module));
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
    if (!is_module(module))
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
    **function = (struct CUfunc_st){.magic = DRIVER_ALIVE,
                                    .next = module->functions,
                                    .module = module,
                                    .kernel = kernel,
                                    .max_shared_bytes = DEFAULT_SHARED_BYTES};
    module->functions = *function;
    return CUDA_SUCCESS;
}

CudaResult cuModuleGetFunction(CudaFunction *function, CudaModule module, const char *name)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_function(function, module, name));
}

static CudaResult get_attribute(int *value, int attribute, CudaFunction function)
{
    if (!value)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_function(function))
        return CUDA_ERROR_INVALID_HANDLE;
    const CodeKernel *kernel = &function->kernel;
    const int values[] = {kernel->max_lanes ? (int)kernel->max_lanes : 1024,
                          (int)kernel->shared_size,
                          0,
                          (int)kernel->local_size,
                          (int)kernel->n_registers < 255 ? (int)kernel->n_registers : 255,
                          driver_code_version(function->module->code),
                          function->module->context->device->machine->own[DEVICE_CAPABILITY],
                          0,
                          (int)(function->max_shared_bytes - kernel->shared_size)};
    if (attribute < 0 || attribute >= (int)(sizeof(values) / sizeof(values[0])))
        return CUDA_ERROR_INVALID_VALUE;
    *value = values[attribute];
    return CUDA_SUCCESS;
}

CudaResult cuFuncGetAttribute(int *value, int attribute, CudaFunction function)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_attribute(value, attribute, function));
}

static CudaResult set_attribute(CudaFunction function, int attribute, int value)
{
    enum { DYNAMIC_SHARED = 8, CARVEOUT = 9 };
    if (!driver_is_function(function))
        return CUDA_ERROR_INVALID_HANDLE;
    if (attribute == CARVEOUT)
        return CUDA_SUCCESS;
    if (attribute != DYNAMIC_SHARED || value < 0 ||
        (unsigned)value + function->kernel.shared_size > MOST_SHARED_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    function->max_shared_bytes = (unsigned)value + function->kernel.shared_size;
    return CUDA_SUCCESS;
}

CudaResult cuFuncSetAttribute(CudaFunction function, int attribute, int value)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, set_attribute(function, attribute, value));
}

CudaResult cuFuncSetCacheConfig(CudaFunction function, int preference)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, !driver_is_function(function)      ? CUDA_ERROR_INVALID_HANDLE
                                      : preference < 0 || preference > 3 ? CUDA_ERROR_INVALID_VALUE
                                                                         : CUDA_SUCCESS);
}

/* Bound by lanes and group memory; registers are not known. */
static CudaResult get_occupancy(int *blocks, CudaFunction function, int block_size,
                                size_t shared_bytes)
{
    if (!blocks || block_size <= 0 || block_size > 1024)
        return CUDA_ERROR_INVALID_VALUE;
    if (!driver_is_function(function))
        return CUDA_ERROR_INVALID_HANDLE;
    const size_t shared = function->kernel.shared_size + shared_bytes;
    const int by_lanes = 1536 / block_size;
    const int by_memory = shared ? (int)(102400 / (shared + 1024)) : 16;
    *blocks = by_lanes < by_memory ? by_lanes : by_memory;
    *blocks = *blocks < 16 ? *blocks : 16;
    return CUDA_SUCCESS;
}

CudaResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CudaFunction function,
                                                       int block_size, size_t shared_bytes)
{
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_occupancy(blocks, function, block_size, shared_bytes));
}

/* Variables of modules are not emulated yet by name. */
static CudaResult get_global(CudaModule module, const char *name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    return is_module(module) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}

CudaResult cuModuleGetGlobal_v2(CudaAddress *address, size_t *size, CudaModule module,
                                const char *name)
{
    (void)address;
    (void)size;
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_global(module, name));
}

CudaResult cuModuleGetGlobal(CudaAddress *address, size_t *size, CudaModule module,
                             const char *name)
{
    (void)address;
    (void)size;
    DRIVER_CALL(DRIVER_NEEDS_CONTEXT, get_global(module, name));
}
