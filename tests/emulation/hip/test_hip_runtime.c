/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Devices and contexts of threads, memory, copies and streams of the emulated HIP runtime. */
#include "hip_fixture.h"
#include "support/cases.h"

#include <pthread.h>
#include <string.h>

/* -- the current device -- */

static void *look_at_device(void *data)
{
    int device = -1;
    hipGetDevice(&device);
    *(int *)data = device;
    return NULL;
}

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_threads_then_each_begins_with_the_first_device)
{
    pthread_t thread;
    int device = -1, seen = -1;
    fixture_start("device a; device b", "late");
    OK(hipSetDevice(1));
    assert_int_equal(pthread_create(&thread, NULL, look_at_device, &seen), 0);
    pthread_join(thread, NULL);
    assert_int_equal(seen, 0);
    OK(hipGetDevice(&device));
    assert_int_equal(device, 1);
}

TEST(given_contexts_then_they_are_those_of_devices)
{
    CudaContext own, popped;
    int device = -1;
    fixture_start("device a; device b", "late");
    OK(hipCtxCreate(&own, 0, 1));
    OK(hipCtxPushCurrent(own));
    OK(hipCtxGetDevice(&device));
    assert_int_equal(device, 1);
    OK(hipCtxPopCurrent(&popped));
    assert_ptr_equal(popped, own);
    OK(hipGetDevice(&device)); /* that of the popped one */
    assert_int_equal(device, 1);
    OK(hipSetDevice(0));
    OK(hipGetDevice(&device));
    assert_int_equal(device, 0);
    OK(hipCtxDestroy(own));
}

/* -- memory -- */

TEST(given_memory_then_its_address_tells_what_it_is)
{
    size_t size;
    void *base, *same;
    char *device = fixture_device_memory(1000);
    char *pinned = fixture_pinned(1000);
    OK(hipMemGetAddressRange(&base, &size, device + 999));
    assert_ptr_equal(base, device);
    assert_int_equal(size, 1000);
    assert_int_equal(hipMemGetAddressRange(&base, &size, device + 1000), hipErrorNotFound);
    OK(hipHostGetDevicePointer(&same, pinned, 0));
    assert_ptr_equal(same, pinned);
    OK(hipFree(device));
    assert_int_equal(hipFree(device), hipErrorInvalidValue);
    OK(hipFree(NULL));
    OK(hipHostFree(pinned));
    OK(hipHostFree(NULL));
    OK(hipMalloc(&base, 0));
    assert_null(base);
    assert_int_equal(emulated_hip_count("memory"), 0);
}

TEST(given_own_memory_then_it_can_be_registered_once)
{
    static char memory[8192];
    OK(hipHostRegister(memory, sizeof(memory), 2));
    assert_int_equal(hipHostRegister(memory + 100, 8, 0), hipErrorHostMemoryAlreadyRegistered);
    OK(hipHostUnregister(memory));
    assert_int_equal(hipHostUnregister(memory), hipErrorHostMemoryNotRegistered);
}

/* -- copies -- */

TEST(given_kinds_of_copies_then_bytes_arrive)
{
    char text[] = "as it was", back[16] = "", rows[3][8] = {"", "", ""};
    char *a = fixture_device_memory(64), *b = fixture_device_memory(64);
    OK(hipMemcpy(a, text, 10, HIP_HOST_TO_DEVICE));
    OK(hipMemcpy(b, a, 10, HIP_DEVICE_TO_DEVICE));
    OK(hipMemcpy(back, b, 10, HIP_DEVICE_TO_HOST));
    assert_string_equal(back, text);
    OK(hipMemsetAsync(a, 'x', 64, NULL));
    OK(hipMemcpy(back, a, 3, HIP_COPY_DEFAULT));
    assert_string_equal(back, "xxxit was");
    OK(hipMemcpy(a, "abcdefgh", 8, HIP_HOST_TO_DEVICE));
    OK(hipMemcpy2DAsync(rows, 8, a, 2, 2, 3, HIP_DEVICE_TO_HOST, NULL));
    assert_string_equal(rows[1], "cd");
    assert_string_equal(rows[2], "ef");
    assert_int_equal(hipMemcpy(a, text, 10, 5), hipErrorInvalidMemcpyDirection);
    assert_int_equal(hipMemcpy(a, text, 10, HIP_DEVICE_TO_DEVICE), hipErrorInvalidValue);
    assert_int_equal(hipMemcpy(a, b, 10, HIP_HOST_TO_DEVICE), hipErrorInvalidValue);
    assert_int_equal(hipMemcpy2DAsync(rows, 8, a, 1, 2, 3, HIP_COPY_DEFAULT, NULL),
                     hipErrorInvalidPitchValue);
    assert_int_equal(hipMemcpy(back, a, 65, HIP_COPY_DEFAULT), hipErrorInvalidValue);
    assert_int_equal(hipMemcpy(NULL, a, 1, HIP_COPY_DEFAULT), hipErrorInvalidValue);
}

/* -- streams -- */

TEST(given_work_on_streams_then_it_runs_when_somebody_waits)
{
    CudaEvent event, other;
    float ms = -1;
    CudaStream first = fixture_stream(1), second = fixture_stream(1);
    unsigned char *memory = fixture_device_memory(64), *seen = fixture_pinned(64);
    OK(hipEventCreateWithFlags(&event, 2 | 0x40000000));
    OK(hipEventCreateWithFlags(&other, 0));
    OK(hipMemsetAsync(memory, 1, 64, NULL));
    OK(hipDeviceSynchronize());
    OK(hipMemsetAsync(memory, 7, 64, first));
    OK(hipMemcpyAsync(seen, memory, 64, HIP_DEVICE_TO_HOST, second)); /* waits for nothing */
    OK(hipStreamSynchronize(second));
    assert_int_equal(seen[0], 1);
    OK(hipEventRecord(event, first));
    OK(hipStreamWaitEvent(second, event, 0));
    OK(hipMemcpyAsync(seen, memory, 64, HIP_DEVICE_TO_HOST, second));
    assert_int_equal(seen[0], 1);
    OK(hipStreamSynchronize(second));
    assert_int_equal(seen[0], 7);
    OK(hipEventQuery(event));
    assert_int_equal(hipEventElapsedTime(&ms, event, event), hipErrorInvalidHandle);
    OK(hipEventRecord(other, first));
    assert_int_equal(hipEventQuery(other), hipErrorNotReady);
    OK(hipEventSynchronize(other));
    OK(hipEventElapsedTime(&ms, other, other));
    assert_true(ms == 0);
    OK(hipEventDestroy(other));
    assert_int_equal(hipEventQuery(other), hipErrorInvalidHandle);
    OK(hipStreamDestroy(first));
    assert_int_equal(hipStreamSynchronize(first), hipErrorInvalidHandle);
}
