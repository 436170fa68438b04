/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Kernels, their arguments, and running them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "driver_command.h"
#include "driver_module.h"

enum { OPERATIONS = 100 }; /* of an invocation, for simulated time */

static ze_result_t create_kernel(ze_module_handle_t handle, const ze_kernel_desc_t *desc,
                                 ze_kernel_handle_t *created)
{
    ze_result_t result;
    const SpirvKernel *code = NULL;
    Module *module = driver_find(handle, OBJECT_MODULE, &result);
    if (!module)
        return result;
    if (!desc || !desc->pKernelName || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    for (size_t i = 0; i < module->spirv->n_kernels; i++) {
        if (strcmp(module->spirv->kernels[i].name, desc->pKernelName) == 0)
            code = &module->spirv->kernels[i];
    }
    if (!code)
        return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
    OpenclKernel *opencl = opencl_create_kernel(module->program, code->name);
    if (!opencl)
        return ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED;
    Kernel *kernel = driver_create_object(OBJECT_KERNEL, sizeof(*kernel), module->object.device);
    kernel->module = module;
    module->n_kernels++;
    kernel->code = code;
    kernel->opencl = opencl;
    kernel->values = calloc(1, code->values_size + 1);
    memcpy(kernel->group_size, code->group_size, sizeof(kernel->group_size));
    *created = (ze_kernel_handle_t)kernel;
    machine_note(" name=%s", code->name);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeKernelCreate,
              (ze_module_handle_t module, const ze_kernel_desc_t *desc, ze_kernel_handle_t *kernel),
              create_kernel(module, desc, kernel))

static ze_result_t destroy_kernel(ze_kernel_handle_t handle)
{
    ze_result_t result;
    Kernel *kernel = driver_find_lost(handle, OBJECT_KERNEL, &result);
    if (!kernel)
        return result;
    driver_spoil(&kernel->object);
    driver_destroy_object(&kernel->object);
    kernel->module->n_kernels--;
    opencl_destroy_kernel(kernel->opencl);
    free(kernel->values);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeKernelDestroy, (ze_kernel_handle_t handle), destroy_kernel(handle))

static Kernel *find_kernel(ze_kernel_handle_t handle, ze_result_t *result)
{
    Kernel *kernel = driver_find(handle, OBJECT_KERNEL, result);
    if (kernel && kernel->module->object.magic != DRIVER_ALIVE) {
        machine_complain("kernel %s is used after its module was destroyed", kernel->code->name);
        *result = ZE_RESULT_ERROR_INVALID_ARGUMENT;
        return NULL;
    }
    return kernel;
}

static ze_result_t set_group_size(ze_kernel_handle_t handle, const uint32_t size[3])
{
    ze_result_t result;
    Kernel *kernel = find_kernel(handle, &result);
    if (!kernel)
        return result;
    const uint32_t *demanded = kernel->code->group_size;
    const uint64_t all = (uint64_t)size[0] * size[1] * size[2];
    if (all == 0 || size[0] > DRIVER_MAX_GROUP_SIZE || size[1] > DRIVER_MAX_GROUP_SIZE ||
        size[2] > DRIVER_MAX_GROUP_SIZE || all > DRIVER_MAX_GROUP_SIZE)
        return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    if (demanded[0] && memcmp(demanded, size, 3 * sizeof(*size)) != 0) {
        machine_complain("kernel %s demands groups of %ux%ux%u, not %ux%ux%u", kernel->code->name,
                         demanded[0], demanded[1], demanded[2], size[0], size[1], size[2]);
        return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    }
    memcpy(kernel->group_size, size, sizeof(kernel->group_size));
    return ZE_RESULT_SUCCESS;
}

ze_result_t emulated_zeKernelSetGroupSize(ze_kernel_handle_t handle, uint32_t x, uint32_t y,
                                          uint32_t z)
{
    const uint32_t size[3] = {x, y, z};
    DRIVER_CALL(set_group_size(handle, size));
}

static ze_result_t set_argument(ze_kernel_handle_t handle, uint32_t index, size_t size,
                                const void *value)
{
    ze_result_t result;
    Kernel *kernel = find_kernel(handle, &result);
    if (!kernel)
        return result;
    if (index >= kernel->code->n_arguments)
        return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
    const SpirvArgument *argument = &kernel->code->arguments[index];
    unsigned char *place = kernel->values + argument->offset;
    if (size != argument->size) {
        machine_complain("argument %u of kernel %s has %zu bytes, not %zu", index,
                         kernel->code->name, argument->size, size);
        return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    }
    if (!value && argument->kind == SPIRV_VALUE)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (value)
        memcpy(place, value, size);
    else
        memset(place, 0, size);
    kernel->are_set |= UINT32_C(1) << index;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeKernelSetArgumentValue,
              (ze_kernel_handle_t handle, uint32_t index, size_t size, const void *value),
              set_argument(handle, index, size, value))

/* -- launches -- */

ze_result_t driver_prepare_launch(Kernel *kernel, const ze_group_count_t *groups, Launch *launch)
{
    const SpirvKernel *code = kernel->code;
    const uint32_t all =
        code->n_arguments == 32 ? UINT32_MAX : (UINT32_C(1) << code->n_arguments) - 1;
    if (kernel->are_set != all) {
        machine_complain("kernel %s is launched, but not all arguments are set", code->name);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (kernel->group_size[0] == 0) {
        machine_complain("kernel %s is launched without a size of groups", code->name);
        return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
    }
    if (groups->groupCountX == 0 || groups->groupCountY == 0 || groups->groupCountZ == 0) {
        machine_complain("kernel %s is launched with no groups", code->name);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    *launch =
        (Launch){.kernel = kernel,
                 .group_count = {groups->groupCountX, groups->groupCountY, groups->groupCountZ}};
    memcpy(launch->group_size, kernel->group_size, sizeof(launch->group_size));
    launch->values = malloc(code->values_size + 1);
    memcpy(launch->values, kernel->values, code->values_size);
    return ZE_RESULT_SUCCESS;
}

/* Where the memory of a pointer really is. */
static bool resolve(const Context *context, const Launch *launch, uint32_t i,
                    OpenclArgument *argument, uint64_t *place)
{
    const Kernel *kernel = launch->kernel;
    uint64_t address;
    memcpy(&address, launch->values + kernel->code->arguments[i].offset, sizeof(address));
    const Memory *found = guarded_find(address);
    *place = 0;
    *argument = (OpenclArgument){.is_memory = true, .size = sizeof(*place), .value = place};
    if (address == 0)
        return true;
    if (!found || !driver_can_use(context, kernel->object.device, found)) {
        machine_complain("argument %u of kernel %s, 0x%" PRIx64 ", is no memory%s", i,
                         kernel->code->name, address,
                         found ? " of its context and device" : ", or it was given back");
        return false;
    }
    *place = (uintptr_t)found->storage + (address - found->address);
    argument->memory_size = found->size - (size_t)(address - found->address);
    return true;
}

static bool check_bounds(const Launch *launch, uint64_t first_page, unsigned n_pages)
{
    const SpirvKernel *code = launch->kernel->code;
    bool is_good = n_pages == 0;
    if (!is_good)
        machine_complain("kernel %s accesses 0x%" PRIx64 ", where no memory is, and %u pages more",
                         code->name, first_page, n_pages - 1);
    for (uint32_t i = 0; i < code->n_arguments; i++) {
        uint64_t address;
        if (code->arguments[i].kind != SPIRV_POINTER)
            continue;
        memcpy(&address, launch->values + code->arguments[i].offset, sizeof(address));
        const Memory *found = guarded_find(address);
        if (found && guarded_is_overrun(found)) {
            machine_complain("kernel %s writes beyond the %zu bytes of argument %u", code->name,
                             found->size, i);
            is_good = false;
        }
    }
    return is_good;
}

ze_result_t driver_run_launch(const Context *context, const Launch *launch, Work *work)
{
    const SpirvKernel *code = launch->kernel->code;
    OpenclArgument arguments[SPIRV_MAX_ARGUMENTS];
    uint64_t places[SPIRV_MAX_ARGUMENTS], first_page;
    char error[128] = "";
    for (uint32_t i = 0; i < code->n_arguments; i++) {
        const unsigned char *value = launch->values + code->arguments[i].offset;
        arguments[i] = (OpenclArgument){.size = code->arguments[i].size, .value = value};
        if (code->arguments[i].kind == SPIRV_POINTER &&
            !resolve(context, launch, i, &arguments[i], &places[i]))
            return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    work->is_kernel = true;
    work->operations = OPERATIONS;
    for (unsigned i = 0; i < 3; i++)
        work->operations *= (uint64_t)launch->group_size[i] * launch->group_count[i];
    guard_begin(code->name);
    const bool ran = opencl_run(launch->kernel->opencl, arguments, code->n_arguments,
                                launch->group_size, launch->group_count, error);
    const unsigned n_pages = guard_end(&first_page);
    if (!ran)
        machine_complain("kernel %s: %s", code->name, error);
    return check_bounds(launch, first_page, n_pages) && ran ? ZE_RESULT_SUCCESS
                                                            : ZE_RESULT_ERROR_DEVICE_LOST;
}
