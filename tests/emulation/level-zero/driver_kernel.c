/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules and kernels: how they are made and run, and what they access beyond allocations. */
#include "driver.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_PAGES = 4096 };

static struct sigaction before;
static atomic_uint n_opened;
static uint64_t opened[MAX_PAGES];
static const char *running;

static void print_error(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* What is not between allocations is an ordinary crash: it happens again with the old handler. */
static void on_access(int signal, siginfo_t *info, void *machine_state)
{
    (void)signal;
    (void)machine_state;
    const uint64_t address = (uintptr_t)info->si_addr;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned i = guarded_is_gap(address) ? atomic_fetch_add(&n_opened, 1) : MAX_PAGES;
    if (i < MAX_PAGES) {
        opened[i] = address;
        if (mprotect((void *)(uintptr_t)(address / page * page), page, PROT_READ | PROT_WRITE) == 0)
            return;
    }
    if (guarded_is_own_range(address)) {
        print_error("emulated Level Zero: while kernel ");
        print_error(running);
        print_error(" runs, something accesses memory of devices that it was not given\n");
    }
    sigaction(SIGSEGV, &before, NULL);
}

/*
 * Notices what kernels access beyond allocations: pages there are inaccessible, and while a kernel
 * runs the signal that says so opens them, so that the kernel ends, and remembers it.
 */
static void guard_begin(const char *kernel)
{
    struct sigaction action = {.sa_sigaction = on_access, .sa_flags = SA_SIGINFO | SA_NODEFER};
    running = kernel;
    atomic_store(&n_opened, 0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before);
}

/* Number of pages that were accessed, and the first address of that; they are closed again. */
static unsigned guard_end(uint64_t *first)
{
    sigaction(SIGSEGV, &before, NULL);
    const unsigned all = atomic_load(&n_opened);
    const unsigned n = all < MAX_PAGES ? all : MAX_PAGES;
    *first = n ? opened[0] : 0;
    for (unsigned i = 0; i < n; i++)
        guarded_close_gap(opened[i]);
    return n;
}

/* -- modules, what their compiler says, and what is asked about them -- */

typedef struct Log {
    Object object;
    char *text;
} Log;

static void create_log(ze_module_build_log_handle_t *handle, const char *text)
{
    if (!handle)
        return;
    Log *log = driver_create_object(OBJECT_LOG, sizeof(*log), NULL);
    log->text = strdup(text);
    *handle = (ze_module_build_log_handle_t)log;
}

/* Options of the interface, and of OpenCL's compiler, have these beginnings. */
static bool are_known(const char *flags, char error[256])
{
    for (const char *at = flags ? flags : ""; *at;) {
        const int length = (int)strcspn(at, " ");
        if (length > 0 && strncmp(at, "-ze-", 4) != 0 && strncmp(at, "-cl-", 4) != 0) {
            snprintf(error, 256, "the option %.*s is not known", length, at);
            return false;
        }
        at += length + (at[length] == ' ');
    }
    return true;
}

static bool can_run(const Device *device, const Spirv *spirv, char error[256])
{
    const uint32_t taken = driver_spirv_of(device);
    const uint32_t major = spirv->version >> 16, minor = spirv->version >> 8 & 0xff;
    if (ZE_MAKE_VERSION(major, minor) > taken || major != ZE_MAJOR_VERSION(taken)) {
        snprintf(error, 256, "the device takes SPIR-V %u.%u, not %u.%u", ZE_MAJOR_VERSION(taken),
                 ZE_MINOR_VERSION(taken), major, minor);
        return false;
    }
    if (spirv->uses_fp64 && device->state->machine->own[DEVICE_NO_FP64]) {
        snprintf(error, 256, "double precision is not supported by the device");
        return false;
    }
    return true;
}

static Spirv *compile(const Device *device, const ze_module_desc_t *desc, OpenclProgram **program,
                      ze_module_build_log_handle_t *handle)
{
    char error[256] = "";
    char *log = NULL;
    Spirv *spirv = spirv_read(desc->pInputModule, desc->inputSize, error);
    const bool is_good =
        spirv && are_known(desc->pBuildFlags, error) && can_run(device, spirv, error);
    if (is_good)
        spirv_stop_unrolling(spirv);
    *program = is_good ? opencl_build(spirv->words, desc->inputSize, &log) : NULL;
    create_log(handle, *error || !log ? error : log);
    if (!*program) {
        machine_log("! %.200s", *error || !log ? error : log);
        if (spirv)
            spirv_free(spirv);
        spirv = NULL;
    }
    free(log);
    return spirv;
}

static ze_result_t create_module(ze_context_handle_t context_handle, ze_device_handle_t handle,
                                 const ze_module_desc_t *desc, ze_module_handle_t *created,
                                 ze_module_build_log_handle_t *log)
{
    ze_result_t result;
    OpenclProgram *program = NULL;
    Context *context = driver_find(context_handle, OBJECT_CONTEXT, &result);
    Device *device = context ? driver_find(handle, OBJECT_DEVICE, &result) : NULL;
    if (!device)
        return result;
    if (!desc || !desc->pInputModule || !created)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    if (desc->inputSize == 0)
        return ZE_RESULT_ERROR_INVALID_SIZE;
    if (desc->format == ZE_MODULE_FORMAT_NATIVE)
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV || desc->pNext)
        return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    Spirv *spirv = compile(device, desc, &program, log);
    if (!spirv)
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    Module *module = driver_create_object(OBJECT_MODULE, sizeof(*module), device);
    module->context = context;
    module->spirv = spirv;
    module->program = program;
    *created = (ze_module_handle_t)module;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleCreate,
              (ze_context_handle_t context, ze_device_handle_t device, const ze_module_desc_t *desc,
               ze_module_handle_t *module, ze_module_build_log_handle_t *log),
              create_module(context, device, desc, module, log))

static ze_result_t destroy_module(ze_module_handle_t handle)
{
    ze_result_t result;
    Module *module = driver_find_lost(handle, OBJECT_MODULE, &result);
    if (!module)
        return result;
    if (module->n_kernels > 0)
        machine_complain("a module is destroyed that has %u kernels", module->n_kernels);
    driver_spoil(&module->object);
    driver_destroy_object(&module->object); /* its kernels may still look at the code */
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleDestroy, (ze_module_handle_t handle), destroy_module(handle))

static ze_result_t get_log(ze_module_build_log_handle_t handle, size_t *size, char *text)
{
    ze_result_t result;
    const Log *log = driver_find(handle, OBJECT_LOG, &result);
    if (!log)
        return result;
    if (!size)
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const size_t all = strlen(log->text) + 1;
    if (text) {
        if (*size < all)
            return ZE_RESULT_ERROR_INVALID_SIZE;
        memcpy(text, log->text, all);
    }
    *size = all;
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleBuildLogGetString,
              (ze_module_build_log_handle_t handle, size_t *size, char *text),
              get_log(handle, size, text))

static ze_result_t destroy_log(ze_module_build_log_handle_t handle)
{
    ze_result_t result;
    Log *log = driver_find_lost(handle, OBJECT_LOG, &result);
    if (!log)
        return result;
    free(log->text);
    driver_destroy_object(&log->object);
    return ZE_RESULT_SUCCESS;
}

DRIVER_DEFINE(zeModuleBuildLogDestroy, (ze_module_build_log_handle_t handle), destroy_log(handle))

/* -- kernels, their arguments, and running them -- */

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
