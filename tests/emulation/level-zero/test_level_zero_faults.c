/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What goes wrong where a machine file says so; and what devices' clocks show. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "fixture.h"

static ze_result_t append_copy(ze_command_list_handle_t list, uint32_t *to, const uint32_t *from,
                               ze_event_handle_t event)
{
    return zeCommandListAppendMemoryCopy(list, to, from, sizeof(*to), event, 0, NULL);
}

static void calls_fail_when_it_is_their_turn(void **state)
{
    (void)state;
    const ze_host_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory;
    fixture_start("fail zeMemAllocHost 2 ZE_RESULT_ERROR_NOT_AVAILABLE; fail call 8 0x70000001",
                  NULL);
    OK(zeMemAllocHost(fixture_context, &desc, 64, 0, &memory));
    assert_int_equal(zeMemAllocHost(fixture_context, &desc, 64, 0, &memory),
                     ZE_RESULT_ERROR_NOT_AVAILABLE);
    while (fixture_count("call") < 7)
        OK(zeDeviceGetStatus(fixture_device));
    assert_int_equal(zeDeviceGetStatus(fixture_device), ZE_RESULT_ERROR_DEVICE_LOST);
    OK(zeMemAllocHost(fixture_context, &desc, 64, 0, &memory));
    assert_int_equal(fixture_count("zeMemAllocHost"), 3);
}

