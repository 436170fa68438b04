/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

ze_driver_handle_t fixture_driver;
ze_device_handle_t fixture_device;
ze_context_handle_t fixture_context;

static int (*configure)(const char *, const char *);
static uint64_t (*count)(const char *);
static ze_module_handle_t module;

bool fixture_can_run(void)
{
    const char *(*unavailable)(void);
    setenv("ZE_ENABLE_ALT_DRIVERS", EMULATED_LEVEL_ZERO, 0);
    void *library = dlopen(EMULATED_LEVEL_ZERO, RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        return true; /* tests fail */
    }
    *(void **)&configure = dlsym(library, "emulated_level_zero_configure");
    *(void **)&count = dlsym(library, "emulated_level_zero_count");
    *(void **)&unavailable = dlsym(library, "emulated_level_zero_unavailable");
    const char *reason = unavailable();
    if (reason)
        printf("skipped: %s\n", reason);
    return !reason;
}

int fixture_configure(const char *machine, const char *order)
{
    module = NULL;
    return configure(machine, order);
}

uint64_t fixture_count(const char *what)
{
    return count(what);
}

unsigned fixture_complaints(void)
{
    return (unsigned)count("complaint");
}

ze_device_handle_t fixture_find_device(uint32_t index)
{
    ze_device_handle_t devices[16];
    uint32_t n = 16;
    OK(zeDeviceGet(fixture_driver, &n, devices));
    assert_true(index < n);
    return devices[index];
}

void fixture_start(const char *machine, const char *order)
{
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    uint32_t n = 1;
    assert_int_equal(fixture_configure(machine, order), 0);
    OK(zeInit(ZE_INIT_FLAG_GPU_ONLY));
    OK(zeDriverGet(&n, &fixture_driver));
    fixture_device = fixture_find_device(0);
    OK(zeContextCreate(fixture_driver, &desc, &fixture_context));
}

int fixture_set_up(void **state)
{
    fixture_start(NULL, "late");
    return 0;
}

int fixture_tear_down(void **state)
{
    return fixture_configure(NULL, "late");
}

/* -- lists -- */

ze_command_list_handle_t fixture_immediate_of(uint32_t ordinal, ze_command_queue_mode_t mode)
{
    const ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .mode = mode};
    ze_command_list_handle_t list = NULL;
    OK(zeCommandListCreateImmediate(fixture_context, fixture_device, &desc, &list));
    return list;
}

ze_command_list_handle_t fixture_immediate(void)
{
    return fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
}

/* -- events -- */

ze_event_pool_handle_t fixture_pool(ze_event_pool_flags_t flags, uint32_t n)
{
    const ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = n};
    ze_event_pool_handle_t pool = NULL;
    OK(zeEventPoolCreate(fixture_context, &desc, 1, &fixture_device, &pool));
    return pool;
}

ze_event_handle_t fixture_event_of(ze_event_pool_handle_t pool, uint32_t index)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                  .index = index,
                                  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                  .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = NULL;
    OK(zeEventCreate(pool, &desc, &event));
    return event;
}

ze_event_handle_t fixture_event(void)
{
    return fixture_event_of(fixture_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
}

/* -- memory -- */

uint32_t *fixture_device_memory(size_t bytes)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory = NULL;
    OK(zeMemAllocDevice(fixture_context, &desc, bytes, 64, fixture_device, &memory));
    return memory;
}

uint32_t *fixture_host_memory(size_t bytes)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    OK(zeMemAllocHost(fixture_context, &desc, bytes, 64, &memory));
    return memory;
}

uint32_t fixture_read(const uint32_t *from)
{
    uint32_t word = 0;
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    OK(zeCommandListAppendMemoryCopy(list, &word, from, sizeof(word), NULL, 0, NULL));
    OK(zeCommandListDestroy(list));
    return word;
}

/* -- kernels -- */

uint8_t *fixture_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    assert_non_null(file);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

ze_module_handle_t fixture_module(void)
{
    size_t size;
    if (module)
        return module;
    uint8_t *code = fixture_read_file(KERNELS "/kernels.spv", &size);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = code};
    OK(zeModuleCreate(fixture_context, fixture_device, &desc, &module, NULL));
    free(code);
    return module;
}

ze_kernel_handle_t fixture_kernel(const char *name)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    OK(zeKernelCreate(fixture_module(), &desc, &kernel));
    return kernel;
}

void fixture_set_fill(ze_kernel_handle_t fill, uint32_t *to, uint32_t value, int32_t offset)
{
    const struct {
        uint32_t value;
        int32_t offset;
    } args = {value, offset};
    OK(zeKernelSetGroupSize(fill, 64, 1, 1));
    OK(zeKernelSetArgumentValue(fill, 0, sizeof(to), &to));
    OK(zeKernelSetArgumentValue(fill, 1, sizeof(args), &args));
}

ze_result_t fixture_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                           uint32_t groups)
{
    const ze_group_count_t count_of_groups = {groups, 1, 1};
    return zeCommandListAppendLaunchKernel(list, kernel, &count_of_groups, NULL, 0, NULL);
}
