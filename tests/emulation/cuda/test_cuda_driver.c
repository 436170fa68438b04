/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Memory, copies, contexts, kernels and graphs of the emulated driver, and what it rejects. */
#include "driver_fixture.h"
#include "support/cases.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 1024 };
static const uint32_t fresh = 0xdbdbdbdb;

/* -- memory -- */

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_device_memory_then_the_host_cannot_access_it)
{
    void *device = (void *)(uintptr_t)fixture_device_memory(SIZE);
    void *pinned = fixture_pinned(SIZE);
    assert_crashes(read_byte(device));
    assert_crashes(write_byte(device));
    assert_survives(write_byte(pinned));
    OK(cuMemFreeHost(pinned));
    assert_crashes(read_byte(pinned));
    OK(cuMemFree_v2((uintptr_t)device));
    assert_crashes(read_byte(device));
}

TEST(given_memory_that_was_freed_then_it_is_refused)
{
    CudaAddress freed = fixture_device_memory(SIZE);
    uint32_t word;
    OK(cuMemFree_v2(freed));
    assert_int_equal(cuMemFree_v2(freed), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(&word, freed, 4), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyAsync((uintptr_t)&word, freed, 4, NULL), CUDA_ERROR_INVALID_VALUE);
}

/* Each begins with a context that works. */
TEST(given_memory_freed_too_early_then_what_uses_it_fails)
{
    for (int which = 0; which < 5; which++) {
        fixture_start(NULL, "late");
        CudaFunction fill = fixture_fill_kernel();
        CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
        CudaAddress memory = fixture_device_memory(SIZE);
        void *pinned = fixture_pinned(SIZE);
        uint32_t *registered = calloc(1, SIZE);
        OK(cuMemHostRegister_v2(registered, SIZE, 0));
        if (which == 0)
            OK(fixture_fill(fill, memory, 1, 1, stream));
        else
            OK(cuMemcpyAsync(memory, (uintptr_t)(which >= 3 ? registered : pinned), SIZE, stream));
        if (which < 2)
            OK(cuMemFree_v2(memory));
        else if (which == 2)
            OK(cuMemFreeHost(pinned));
        else
            OK(cuMemHostUnregister(registered));
        if (which == 4) /* it is not the same as before */
            OK(cuMemHostRegister_v2(registered, SIZE, 0));
        assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_int_equal(cuMemFree_v2(memory), CUDA_ERROR_ILLEGAL_ADDRESS);
        free(registered);
    }
}

TEST(given_a_driver_that_waits_in_free_then_it_is_not_too_early)
{
    fixture_start("free-waits", "late");
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(SIZE);
    OK(fixture_fill(fill, memory, 1, 1, stream));
    OK(cuMemFree_v2(memory));
    OK(cuStreamSynchronize(stream));
}

