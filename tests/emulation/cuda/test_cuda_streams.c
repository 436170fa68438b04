/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* When the emulated driver runs what is put on streams: as late as it may, so that waits show. */
#include "driver_fixture.h"
#include "support/cases.h"

#include <pthread.h>

enum { SIZE = 1024, GROUPS = 4 }; /* a fill of all of it */
static const uint32_t fresh = 0xdbdbdbdb;

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_no_wait_then_the_result_is_not_there)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE);
    const uint32_t *result = fixture_pinned(SIZE);
    OK(fixture_fill(fill, memory, 7, GROUPS, stream));
    OK(cuMemcpyAsync((uintptr_t)result, memory, SIZE, stream));
    assert_int_equal(result[0], fresh);
    OK(cuStreamSynchronize(stream));
    for (int i = 0; i < SIZE / 4; i++)
        assert_int_equal(result[i], 7);
}

TEST(given_each_way_to_wait_then_the_result_is_there)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(SIZE);
    CudaEvent event = fixture_event(0);
    for (uint32_t way = 0; way < 4; way++) {
        CudaStream stream = fixture_stream(0);
        unsigned polls = 0;
        OK(fixture_fill(fill, memory, way, GROUPS, stream));
        OK(cuMemcpyAsync((uintptr_t)result, memory, SIZE, stream));
        OK(cuEventRecord(event, stream));
        assert_int_not_equal(result[0], way);
        if (way == 0)
            OK(cuEventSynchronize(event));
        else if (way == 1)
            OK(cuCtxSynchronize());
        else if (way == 2)
            OK(cuStreamSynchronize(NULL)); /* blocking streams come before the legacy one */
        else
            while (cuEventQuery(event) != CUDA_SUCCESS)
                assert_in_range(++polls, 1, 100);
        assert_int_equal(result[SIZE / 4 - 1], way);
        assert_true(way < 3 || polls > 0); /* nothing is done at once */
        OK(cuStreamDestroy_v2(stream));
    }
}

TEST(given_memory_of_the_host_then_copies_read_it_when_cuda_says)
{
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(8);
    uint32_t *pinned = fixture_pinned(4), pageable = 1, registered[4] = {1}, back = 0;
    *pinned = 1;
    OK(cuMemcpyAsync(memory, (uintptr_t)pinned, 4, stream));
    OK(cuMemcpyAsync(memory + 4, (uintptr_t)&pageable, 4, stream));
    *pinned = pageable = 2;
    OK(cuStreamSynchronize(stream));
    assert_int_equal(fixture_read(memory), 2);     /* read when the copy ran */
    assert_int_equal(fixture_read(memory + 4), 1); /* read at the call */

    OK(cuMemHostRegister_v2(registered, sizeof(registered), 0));
    OK(cuMemcpyAsync(memory, (uintptr_t)registered, 4, stream));
    registered[0] = 3;
    OK(cuStreamSynchronize(stream));
    assert_int_equal(fixture_read(memory), 3);
    OK(cuMemHostUnregister(registered));

    OK(cuMemcpyAsync((uintptr_t)&back, memory, 4, stream)); /* to pageable memory: waits */
    assert_int_equal(back, 3);
    OK(cuMemcpyAsync(memory, (uintptr_t)pinned, 4, stream));
    OK(cuMemcpyAsync(memory + 4, memory, 4, stream));
    OK(cuMemcpyAsync((uintptr_t)&back, memory + 4, 4, stream)); /* and for what is before it */
    assert_int_equal(back, 2);
}

/* What a copy on one stream sees of a fill on another one. */
static uint32_t across(unsigned flags, bool wait, bool legacy_first)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(flags);
    CudaStream first = legacy_first ? NULL : stream, second = legacy_first ? stream : NULL;
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaEvent event = fixture_event(CUDA_EVENT_DISABLE_TIMING), end = fixture_event(0);
    OK(fixture_fill(fill, memory, 9, GROUPS, first));
    OK(cuEventRecord(event, first));
    if (wait)
        OK(cuStreamWaitEvent(second, event, 0));
    OK(cuEventDestroy_v2(event)); /* that changes nothing */
    OK(cuMemcpyAsync((uintptr_t)result, memory, 4, second));
    OK(cuEventRecord(end, second));
    OK(cuEventSynchronize(end));
    return *result;
}

TEST(given_two_streams_then_only_what_waits_sees_the_other)
{
    for (int legacy_first = 0; legacy_first < 2; legacy_first++) {
        assert_int_equal(across(CUDA_STREAM_NON_BLOCKING, false, legacy_first), fresh);
        assert_int_equal(across(CUDA_STREAM_NON_BLOCKING, true, legacy_first), 9);
        assert_int_equal(across(0, false, legacy_first), 9); /* the legacy stream's order */
    }
}

TEST(given_events_that_have_no_time_then_it_is_an_error)
{
    CudaEvent timed = fixture_event(0), untimed = fixture_event(CUDA_EVENT_DISABLE_TIMING);
    CudaEvent never = fixture_event(0);
    float ms;
    OK(cuEventQuery(never)); /* of nothing, everything is done */
    OK(cuEventSynchronize(never));
    OK(cuEventRecord(timed, NULL));
    OK(cuEventRecord(untimed, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(cuEventElapsedTime(&ms, timed, untimed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventElapsedTime(&ms, timed, never), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy_v2(timed));
    assert_int_equal(cuEventQuery(timed), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuEventDestroy_v2(timed), CUDA_ERROR_INVALID_HANDLE);
}

TEST(given_a_stream_that_is_destroyed_then_its_work_still_runs)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE);
    CudaEvent event = fixture_event(0);
    OK(fixture_fill(fill, memory, 8, 1, stream));
    OK(cuEventRecord(event, stream));
    OK(cuStreamDestroy_v2(stream));
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventSynchronize(event));
    assert_int_equal(fixture_read(memory), 8);
}

TEST(given_an_event_recorded_twice_then_the_later_one_counts)
{
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream waiting = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE);
    uint32_t *result = fixture_pinned(4);
    CudaEvent event = fixture_event(0);
    OK(fixture_fill(fill, memory, 1, 1, stream));
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(waiting, event, 0)); /* for the first */
    OK(fixture_fill(fill, memory, 2, 1, stream));
    OK(cuEventRecord(event, stream));
    OK(cuMemcpyAsync((uintptr_t)result, memory, 4, waiting));
    OK(cuStreamSynchronize(waiting));
    assert_int_equal(*result, 1);
    OK(cuEventSynchronize(event));
    assert_int_equal(fixture_read(memory), 2);
}

static void *wait_for_ever(void *context)
{
    cuCtxPushCurrent_v2(context);
    return cuCtxSynchronize() == CUDA_ERROR_UNKNOWN ? context : NULL;
}

TEST(given_a_thread_that_waits_for_what_hangs_then_others_go_on)
{
    pthread_t thread;
    void *result;
    fixture_start("device a; device b; hang launch 1; hang-limit 1000; lose cuMemAllocPitch_v2 1",
                  "late");
    OK(fixture_fill(fixture_fill_kernel(), fixture_device_memory(SIZE), 1, 1, NULL));
    assert_int_equal(pthread_create(&thread, NULL, wait_for_ever, fixture_context), 0);
    for (int i = 0; i < 100; i++)
        OK(cuMemFree_v2(fixture_device_memory(SIZE)));
    assert_int_equal(cuMemAllocPitch_v2(NULL, NULL, 0, 0, 0), CUDA_ERROR_UNKNOWN);
    pthread_join(thread, &result); /* a device that is lost ends it */
    assert_non_null(result);
}
