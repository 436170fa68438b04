/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The emulated driver under the real loader: memory, objects, lists and events, modules and
 * kernels, what is read off SPIR-V. */
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine_fixture.h"
#include "spirv.h"

#define OK(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

static ze_driver_handle_t fixture_driver;
static ze_device_handle_t fixture_device;
static ze_context_handle_t fixture_context;
static int (*configure)(const char *, const char *);
static uint64_t (*count)(const char *);
static ze_module_handle_t built;

static bool fixture_can_run(void)
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

static unsigned fixture_complaints(void)
{
    return (unsigned)count("complaint");
}

static ze_device_handle_t fixture_find_device(uint32_t index)
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
    built = NULL;
    assert_int_equal(configure(machine, order), 0);
    OK(zeInit(ZE_INIT_FLAG_GPU_ONLY));
    OK(zeDriverGet(&n, &fixture_driver));
    fixture_device = fixture_find_device(0);
    OK(zeContextCreate(fixture_driver, &desc, &fixture_context));
}

int fixture_tear_down(void **state)
{
    return configure(NULL, "late");
}

/* -- lists -- */

static ze_command_list_handle_t fixture_immediate_of(uint32_t ordinal, ze_command_queue_mode_t mode)
{
    const ze_command_queue_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = ordinal, .mode = mode};
    ze_command_list_handle_t list = NULL;
    OK(zeCommandListCreateImmediate(fixture_context, fixture_device, &desc, &list));
    return list;
}

static ze_command_list_handle_t fixture_immediate(void)
{
    return fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
}

/* -- events -- */

static ze_event_pool_handle_t fixture_pool(ze_event_pool_flags_t flags, uint32_t n)
{
    const ze_event_pool_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = flags, .count = n};
    ze_event_pool_handle_t pool = NULL;
    OK(zeEventPoolCreate(fixture_context, &desc, 1, &fixture_device, &pool));
    return pool;
}

static ze_event_handle_t fixture_event_of(ze_event_pool_handle_t pool, uint32_t index)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                  .index = index,
                                  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                  .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    ze_event_handle_t event = NULL;
    OK(zeEventCreate(pool, &desc, &event));
    return event;
}

static ze_event_handle_t fixture_event(void)
{
    return fixture_event_of(fixture_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
}

/* -- memory -- */

static uint32_t *fixture_device_memory(size_t bytes)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory = NULL;
    OK(zeMemAllocDevice(fixture_context, &desc, bytes, 64, fixture_device, &memory));
    return memory;
}

static uint32_t *fixture_host_memory(size_t bytes)
{
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    OK(zeMemAllocHost(fixture_context, &desc, bytes, 64, &memory));
    return memory;
}

/* -- kernels -- */

static uint8_t *fixture_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    assert_non_null(file);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

static ze_module_handle_t fixture_module(void)
{
    size_t size;
    if (built)
        return built;
    uint8_t *code = fixture_read_file(KERNELS "/kernels.spv", &size);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = code};
    OK(zeModuleCreate(fixture_context, fixture_device, &desc, &built, NULL));
    free(code);
    return built;
}

static ze_kernel_handle_t fixture_kernel(const char *name)
{
    const ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel = NULL;
    OK(zeKernelCreate(fixture_module(), &desc, &kernel));
    return kernel;
}

static void fixture_set_fill(ze_kernel_handle_t fill, uint32_t *to, uint32_t value, int32_t offset)
{
    const struct {
        uint32_t value;
        int32_t offset;
    } args = {value, offset};
    OK(zeKernelSetGroupSize(fill, 64, 1, 1));
    OK(zeKernelSetArgumentValue(fill, 0, sizeof(to), &to));
    OK(zeKernelSetArgumentValue(fill, 1, sizeof(args), &args));
}

static ze_result_t fixture_launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                  uint32_t groups)
{
    const ze_group_count_t count_of_groups = {groups, 1, 1};
    return zeCommandListAppendLaunchKernel(list, kernel, &count_of_groups, NULL, 0, NULL);
}