static void a_lost_device_stays_lost(void **state)
{
    (void)state;
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

static void a_device_is_lost_while_it_runs(void **state)
{
    (void)state;
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

static void what_hangs_does_not_end(void **state)
{
    (void)state;
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

static void a_wait_that_nobody_ends_is_said(void **state)
{
    (void)state;
    fixture_start("hang-limit 0.02", "late");
    assert_int_equal(zeEventHostSynchronize(fixture_event(), UINT64_MAX),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

static void launches_submissions_and_runs_can_be_named(void **state)
{
    (void)state;
    static const char *const faults[] = {"illegal-address launch 2",
                                         "illegal-address submission 2",
                                         "illegal-address run 2",
                                         "illegal-address zeCommandListAppendLaunchKernel 2",
                                         "lose launch 2",
                                         "lose submission 2"};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        fixture_start(faults[i], "late");
        uint32_t *memory = fixture_device_memory(4 * WORDS);
        ze_kernel_handle_t fill = fixture_kernel("fill");
        ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        fixture_set_fill(fill, memory, 5, 0);
        OK(fixture_launch(list, fill, 1));
        assert_int_equal(fixture_launch(list, fill, 1), ZE_RESULT_ERROR_DEVICE_LOST);
        assert_int_equal(fixture_count("launch"), 2);
        assert_int_equal(fixture_complaints(), 0);
    }
}

static void a_hang_meets_executed_lists(void **state)
{
    (void)state;
    fixture_start("hang submission 2; hang-limit 0.02", "late");
    uint32_t *host = fixture_host_memory(8);
    ze_command_queue_handle_t queue = fixture_queue();
    ze_command_list_handle_t list = fixture_list();
    OK(append_copy(list, host + 1, host, NULL));
    OK(zeCommandListClose(list));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    OK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    OK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    assert_int_equal(zeCommandQueueSynchronize(queue, 1000000), ZE_RESULT_NOT_READY);
    assert_int_equal(zeCommandQueueSynchronize(queue, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
}

/* -- calls that do not end -- */

static _Thread_local sigjmp_buf before_crash;

static void jump(int number)
{
    (void)number;
    siglongjmp(before_crash, 1);
}

/* The driver writes where the host cannot; the handler leaves the call, as test programs do. */
static void *crash_within_call(void *device_memory)
{
    uint64_t time;
    if (sigsetjmp(before_crash, 1) == 0)
        zeDeviceGetGlobalTimestamps(fixture_device, device_memory, &time);
    return NULL;
}

static void *ask_status(void *status)
{
    *(ze_result_t *)status = zeDeviceGetStatus(fixture_device);
    return NULL;
}

static void run_thread(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, function, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void a_call_that_crashes_holds_up_nobody(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = jump}, before;
    ze_result_t status = ZE_RESULT_NOT_READY;
    void *memory = fixture_device_memory(64);
    sigaction(SIGSEGV, &action, &before);
    run_thread(crash_within_call, memory);
    OK(zeDeviceGetStatus(fixture_device));
    assert_int_equal(fixture_complaints(), 1);
    crash_within_call(memory);
    OK(zeDeviceGetStatus(fixture_device)); /* gives the lock back, that others can go on */
    run_thread(ask_status, &status);
    OK(status);
    assert_int_equal(fixture_complaints(), 2);
    sigaction(SIGSEGV, &before, NULL);
}

/* -- time -- */

static void timestamps_wrap_and_grow(void **state)
{
    (void)state;
    const uint64_t mask = UINT32_MAX;
    ze_event_pool_handle_t pool =
        fixture_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 2);
    ze_event_handle_t first = fixture_event_of(pool, 0), second = fixture_event_of(pool, 1);
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_kernel_timestamp_result_t times[2];
    ze_kernel_handle_t fill = fixture_kernel("fill");
    const ze_group_count_t groups = {4, 1, 1};
    fixture_set_fill(fill, fixture_device_memory(4 * WORDS), 5, 0);
    assert_int_equal(zeEventQueryKernelTimestamp(first, &times[0]), ZE_RESULT_NOT_READY);
    OK(zeCommandListAppendLaunchKernel(list, fill, &groups, first, 0, NULL));
    OK(zeEventQueryKernelTimestamp(first, &times[0]));
    assert_true(times[0].context.kernelStart > mask / 2); /* about to wrap */
    for (int i = 0; i < 11000; i++)                       /* each takes 2 microseconds at least */
        OK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    OK(zeCommandListAppendLaunchKernel(list, fill, &groups, second, 0, NULL));
    OK(zeEventQueryKernelTimestamp(second, &times[1]));
    assert_true(times[1].context.kernelStart < mask / 2);
    assert_true(((times[1].context.kernelEnd - times[1].context.kernelStart) & mask) > 0);
}

static void the_device_writes_timestamps(void **state)
{
    (void)state;
    ze_event_pool_handle_t pool = fixture_pool(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 1);
    ze_event_handle_t event = fixture_event_of(pool, 0);
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    uint64_t *host = (uint64_t *)(void *)fixture_host_memory(128), on_host, on_device;
    ze_kernel_timestamp_result_t times;
    const size_t offset = 64;
    OK(zeDeviceGetGlobalTimestamps(fixture_device, &on_host, &on_device));
    OK(zeCommandListAppendWriteGlobalTimestamp(list, host, NULL, 0, NULL));
    OK(zeCommandListAppendWriteGlobalTimestamp(list, host + 1, NULL, 0, NULL));
    assert_true(host[0] > on_device && host[1] > host[0]);
    assert_int_equal(zeEventQueryStatus(event), ZE_RESULT_ERROR_INVALID_ARGUMENT); /* invisible */
    OK(zeCommandListAppendBarrier(list, event, 0, NULL));
    OK(zeCommandListAppendQueryKernelTimestamps(list, 1, &event, host, &offset, NULL, 0, NULL));
    OK(zeEventQueryKernelTimestamp(event, &times));
    assert_memory_equal(&times, (uint8_t *)host + offset, sizeof(times));
}

static void only_some_events_have_timestamps(void **state)
{
    (void)state;
    ze_event_handle_t event = fixture_event();
    ze_kernel_timestamp_result_t times;
    OK(zeEventHostSignal(event));
    assert_int_equal(zeEventQueryKernelTimestamp(event, &times), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(fixture_complaints(), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(calls_fail_when_it_is_their_turn), TEST(a_lost_device_stays_lost),
        TEST(a_device_is_lost_while_it_runs),   TEST(what_hangs_does_not_end),
        TEST(a_wait_that_nobody_ends_is_said),  TEST(launches_submissions_and_runs_can_be_named),
        TEST(a_hang_meets_executed_lists),      TEST(a_call_that_crashes_holds_up_nobody),
        TEST(timestamps_wrap_and_grow),         TEST(the_device_writes_timestamps),
        TEST(only_some_events_have_timestamps),
    };
    return fixture_can_run() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
