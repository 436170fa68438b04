/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The code of modules is a code object. What it says is checked; what runs is the C of the kernel
 * of that name. */
#include "hip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_kernel.h"

enum { MAX_GROUP_MEMORY = 32768 }; /* that kernels may rely on everywhere */

struct Code {
    CodeObject *object;
    HipKernel *kernels; /* one for each of the object's; source: NULL until it is asked for */
};

_Static_assert((int)CODE_ERROR_SIZE >= (int)CODE_OBJECT_ERROR_SIZE, "texts fit");

/* The version of ROCm that first reads a version of the format; from memory. */
static int first_driver(int version)
{
    return version <= 4 ? 0 : version == 5 ? 50300000 : 60300000;
}

static CudaResult check(const Device *device, const CodeObject *object, char *error)
{
    const int driver_version = emulated_machine.driver;
    if (driver_version < first_driver(object->version)) {
        snprintf(error, CODE_ERROR_SIZE, "ROCm %d.%d does not read version %d of the format",
                 driver_version / 10000000, driver_version / 100000 % 100, object->version);
        return CUDA_ERROR_INVALID_IMAGE;
    }
    switch (chip_match(device->state->machine->chip, object->flags, object->target, error,
                       CODE_ERROR_SIZE)) {
    case CHIP_MATCHES:
        break;
    case CHIP_DIFFERS:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    default:
        return CUDA_ERROR_INVALID_IMAGE;
    }
    for (uint32_t i = 0; i < object->n_kernels; i++) {
        const CodeObjectKernel *kernel = &object->kernels[i];
        if (kernel->group_size > MAX_GROUP_MEMORY) {
            snprintf(error, CODE_ERROR_SIZE, "kernel %s takes %u bytes of group memory, %d at most",
                     kernel->name, kernel->group_size, MAX_GROUP_MEMORY);
            return CUDA_ERROR_INVALID_IMAGE;
        }
    }
    return CUDA_SUCCESS;
}

CudaResult driver_load_code(const Device *device, const void *image, Code **code,
                            char error[CODE_ERROR_SIZE])
{
    CodeObject *object = code_object_read(image, error);
    const CudaResult result = object ? check(device, object, error) : CUDA_ERROR_INVALID_IMAGE;
    if (result != CUDA_SUCCESS) {
        if (result != CUDA_ERROR_NO_BINARY_FOR_GPU) /* which programs try */
            machine_complain("%s", error);
        code_object_free(object);
        return result;
    }
    *code = malloc(sizeof(**code));
    (*code)->object = object;
    (*code)->kernels = calloc(object->n_kernels + 1, sizeof(*(*code)->kernels));
    return CUDA_SUCCESS;
}

void driver_free_code(Code *code)
{
    code_object_free(code->object);
    free(code->kernels);
    free(code);
}

/* -- kernels -- */

static bool differ(const CodeObjectKernel *kernel, const char *what)
{
    machine_complain("kernel %s of the code object and its C differ in %s", kernel->name, what);
    return false;
}

/* Whether the code object was made of what the emulator runs, as far as one can see. */
static bool is_same(const CodeObjectKernel *kernel, const VmafKernel *source)
{
    if (kernel->n_args != source->n_buffers + 1)
        return differ(kernel, "the number of arguments");
    for (uint32_t i = 0; i < source->n_buffers; i++) {
        const CodeObjectArg *arg = &kernel->args[i];
        if (!arg->is_buffer || arg->size != 8 || arg->offset != 8 * i)
            return differ(kernel, "their buffers");
        if (arg->is_write_only && !(source->written >> i & 1))
            return differ(kernel, "what they write");
    }
    const CodeObjectArg *last = &kernel->args[source->n_buffers];
    if (last->is_buffer || last->size != source->args_size || last->offset != 8 * source->n_buffers)
        return differ(kernel, "the arguments behind the buffers");
    if (source->lanes[0] * source->lanes[1] != kernel->max_lanes)
        return differ(kernel, "the lanes of a group");
    return true;
}

static CudaResult link_source(HipKernel *kernel, const CodeObjectKernel *object)
{
    const VmafKernel *source = c_kernel_find(object->name);
    if (!source) {
        machine_complain("there is no C of kernel %s, so that it cannot run", object->name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!is_same(object, source))
        return CUDA_ERROR_NOT_SUPPORTED;
    *kernel = (HipKernel){object, source};
    return CUDA_SUCCESS;
}

CudaResult driver_find_kernel(const Code *code, const char *name, CodeKernel *kernel)
{
    const CodeObject *object = code->object;
    uint32_t i = 0;
    while (i < object->n_kernels && strcmp(object->kernels[i].name, name) != 0)
        i++;
    if (i == object->n_kernels)
        return CUDA_ERROR_NOT_FOUND;
    const CodeObjectKernel *found = &object->kernels[i];
    const CudaResult result = link_source(&code->kernels[i], found);
    if (result != CUDA_SUCCESS)
        return result;
    *kernel = (CodeKernel){.name = found->name,
                           .params = malloc((found->n_args + 1) * sizeof(CodeParam)),
                           .n_params = found->n_args,
                           .params_size = found->args_size,
                           .max_lanes = found->max_lanes,
                           .shared_size = found->group_size,
                           .entry = &code->kernels[i]};
    for (uint32_t k = 0; k < found->n_args; k++)
        kernel->params[k] = (CodeParam){found->args[k].offset, found->args[k].size};
    return CUDA_SUCCESS;
}

/* -- running them -- */

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
