/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Kernels are SPIR-V, which the driver compiles on first use and keeps in a cache of its own.
 * Arguments live in Level Zero's kernel objects, so each recorded dispatch has one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sycl_internal.h"

/* One line of what the compiler says, cut to `size`. */
static void read_log(ze_module_build_log_handle_t log, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    if (!log || zeModuleBuildLogGetString(log, &length, NULL) != ZE_RESULT_SUCCESS || !length)
        return;
    char *lines = calloc(1, length + 1);
    if (lines && zeModuleBuildLogGetString(log, &length, lines) == ZE_RESULT_SUCCESS)
        snprintf(text, size, ": %.150s", lines);
    free(lines);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < ' ')
            *c = ' ';
    }
}

static int build(VmafStreamDevice *base, SyclKernel *kernel, const VmafKernel *source,
                 const VmafKernelCode *code)
{
    const SyclDevice *device = sycl_device(base);
    const ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = ZE_MODULE_FORMAT_IL_SPIRV,
        .inputSize = code->size,
        .pInputModule = (const uint8_t *)code->code,
        .pBuildFlags = device->build_options,
    };
    ze_module_build_log_handle_t log = NULL;
    const ze_result_t result =
        zeModuleCreate(device->context, device->device, &desc, &kernel->module, &log);
    int err = sycl_check(base, result, source->name);
    char name[64], said[160];
    sycl_describe_result(result, name, sizeof(name));
    read_log(log, said, sizeof(said));
    if (err && err != -ENODEV && err != -ENOMEM)
        err = vmaf_stream_fail(base, err, "%s failed with %s%s", source->name, name, said);
    if (log)
        zeModuleBuildLogDestroy(log);
    return err;
}

int sycl_kernel_load(VmafStreamDevice *base, VmafStreamKernel *loaded, const VmafKernel *source)
{
    for (size_t i = 0; i < source->n_codes; i++) {
        if (!source->codes[i].architecture[0])
            return build(base, (SyclKernel *)loaded, source, &source->codes[i]);
    }
    return vmaf_stream_fail(base, -ENOTSUP, "there is no SPIR-V of kernel %s", source->name);
}

void sycl_kernel_unload(VmafStreamDevice *base, VmafStreamKernel *kernel)
{
    (void)base;
    zeModuleDestroy(((SyclKernel *)kernel)->module);
}

static ze_result_t set_arguments(ze_kernel_handle_t object, const VmafStreamDispatch *dispatch)
{
    const VmafKernel *kernel = dispatch->kernel->head.kernel;
    ze_result_t result = zeKernelSetGroupSize(object, kernel->lanes[0], kernel->lanes[1], 1);
    for (uint32_t slot = 0; slot < kernel->n_buffers && result == ZE_RESULT_SUCCESS; slot++) {
        const void *address =
            (const void *)(uintptr_t)vmaf_stream_address(&dispatch->bindings[slot]);
        result = zeKernelSetArgumentValue(object, slot, sizeof(address), &address);
    }
    if (result == ZE_RESULT_SUCCESS)
        result =
            zeKernelSetArgumentValue(object, kernel->n_buffers, kernel->args_size, dispatch->args);
    return result;
}

int sycl_dispatch_prepare(VmafStreamDevice *base, VmafStreamDispatch *dispatch)
{
    const SyclKernel *kernel = (const SyclKernel *)dispatch->kernel;
    const char *name = kernel->head.head.kernel->name;
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t object = NULL;
    ze_result_t result = zeKernelCreate(kernel->module, &desc, &object);
    if (result != ZE_RESULT_SUCCESS)
        return sycl_check(base, result, name);
    result = set_arguments(object, dispatch);
    if (result != ZE_RESULT_SUCCESS)
        zeKernelDestroy(object);
    else
        dispatch->prepared = object;
    return sycl_check(base, result, name);
}

void sycl_dispatch_release(VmafStreamDevice *base, VmafStreamDispatch *dispatch)
{
    (void)base;
    if (dispatch->prepared)
        zeKernelDestroy(dispatch->prepared);
    dispatch->prepared = NULL;
}