TEST(given_host_memory_then_what_is_registered_is_known)
{
    static unsigned char memory[4 * SIZE];
    CudaAddress address;
    unsigned type;
    OK(cuMemHostRegister_v2(memory, SIZE, 2));
    assert_int_equal(cuMemHostRegister_v2(memory + SIZE - 1, SIZE, 0),
                     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemHostRegister_v2(memory + SIZE, SIZE, 0));
    OK(cuMemHostGetDevicePointer_v2(&address, memory + 8, 0));
    assert_true(address == (uintptr_t)memory + 8);
    assert_int_equal(cuMemHostGetDevicePointer_v2(&address, memory + 2 * SIZE, 0),
                     CUDA_ERROR_INVALID_VALUE);
    OK(cuPointerGetAttribute(&type, 2, (uintptr_t)memory));
    assert_int_equal(type, CUDA_MEMORY_HOST);
    assert_int_equal(cuPointerGetAttribute(&type, 2, (uintptr_t)memory + 2 * SIZE),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemHostUnregister(memory + 8), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    OK(cuMemHostUnregister(memory));
    OK(cuMemHostUnregister(memory + SIZE));
    assert_int_equal(cuMemHostUnregister(memory), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);

    address = fixture_device_memory(3 * SIZE);
    OK(cuPointerGetAttribute(&type, 2, address));
    assert_int_equal(type, CUDA_MEMORY_DEVICE);
    OK(cuMemFree_v2(address));
}

/* -- copies -- */

TEST(given_copies_that_make_no_sense_then_they_are_refused)
{
    CudaAddress memory = fixture_device_memory(SIZE);
    unsigned char host[SIZE] = {0};
    const CudaCopy2D good = {.src_type = CUDA_MEMORY_DEVICE,
                             .src_device = memory,
                             .src_pitch = 32,
                             .dst_type = CUDA_MEMORY_DEVICE,
                             .dst_device = memory + 16,
                             .dst_pitch = 32,
                             .width = 16,
                             .height = 31};
    CudaCopy2D bad[9];
    OK(cuMemcpy2D_v2(&good)); /* columns of the same rows */
    for (size_t i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].dst_device--;   /* overlap */
    bad[1].src_pitch = 15; /* less than a row */
    bad[2].src_x = 17;
    bad[2].dst_device += 512;
    bad[2].height = 2;  /* the row ends behind the next one's begin */
    bad[3].height = 33; /* behind the memory's end */
    bad[4].src_type = 7;
    bad[5].dst_pitch = (size_t)1 << 31;
    bad[6].src_device = 0;
    bad[7].src_type = CUDA_MEMORY_HOST; /* but the device's */
    bad[7].src_host = (void *)(uintptr_t)memory;
    bad[8].src_pitch = 0; /* but several rows */
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(cuMemcpy2DAsync_v2(&bad[i], NULL), CUDA_ERROR_INVALID_VALUE);
    const CudaAddress pageable = (uintptr_t)host;
    OK(cuMemcpyAsync(memory, pageable, SIZE, NULL));
    OK(cuMemcpyAsync(memory, pageable, 0, NULL));
    assert_int_equal(cuMemcpyAsync(memory, pageable, SIZE + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyDtoH_v2(host, memory + 1, SIZE), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemcpyAsync(memory, memory + 4, 8, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuMemsetD8Async(memory, 0, SIZE + 1, NULL), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize()); /* none of it stays */
}

/* -- errors of kernels -- */

TEST(given_an_illegal_access_then_the_context_is_broken_for_good)
{
    static const struct {
        int offset;
        CudaResult result;
    } cases[] = {{SIZE, CUDA_ERROR_ILLEGAL_ADDRESS},
                 {-4, CUDA_ERROR_ILLEGAL_ADDRESS},
                 {2, CUDA_ERROR_MISALIGNED_ADDRESS}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const CudaResult expected = cases[i].result;
        CudaContext other, broken;
        CudaAddress address;
        CudaEvent event;
        fixture_start(NULL, "late");
        CudaFunction fill = fixture_fill_kernel();
        CudaAddress memory = fixture_device_memory(SIZE);
        CudaStream stream = fixture_stream(0);
        event = fixture_event(0);
        OK(fixture_fill(fill, memory + (CudaAddress)(int64_t)cases[i].offset, 1, 1, stream));
        OK(cuEventRecord(event, stream));
        assert_int_equal(cuEventQuery(event), expected);
        assert_int_equal(cuEventQuery(event), expected);
        assert_int_equal(cuStreamSynchronize(stream), expected);
        assert_int_equal(cuMemAlloc_v2(&address, 4), expected);
        assert_int_equal(fixture_fill(fill, memory, 1, 1, stream), expected);
        assert_int_equal(cuMemFree_v2(memory), expected);
        assert_int_equal(cuCtxSynchronize(), expected);
        OK(cuCtxCreate_v2(&other, 0, 0)); /* another one is as ever */
        OK(fixture_fill(fixture_fill_kernel(), fixture_device_memory(SIZE), 1, 1, NULL));
        OK(cuCtxSynchronize());
        OK(cuCtxPopCurrent_v2(&other));
        OK(cuCtxPopCurrent_v2(&broken));
        OK(cuCtxDestroy_v2(broken));
    }
}

TEST(given_memory_of_another_context_then_kernels_cannot_access_it)
{
    CudaContext other;
    CudaAddress memory = fixture_device_memory(SIZE);
    OK(cuCtxCreate_v2(&other, 0, 0));
    OK(fixture_fill(fixture_fill_kernel(), memory, 1, 1, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST(given_host_memory_then_kernels_access_what_is_pinned)
{
    static uint32_t pageable[64];
    CudaFunction fill = fixture_fill_kernel();
    uint32_t *pinned = fixture_pinned(256);
    OK(fixture_fill(fill, (uintptr_t)pinned, 2, 1, NULL));
    OK(cuCtxSynchronize());
    assert_int_equal(pinned[63], 2);
    OK(fixture_fill(fill, (uintptr_t)pageable, 2, 1, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(pageable[0], 0);
}

/* -- contexts -- */

TEST(given_contexts_then_each_thread_has_a_stack)
{
    CudaContext second, found;
    CudaDeviceHandle device = 9;
    CudaAddress address;
    OK(cuCtxCreate_v2(&second, 0, 0));
    OK(cuCtxGetCurrent(&found));
    assert_ptr_equal(found, second);
    OK(cuCtxPushCurrent_v2(fixture_context));
    OK(cuCtxGetDevice(&device));
    assert_int_equal(device, 0);
    OK(cuCtxPopCurrent_v2(&found));
    assert_ptr_equal(found, fixture_context);
    OK(cuCtxDestroy_v2(second)); /* the current one is not, then */
    OK(cuCtxGetCurrent(&found));
    assert_ptr_equal(found, fixture_context);
    assert_int_equal(cuCtxPushCurrent_v2(second), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuCtxSetCurrent(NULL));
    assert_int_equal(cuMemAlloc_v2(&address, 4), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxPopCurrent_v2(&found), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxPushCurrent_v2(fixture_context));
    OK(cuCtxPushCurrent_v2(fixture_context));
    OK(cuCtxDestroy_v2(fixture_context));
    assert_int_equal(cuMemAlloc_v2(&address, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST(given_the_primary_context_then_it_lives_as_long_as_it_is_retained)
{
    CudaContext first, second;
    OK(cuDevicePrimaryCtxRetain(&first, 0));
    OK(cuDevicePrimaryCtxRetain(&second, 0));
    assert_ptr_equal(first, second);
    OK(cuCtxSetCurrent(first));
    const uint64_t before = emulated_cuda_count("memory");
    CudaAddress memory = fixture_device_memory(SIZE);
    fixture_pinned(SIZE);
    OK(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(fixture_read(memory), fresh);
    assert_int_equal(emulated_cuda_count("memory"), before + 2);
    OK(cuDevicePrimaryCtxRelease(0));
    assert_int_equal(emulated_cuda_count("memory"), before);
    assert_int_equal(cuMemFree_v2(memory), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    assert_int_equal(cuDevicePrimaryCtxRelease(0), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuCtxDestroy_v2(first), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(given_handles_of_another_context_then_they_are_refused)
{
    CudaContext other;
    CudaStream stream = fixture_stream(0);
    CudaEvent event = fixture_event(0);
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(SIZE);
    OK(cuCtxCreate_v2(&other, 0, 0));
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_CONTEXT);
    assert_int_equal(cuEventRecord(event, NULL), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(fixture_fill(fill, memory, 1, 1, NULL), CUDA_ERROR_INVALID_HANDLE);
}
