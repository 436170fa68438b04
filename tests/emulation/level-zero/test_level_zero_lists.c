/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What commands wait for, and what they do not wait for. */
#include "fixture.h"
#include "support/cases.h"

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

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(nothing_runs_before_somebody_waits)
{
    uint32_t *host = fixture_host_memory(8), *memory = fixture_device_memory(8);
    ze_command_list_handle_t list = fixture_immediate();
    host[0] = 7;
    OK(copy_word(list, memory, host));
    OK(barrier(list));
    OK(copy_word(list, host + 1, memory));
    assert_int_equal(host[1], 0xdbdbdbdb);
    assert_int_equal(fixture_count("run"), 0);
    host[0] = 8; /* the copy takes it when it runs */
    finish(list);
    assert_int_equal(host[1], 8);
    assert_int_equal(fixture_complaints(), 0);
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

TEST(events_order_lists)
{
    uint32_t *host = fixture_host_memory(8), *memory = fixture_device_memory(8);
    ze_command_list_handle_t one = fixture_immediate(), other = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    host[0] = 7;
    /* The wait comes before what it waits for is submitted. */
    OK(zeCommandListAppendBarrier(other, NULL, 1, &event));
    OK(copy_word(other, host + 1, memory));
    OK(zeCommandListAppendMemoryCopy(one, memory, host, 4, event, 0, NULL));
    finish(other);
    assert_int_equal(host[1], 7);
    assert_int_equal(fixture_complaints(), 0);
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
    assert_int_equal(fixture_count("run"), 2);
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
    assert_int_equal(zeDeviceGetStatus(fixture_device), ZE_RESULT_ERROR_DEVICE_LOST);
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

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
