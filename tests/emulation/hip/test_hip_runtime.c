/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Devices and contexts of threads, and kinds of copies of the emulated HIP runtime. */
#include "hip_fixture.h"
#include "support/cases.h"

#include <pthread.h>

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

/* -- copies -- */

TEST(given_kinds_of_copies_then_what_they_are_between_has_to_fit)
{
    char text[] = "as it was", back[16] = "", rows[3][8] = {"", "", ""};
    char *a = fixture_device_memory(64), *b = fixture_device_memory(64);
    OK(hipMemcpy(b, a, 10, HIP_DEVICE_TO_DEVICE));
    assert_int_equal(hipMemcpy(a, text, 10, 5), hipErrorInvalidMemcpyDirection);
    assert_int_equal(hipMemcpy(a, text, 10, HIP_DEVICE_TO_DEVICE), hipErrorInvalidValue);
    assert_int_equal(hipMemcpy(a, b, 10, HIP_HOST_TO_DEVICE), hipErrorInvalidValue);
    assert_int_equal(hipMemcpy2DAsync(rows, 8, a, 1, 2, 3, HIP_COPY_DEFAULT, NULL),
                     hipErrorInvalidPitchValue);
    assert_int_equal(hipMemcpy(back, a, 65, HIP_COPY_DEFAULT), hipErrorInvalidValue);
    assert_int_equal(hipMemcpy(NULL, a, 1, HIP_COPY_DEFAULT), hipErrorInvalidValue);
}
