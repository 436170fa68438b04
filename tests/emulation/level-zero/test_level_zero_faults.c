/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What goes wrong where a machine file says so; and what devices' clocks show. */
#include "fixture.h"
#include "support/cases.h"

static ze_result_t append_copy(ze_command_list_handle_t list, uint32_t *to, const uint32_t *from,
                               ze_event_handle_t event)
{
    return zeCommandListAppendMemoryCopy(list, to, from, sizeof(*to), event, 0, NULL);
}

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(a_lost_device_stays_lost)
{
    fixture_start("lose zeCommandListAppendMemoryCopy 2; device; device", "late");
    uint32_t *host = fixture_host_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    OK(append_copy(list, host + 1, host, event));
    assert_int_equal(append_copy(list, host + 1, host, NULL), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(append_copy(list, host + 1, host, NULL), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(zeDeviceGetStatus(fixture_device), ZE_RESULT_ERROR_DEVICE_LOST);
    OK(zeDeviceGetStatus(fixture_find_device(1)));
    assert_int_equal(fixture_count("run"), 0);
    /* What there is can be given back. */
    OK(zeEventDestroy(event));
    OK(zeCommandListDestroy(list));
    OK(zeMemFree(fixture_context, host));
    OK(zeContextDestroy(fixture_context));
    assert_int_equal(fixture_complaints(), 0);
}

TEST(a_device_is_lost_while_it_runs)
{
    fixture_start("lose run 2 ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET", "late");
    uint32_t *host = fixture_host_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    host[0] = 7;
    OK(append_copy(list, host + 1, host, NULL));
    OK(zeCommandListAppendBarrier(list, event, 0, NULL));
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX),
                     ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET);
    assert_int_equal(host[1], 7);
    assert_int_equal(append_copy(list, host + 1, host, NULL),
                     ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET);
}

TEST(what_hangs_does_not_end)
{
    fixture_start("hang zeCommandListAppendMemoryCopy 1; hang-limit 0.05", "late");
    uint32_t *host = fixture_host_memory(8);
    ze_command_list_handle_t list = fixture_immediate(), other = fixture_immediate();
    ze_event_handle_t event = fixture_event(), free_event = fixture_event();
    OK(append_copy(list, host + 1, host, event));
    assert_int_equal(zeEventHostSynchronize(event, 2000000), ZE_RESULT_NOT_READY);
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_NOT_READY);
    OK(append_copy(other, host + 1, host, free_event));
    OK(zeEventHostSynchronize(free_event, UINT64_MAX));
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(zeDeviceGetStatus(fixture_device), ZE_RESULT_ERROR_DEVICE_LOST);
}

TEST(a_wait_that_nobody_ends_is_said)
{
    fixture_start("hang-limit 0.02", "late");
    assert_int_equal(zeEventHostSynchronize(fixture_event(), UINT64_MAX),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

/* -- time -- */

TEST(timestamps_grow)
{
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    uint64_t *host = (uint64_t *)(void *)fixture_host_memory(24);
    ze_kernel_handle_t fill = fixture_kernel("fill");
    fixture_set_fill(fill, fixture_device_memory(4 * WORDS), 5, 0);
    OK(zeCommandListAppendWriteGlobalTimestamp(list, host, NULL, 0, NULL));
    OK(zeCommandListAppendWriteGlobalTimestamp(list, host + 1, NULL, 0, NULL));
    OK(fixture_launch(list, fill, 4));
    OK(zeCommandListAppendWriteGlobalTimestamp(list, host + 2, NULL, 0, NULL));
    assert_true(host[0] < host[1] && host[1] < host[2]);
    assert_true(host[2] - host[1] > host[1] - host[0]);
}

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