/* -- memory -- */

TEST(the_host_cannot_touch_device_memory)
{
    uint32_t *memory = fixture_device_memory(64), *host = fixture_host_memory(64);
    assert_crashes(write_byte(memory));
    assert_survives(write_byte(host));
    assert_crashes(write_byte(host + 16));
    OK(zeMemFree(fixture_context, host));
    assert_crashes(write_byte(host));
}

TEST(memory_is_limited_as_Intel_says)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory;
    fixture_start("memory 1M; out-of-memory at 3", NULL);
    fixture_device_memory(1 << 19);
    assert_int_equal(
        zeMemAllocDevice(fixture_context, &desc, (1 << 19) + 1, 0, fixture_device, &memory),
        ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    fixture_device_memory(1 << 19);
    assert_int_equal(zeMemAllocHost(fixture_context, &host, 1, 0, &memory),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY); /* the third */
    assert_int_equal(zeMemAllocDevice(fixture_context, &desc, 1, 0, fixture_device, &memory),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(count("memory"), 2);
}

TEST(memory_is_given_back_once)
{
    uint32_t *memory = fixture_device_memory(64);
    assert_int_equal(zeMemFree(fixture_context, memory + 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemFree(fixture_context, memory));
    assert_int_equal(zeMemFree(fixture_context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fixture_complaints(), 2);
}

/* -- objects -- */

TEST(destroyed_objects_are_refused)
{
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    OK(zeCommandListDestroy(list));
    assert_int_not_equal(zeCommandListDestroy(list), 0);
    OK(zeEventDestroy(event));
    assert_int_not_equal(zeEventQueryStatus(event), 0);
    assert_int_equal(fixture_complaints(), 2);
}

TEST(children_go_before_parents)
{
    ze_event_pool_handle_t pool = fixture_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    ze_event_handle_t event = fixture_event_of(pool, 1), second;
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = 1};
    assert_int_not_equal(zeEventCreate(pool, &desc, &second), 0);
    assert_int_not_equal(zeEventPoolDestroy(pool), 0);
    OK(zeEventDestroy(event));
    OK(zeEventPoolDestroy(pool));
    fixture_kernel("fill");
    OK(zeModuleDestroy(fixture_module()));
    assert_int_equal(fixture_complaints(), 3);
}

TEST(what_is_not_there_says_so)
{
    ze_image_handle_t image;
    const ze_image_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                                  .type = ZE_IMAGE_TYPE_2D,
                                  .width = 1,
                                  .height = 1,
                                  .depth = 1};
    assert_int_equal(zeImageCreate(fixture_context, fixture_device, &desc, &image),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(count("zeImageCreate"), 1);
}

/* With its layer, the loader rejects what it knows to be wrong, and the driver is not called. */
TEST(the_layer_of_the_loader_checks_parameters)
{
    const bool has_layer = getenv("ZE_ENABLE_VALIDATION_LAYER") != NULL;
    void *memory;
    assert_int_equal(zeMemAllocHost(fixture_context, NULL, 64, 0, &memory),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(count("zeMemAllocHost"), has_layer ? 0 : 1);
}

/* -- faults -- */

TEST(a_wait_that_nobody_ends_is_said)
{
    fixture_start("hang-limit 0.02", "late");
    assert_int_equal(zeEventHostSynchronize(fixture_event(), UINT64_MAX),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

/* -- lists -- */

static ze_result_t copy_word(ze_command_list_handle_t list, uint32_t *to, const uint32_t *from)
{
    return zeCommandListAppendMemoryCopy(list, to, from, sizeof(*to), NULL, 0, NULL);
}

static ze_result_t barrier(ze_command_list_handle_t list)
{
    return zeCommandListAppendBarrier(list, NULL, 0, NULL);
}

/* What is on a list up to here has run. */
static void finish(ze_command_list_handle_t list)
{
    ze_event_handle_t event = fixture_event();
    OK(zeCommandListAppendBarrier(list, event, 0, NULL));
    OK(zeEventHostSynchronize(event, UINT64_MAX));
    OK(zeEventDestroy(event));
}

TEST(without_a_barrier_the_last_comes_first)
{
    uint32_t *host = fixture_host_memory(8), *memory = fixture_device_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    host[0] = 7;
    OK(copy_word(list, memory, host));
    OK(copy_word(list, host + 1, memory));
    finish(list);
    assert_int_equal(host[1], 0xdbdbdbdb);
}

TEST(a_barrier_with_events_waits_for_nothing_else)
{
    uint32_t *host = fixture_host_memory(8), *memory = fixture_device_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    host[0] = 7;
    OK(copy_word(list, memory, host));
    OK(zeCommandListAppendBarrier(list, NULL, 1, &event));
    OK(copy_word(list, host + 1, memory));
    OK(zeEventHostSignal(event));
    finish(list);
    assert_int_equal(host[1], 0xdbdbdbdb);
}

TEST(lists_are_not_ordered_by_themselves)
{
    uint32_t *host = fixture_host_memory(8), *memory = fixture_device_memory(8);
    ze_command_list_handle_t one = fixture_immediate(), other = fixture_immediate();
    host[0] = 7;
    OK(copy_word(one, memory, host));
    OK(barrier(one));
    OK(copy_word(other, host + 1, memory));
    finish(other);
    assert_int_equal(host[1], 0xdbdbdbdb);
    assert_int_equal(count("run"), 2);
}

TEST(a_query_says_not_ready_first)
{
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    OK(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    OK(zeEventQueryStatus(event));
    OK(zeEventHostReset(event));
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    assert_int_equal(zeEventHostSynchronize(event, 0), ZE_RESULT_NOT_READY);
    assert_int_equal(zeEventHostSynchronize(event, 3000000), ZE_RESULT_NOT_READY);
}

TEST(resetting_an_event_under_a_wait_is_wrong)
{
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    OK(zeEventHostSignal(event));
    OK(zeCommandListAppendBarrier(list, NULL, 1, &event));
    OK(zeEventHostReset(event));
    assert_int_equal(fixture_complaints(), 1);
}

TEST(work_that_loses_its_objects_fails)
{
    uint32_t *host = fixture_host_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event(), last = fixture_event();
    OK(zeCommandListAppendMemoryCopy(list, host + 1, host, 4, event, 0, NULL));
    OK(zeCommandListAppendBarrier(list, last, 0, NULL));
    OK(zeEventDestroy(event));
    assert_int_equal(fixture_complaints(), 1);
    assert_int_equal(zeEventHostSynchronize(last, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(host[1], 0xdbdbdbdb);
}

/* -- copies -- */

TEST(copies_stay_within_memory)
{
    uint32_t *host = fixture_host_memory(64), *memory = fixture_device_memory(64);
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    OK(zeCommandListAppendMemoryCopy(list, host, memory + 1, 64, event, 0, NULL));
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

TEST(memory_has_to_live_until_work_has_run)
{
    uint32_t *host = fixture_host_memory(64), *memory = fixture_device_memory(64);
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    OK(zeCommandListAppendMemoryCopy(list, memory, host, 64, event, 0, NULL));
    OK(zeMemFree(fixture_context, host));
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

static ze_result_t build(const void *code, size_t size, const char *flags,
                         ze_module_handle_t *module, ze_module_build_log_handle_t *log)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = code,
                                   .pBuildFlags = flags};
    return zeModuleCreate(fixture_context, fixture_device, &desc, module, log);
}

static ze_result_t run(ze_kernel_handle_t kernel, uint32_t groups)
{
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_result_t result = fixture_launch(list, kernel, groups);
    OK(zeCommandListDestroy(list));
    return result;
}

/* -- modules -- */

TEST(what_is_no_spirv_is_refused)
{
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    char text[256];
    size_t size = 0;
    static const char code[] = "this is no code of any kind";
    assert_int_equal(build(code, sizeof(code), NULL, &module, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(zeModuleBuildLogGetString(log, &size, NULL));
    assert_true(size > 1 && size < sizeof(text));
    OK(zeModuleBuildLogGetString(log, &size, text));
    assert_non_null(strstr(text, "no SPIR-V"));
    OK(zeModuleBuildLogDestroy(log));
}

TEST(what_is_cut_off_is_refused)
{
    ze_module_handle_t module;
    size_t size;
    uint8_t *code = fixture_read_file(KERNELS "/kernels.spv", &size);
    assert_int_equal(build(code, size - 4, NULL, &module, NULL),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_int_equal(build(code, size, "-unknown", &module, NULL),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(build(code, size, "-ze-opt-level=2 -cl-fp32-correctly-rounded-divide-sqrt", &module, NULL));
    code[5] = 3; /* version 1.3 */
    code[6] = 1;
    assert_int_equal(build(code, size, NULL, &module, NULL), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    free(code);
}

/* -- arguments -- */

TEST(arguments_have_to_fit)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    const uint32_t word = 1;
    uint64_t address = 0;
    assert_int_equal(zeKernelSetArgumentValue(fill, 2, 4, &word),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_int_equal(zeKernelSetArgumentValue(fill, 1, 4, &word),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    OK(zeKernelSetArgumentValue(fill, 0, 8, &address));
    assert_int_not_equal(zeKernelSetGroupSize(fill, 32, 1, 1), 0);
    assert_int_not_equal(run(fill, 1), 0); /* its second argument is not set */
    assert_int_equal(fixture_complaints(), 3);
}

/* -- bounds -- */

/* The kernel is run with one group, and something goes wrong. */
static void expect_failure(ze_kernel_handle_t kernel)
{
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_int_equal(fixture_launch(list, kernel, 1), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
    assert_int_equal(fixture_launch(list, kernel, 1), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

/* Behind it, also on the same page; before it; far away. */
TEST(a_write_beside_memory_is_noticed)
{
    static const struct {
        size_t bytes;
        int32_t offset;
    } cases[] = {{256, 1}, {252, 0}, {256, -1}, {256, 100000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_start(NULL, "late");
        ze_kernel_handle_t fill = fixture_kernel("fill");
        fixture_set_fill(fill, fixture_device_memory(cases[i].bytes), 5, cases[i].offset);
        expect_failure(fill);
    }
}

TEST(a_read_behind_memory_is_noticed)
{
    ze_kernel_handle_t copy = fixture_kernel("copy");
    uint32_t *from = fixture_device_memory(256), *to = fixture_device_memory(256);
    const uint32_t args[2] = {0, 1};
    OK(zeKernelSetGroupSize(copy, 64, 1, 1));
    OK(zeKernelSetArgumentValue(copy, 0, sizeof(from), &from));
    OK(zeKernelSetArgumentValue(copy, 1, sizeof(to), &to));
    OK(zeKernelSetArgumentValue(copy, 2, sizeof(args), &args));
    expect_failure(copy);
}

TEST(an_argument_that_is_no_memory_is_noticed)
{
    static uint32_t own[64];
    ze_kernel_handle_t fill = fixture_kernel("fill");
    fixture_set_fill(fill, own, 5, 0);
    expect_failure(fill);
    assert_int_equal(own[0], 0);
}

TEST(memory_that_was_given_back_is_noticed)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    uint32_t *memory = fixture_device_memory(256);
    const ze_group_count_t groups = {1, 1, 1};
    fixture_set_fill(fill, memory, 5, 0);
    OK(zeCommandListAppendLaunchKernel(list, fill, &groups, event, 0, NULL));
    OK(zeMemFree(fixture_context, memory));
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

TEST(a_kernel_lives_until_it_has_run)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    ze_command_list_handle_t list = fixture_immediate();
    fixture_set_fill(fill, fixture_device_memory(256), 5, 0);
    OK(fixture_launch(list, fill, 1));
    OK(zeKernelDestroy(fill));
    assert_int_equal(fixture_complaints(), 1);
    assert_int_not_equal(fixture_launch(list, fill, 1), 0);
    assert_int_equal(fixture_complaints(), 2);
}

TEST(lists_for_copies_take_no_kernels)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    fixture_set_fill(fill, fixture_device_memory(256), 5, 0);
    assert_int_equal(
        fixture_launch(fixture_immediate_of(1, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), fill, 1),
        ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
}

/* -- SPIR-V -- */

static Spirv *read_spirv(const char *path)
{
    char error[256] = "";
    size_t size;
    uint8_t *code = fixture_read_file(path, &size);
    Spirv *spirv = spirv_read(code, size, error);
    assert_string_equal(error, "");
    free(code);
    return spirv;
}

static const SpirvKernel *find(const Spirv *spirv, const char *name)
{
    for (size_t i = 0; i < spirv->n_kernels; i++) {
        if (strcmp(spirv->kernels[i].name, name) == 0)
            return &spirv->kernels[i];
    }
    fail_msg("there is no kernel %s", name);
    return NULL;
}

CASE(arguments_have_kinds_and_sizes)
{
    static const size_t sizes[] = {8, 4, 8, 1, 16};
    Spirv *spirv = read_spirv(KERNELS "/kernels.spv");
    const SpirvKernel *places = find(spirv, "places"), *fill = find(spirv, "fill");
    assert_int_equal(spirv->n_kernels, 3);
    assert_int_equal(places->n_arguments, 5);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(places->arguments[i].size, sizes[i]);
        assert_int_equal(places->arguments[i].kind, i == 0 ? SPIRV_POINTER : SPIRV_VALUE);
        assert_true(places->arguments[i].offset + sizes[i] <= places->values_size);
    }
    assert_int_equal(places->group_size[0], 0);
    assert_int_equal(fill->arguments[1].kind, SPIRV_VALUE); /* a structure */
    assert_int_equal(fill->arguments[1].size, 8);
    assert_int_equal(fill->group_size[0], 64);
    spirv_free(spirv);
}

CASE(what_kernels_need_is_known)
{
    Spirv *plain = read_spirv(KERNELS "/kernels.spv"),
          *fp64 = read_spirv(KERNELS "/kernels_fp64.spv");
    assert_false(plain->uses_fp64);
    assert_true(fp64->uses_fp64);
    assert_int_equal(plain->version >> 16, 1);
    assert_true(spirv_stop_unrolling(plain) > 0);
    assert_int_equal(spirv_stop_unrolling(fp64), 0);
    spirv_free(plain);
    spirv_free(fp64);
}

/* -- on the device -- */

static ze_result_t import(int descriptor, size_t size, uint32_t **memory)
{
    const ze_external_memory_import_fd_t external = {
        .stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD,
        .flags = ZE_EXTERNAL_MEMORY_TYPE_FLAG_DMA_BUF,
        .fd = descriptor};
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC,
                                             .pNext = &external};
    return zeMemAllocDevice(fixture_context, &desc, size, 0, fixture_device, (void **)memory);
}

TEST(objects_are_imported_as_they_are_unless_closed)
{
    const int descriptor = memfd_create("object", MFD_CLOEXEC);
    uint32_t *memory = NULL;
    void *begin = NULL;
    size_t size = 0;
    assert_int_equal(ftruncate(descriptor, 4096), 0);
    OK(import(descriptor, 8192, &memory));
    OK(zeMemGetAddressRange(fixture_context, memory, &begin, &size));
    assert_ptr_equal(begin, memory);
    assert_int_equal(size, 4096);
    OK(zeMemFree(fixture_context, memory));
    assert_int_equal(ftruncate(descriptor, 0), 0);
    assert_int_equal(import(descriptor, 4096, &memory), ZE_RESULT_ERROR_INVALID_SIZE);
    close(descriptor);
    assert_int_equal(import(descriptor, 4096, &memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fixture_complaints(), 1);
    assert_int_equal(count("memory"), 0);
}

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
