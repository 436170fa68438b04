/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The driver, devices, memory, objects, as machine files describe them. */
#include <stdlib.h>

#include "fixture.h"
#include "support/cases.h"

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

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
    assert_int_equal(fixture_count("memory"), 2);
}

TEST(words_of_this_runtime_are_checked)
{
    assert_int_equal(fixture_configure("api three", NULL), -1);
    assert_int_equal(fixture_configure("fail zeNoSuchFunction 1 1", NULL), -1);
    assert_int_equal(fixture_configure("fail zeMemAllocHost 1 ZE_RESULT_ERROR_UNKNOWN", "late"), 0);
}

TEST(memory_is_given_back_once)
{
    uint32_t *memory = fixture_device_memory(64);
    assert_int_equal(zeMemFree(fixture_context, memory + 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    OK(zeMemFree(fixture_context, memory));
    assert_int_equal(zeMemFree(fixture_context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fixture_complaints(), 2);
}

TEST(free_waits_if_the_machine_says_so)
{
    fixture_start("free-waits", "late");
    uint32_t *host = fixture_host_memory(8), *memory = fixture_device_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    host[0] = 7;
    OK(zeCommandListAppendMemoryCopy(list, memory, host, 4, NULL, 0, NULL));
    OK(zeMemFree(fixture_context, host));
    assert_int_equal(fixture_read(memory), 7);
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
    assert_int_equal(fixture_count("zeImageCreate"), 1);
}

/* With its layer, the loader rejects what it knows to be wrong, and the driver is not called. */
TEST(the_layer_of_the_loader_checks_parameters)
{
    const bool has_layer = getenv("ZE_ENABLE_VALIDATION_LAYER") != NULL;
    void *memory;
    assert_int_equal(zeMemAllocHost(fixture_context, NULL, 64, 0, &memory),
                     ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_int_equal(fixture_count("zeMemAllocHost"), has_layer ? 0 : 1);
}

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
