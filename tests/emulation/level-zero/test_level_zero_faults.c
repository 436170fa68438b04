/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What goes wrong where a machine file says so. */
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

TEST(a_wait_that_nobody_ends_is_said)
{
    fixture_start("hang-limit 0.02", "late");
    assert_int_equal(zeEventHostSynchronize(fixture_event(), UINT64_MAX),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

/* -- time -- */

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
