/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The driver, devices, memory, objects, as machine files describe them. */
#include <stdlib.h>

#include "fixture.h"
#include "support/cases.h"

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(there_is_one_discrete_card)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    ze_api_version_t version;
    uint32_t n = 0;
    OK(zeDriverGetApiVersion(fixture_driver, &version));
    assert_int_equal(version, ZE_API_VERSION_CURRENT);
    OK(zeDeviceGet(fixture_driver, &n, NULL));
    assert_int_equal(n, 1);
    OK(zeDeviceGetProperties(fixture_device, &properties));
    assert_string_equal(properties.name, "Emulated Intel GPU");
    assert_int_equal(properties.type, ZE_DEVICE_TYPE_GPU);
    assert_int_equal(properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED, 0);
    assert_int_equal(properties.timerResolution, 52);
    properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
    OK(zeDeviceGetProperties(fixture_device, &properties));
    assert_int_equal(properties.timerResolution, 19200000);
    OK(zeDevicePciGetPropertiesExt(fixture_device, &pci));
    assert_int_equal(pci.address.bus, 1);
}

TEST(a_machine_file_describes_devices)
{
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    ze_pci_ext_properties_t pci = {.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES};
    ze_device_module_properties_t module = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    ze_device_memory_properties_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES};
    uint32_t n = 0;
    fixture_start("api 1.0\n"
                  "device First GPU\nkind integrated\nno-fp64\nmemory 1G\ncopy-engines 0\n"
                  "device Other\npci 0001:03:02.0\nids 8086:1234\n"
                  "uuid 00112233445566778899aabbccddeeff",
                  NULL);
    ze_api_version_t version;
    OK(zeDriverGetApiVersion(fixture_driver, &version));
    assert_int_equal(version, ZE_API_VERSION_1_0);
    OK(zeDeviceGet(fixture_driver, &n, NULL));
    assert_int_equal(n, 2);
    OK(zeDeviceGetProperties(fixture_device, &properties));
    assert_string_equal(properties.name, "First GPU");
    assert_true(properties.flags & ZE_DEVICE_PROPERTY_FLAG_INTEGRATED);
    OK(zeDeviceGetModuleProperties(fixture_device, &module));
    assert_int_equal(module.flags & ZE_DEVICE_MODULE_FLAG_FP64, 0);
    n = 1;
    OK(zeDeviceGetMemoryProperties(fixture_device, &n, &memory));
    assert_true(memory.totalSize == UINT64_C(1) << 30);
    n = 0;
    OK(zeDeviceGetCommandQueueGroupProperties(fixture_device, &n, NULL));
    assert_int_equal(n, 1);
    OK(zeDeviceGetProperties(fixture_find_device(1), &properties));
    assert_int_equal(properties.deviceId, 0x1234);
    assert_int_equal(properties.uuid.id[15], 0xff);
    OK(zeDevicePciGetPropertiesExt(fixture_find_device(1), &pci));
    assert_int_equal(pci.address.domain, 1);
    assert_int_equal(pci.address.device, 2);
    OK(zeDeviceGetModuleProperties(fixture_find_device(1), &module));
    assert_true(module.flags & ZE_DEVICE_MODULE_FLAG_FP64);
}

TEST(queue_groups_are_for_all_work_and_for_copies)
{
    ze_command_queue_group_properties_t groups[2] = {
        {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES},
        {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES}};
    ze_command_list_handle_t list;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .ordinal = 1};
    uint32_t n = 2;
    fixture_start("copy-engines 3", NULL);
    OK(zeDeviceGetCommandQueueGroupProperties(fixture_device, &n, groups));
    assert_int_equal(n, 2);
    assert_true(groups[0].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_int_equal(groups[1].flags, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_int_equal(groups[1].numQueues, 3);
    desc.index = 2;
    OK(zeCommandListCreateImmediate(fixture_context, fixture_device, &desc, &list));
    desc.index = 3;
    assert_int_equal(zeCommandListCreateImmediate(fixture_context, fixture_device, &desc, &list),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST(drivers_can_be_broken_or_without_devices)
{
    uint32_t n = 7;
    assert_int_equal(fixture_configure("driver-broken", NULL), 0);
    /* Newer loaders do not ask again in a process where that has succeeded. */
    ze_result_t broken = zeInit(0);
    assert_true(broken == ZE_RESULT_ERROR_UNINITIALIZED || broken == ZE_RESULT_SUCCESS);
    assert_int_equal(fixture_configure("no-device", NULL), 0);
    OK(zeInit(0));
    OK(zeDeviceGet(fixture_driver, &n, NULL));
    assert_int_equal(n, 0);
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

TEST(memory_is_described)
{
    uint32_t *memory = fixture_device_memory(100), *host = fixture_host_memory(64);
    uint32_t own;
    ze_memory_allocation_properties_t properties = {
        .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
    ze_device_handle_t device = NULL;
    void *base;
    size_t size;
    OK(zeMemGetAllocProperties(fixture_context, memory + 3, &properties, &device));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_DEVICE);
    assert_ptr_equal(device, fixture_device);
    OK(zeMemGetAddressRange(fixture_context, memory + 3, &base, &size));
    assert_ptr_equal(base, memory);
    assert_int_equal(size, 100);
    OK(zeMemGetAllocProperties(fixture_context, host, &properties, &device));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_HOST);
    assert_null(device);
    OK(zeMemGetAllocProperties(fixture_context, &own, &properties, &device));
    assert_int_equal(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
    assert_int_equal(zeMemGetAddressRange(fixture_context, &own, &base, &size),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST(alignment_is_as_asked)
{
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory;
    for (size_t alignment = 1; alignment <= 65536; alignment *= 4) {
        OK(zeMemAllocDevice(fixture_context, &desc, 100, alignment, fixture_device, &memory));
        assert_int_equal((uintptr_t)memory % alignment, 0);
    }
    assert_int_equal(zeMemAllocDevice(fixture_context, &desc, 100, 3, fixture_device, &memory),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
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

/* With its layer, the loader refuses what it knows to be wrong, and the driver is not called. */
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
