/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules: PTX as text, which is decoded when it is loaded. */
#include "driver_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SHARED_BYTES = 49152, MOST_SHARED_BYTES = 101376 };
enum { INFO_LOG = 3, INFO_LOG_SIZE, ERROR_LOG, ERROR_LOG_SIZE };

static CudaModule modules;

/* The newest version of PTX that drivers of that version understand, times ten. */
static int newest_ptx(int version)
{
    static const int table[][2] = {{9000, 60},  {9010, 61},  {9020, 62},  {10000, 63}, {10010, 64},
                                   {10020, 65}, {11000, 70}, {11010, 71}, {11020, 72}, {11030, 73},
                                   {11040, 74}, {11050, 75}, {11060, 76}, {11070, 77}, {11080, 78},
                                   {12000, 80}, {12010, 81}, {12020, 82}, {12030, 83}, {12040, 84},
                                   {12050, 85}, {12070, 86}, {12080, 87}, {12090, 88}, {13000, 90}};
    int newest = 50;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i][0] <= version)
            newest = table[i][1];
    }
    return newest;
}

/* Whether the driver knows this version of PTX, and the device is of the target or newer. */
static CudaResult check_target(const PtxModule *ptx, const Device *device,
                               char error[PTX_ERROR_SIZE])
{
    const int newest = newest_ptx(driver.machine.driver);
    const int capability = device->machine->capability;
    if (ptx->version > newest) {
        snprintf(error, PTX_ERROR_SIZE, "unsupported .version %d.%d; current version is '%d.%d'",
                 ptx->version / 10, ptx->version % 10, newest / 10, newest % 10);
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (ptx->target > capability || (ptx->is_target_only && ptx->target != capability)) {
        snprintf(error, PTX_ERROR_SIZE, "code for sm_%d on a device of sm_%d", ptx->target,
                 capability);
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
}

static CudaResult load(CudaContext context, CudaModule *module, const char *image,
                       char error[PTX_ERROR_SIZE])
{
    error[0] = '\0';
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    if (image[0] == 0x7f || (unsigned char)image[0] == 0x50) { /* ELF; a fat binary */
        snprintf(error, PTX_ERROR_SIZE, "machine code cannot be emulated");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    PtxModule *ptx = ptx_module_load(image, error);
    CudaResult result = CUDA_ERROR_INVALID_PTX;
    PtxModule header;
    if (ptx)
        result = check_target(ptx, context->device, error);
    else if (ptx_module_read_header(image, &header) &&
             newest_ptx(driver.machine.driver) < header.version)
        result = check_target(&header, context->device, error);
    if (result != CUDA_SUCCESS) {
        driver_log("! a module is refused: %s", error);
        ptx_module_free(ptx);
        return result;
    }
    *module = calloc(1, sizeof(**module));
    **module = (struct CUmod_st){.magic = DRIVER_ALIVE,
                                 .next = modules,
                                 .context = context,
                                 .id = (unsigned)++driver.serial,
                                 .ptx = ptx};
    modules = *module;
    driver_note(" module=%u", (*module)->id);
    return CUDA_SUCCESS;
}

static CudaResult load_data(CudaContext context, CudaModule *module, const void *image)
{
    char error[PTX_ERROR_SIZE];
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
    char error[PTX_ERROR_SIZE], text[PTX_ERROR_SIZE + 64] = "";
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
    driver_complain("a module that %s is used", module ? "was unloaded" : "is none");
    return false;
}

static void unload(CudaModule module)
{
    for (CudaFunction function = module->functions; function; function = function->next)
        function->magic = DRIVER_DEAD;
    module->magic = DRIVER_DEAD;
    ptx_module_free(module->ptx);
    module->ptx = NULL;
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
    driver_note(" module=%u", module->id);
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
    driver_complain("a function of a module that was unloaded is used");
    return false;
}

static CudaResult get_function(CudaFunction *function, CudaModule module, const char *name)
{
    if (!function || !name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_module(module))
        return CUDA_ERROR_INVALID_HANDLE;
    driver_note(" %.64s", name);
    for (*function = module->functions; *function; *function = (*function)->next) {
        if (strcmp((*function)->entry->name, name) == 0)
            return CUDA_SUCCESS;
    }
    const PtxEntry *entry = ptx_module_find(module->ptx, name);
    if (!entry)
        return CUDA_ERROR_NOT_FOUND;
    *function = calloc(1, sizeof(**function));
    **function = (struct CUfunc_st){.magic = DRIVER_ALIVE,
                                    .next = module->functions,
                                    .module = module,
                                    .entry = entry,
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
    const PtxEntry *entry = function->entry;
    const PtxModule *ptx = function->module->ptx;
    const int values[] = {entry->max_lanes ? (int)entry->max_lanes : 1024,
                          (int)entry->shared_size,
                          0,
                          (int)entry->local_size,
                          (int)entry->n_registers < 255 ? (int)entry->n_registers : 255,
                          ptx->version,
                          function->module->context->device->machine->capability,
                          0,
                          (int)(function->max_shared_bytes - entry->shared_size)};
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
        (unsigned)value + function->entry->shared_size > MOST_SHARED_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    function->max_shared_bytes = (unsigned)value + function->entry->shared_size;
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
    const size_t shared = function->entry->shared_size + shared_bytes;
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
