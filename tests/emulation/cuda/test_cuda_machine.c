/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The machines that the driver emulates: devices, faults, the file that describes them, the log. */
#include "driver_fixture.h"
#include "support/cases.h"

#include <dlfcn.h>
#include <stdio.h>

static int attribute(int which, int device)
{
    int value = -1;
    OK(cuDeviceGetAttribute(&value, which, device));
    return value;
}

/* -- devices -- */

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_a_device_that_is_taken_then_no_context_is_made)
{
    CudaContext context;
    fixture_start("device a; device b; compute-mode prohibited; device c; compute-mode exclusive;"
                  "device d; busy",
                  "late");
    assert_int_equal(attribute(20, 1), 2);
    assert_int_equal(attribute(20, 2), 3);
    assert_int_equal(cuCtxCreate_v2(&context, 0, 1), CUDA_ERROR_DEVICE_UNAVAILABLE);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 1), CUDA_ERROR_DEVICE_UNAVAILABLE);
    assert_int_equal(cuDevicePrimaryCtxRetain(&context, 3), CUDA_ERROR_DEVICE_UNAVAILABLE);
    OK(cuDevicePrimaryCtxRetain(&context, 2));
    assert_int_equal(cuCtxCreate_v2(&context, 0, 2), CUDA_ERROR_DEVICE_UNAVAILABLE);
    OK(cuDevicePrimaryCtxRelease(2));
    OK(cuCtxCreate_v2(&context, 0, 2));
    assert_int_equal(cuCtxCreate_v2(&context, 0, 2), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

/* -- the file -- */

TEST(given_what_the_file_does_not_know_then_it_is_refused)
{
    static const char *const machines[] = {"capability 8", "compute-mode shared", "fail malloc 1 2",
                                           "fail cuInit 1 CUDA_ERROR_TYPO"};
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
        assert_int_equal(emulated_cuda_configure(machines[i], NULL), -1);
    OK(cuCtxSynchronize()); /* and nothing has changed */
}

/* -- faults -- */

TEST(given_a_call_or_a_graph_that_hangs_then_what_it_put_there_does)
{
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node;
    fixture_start("hang cuMemsetD8Async 2; hang submission 2", "late");
    CudaAddress memory = fixture_device_memory(256);
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaEvent event = fixture_event(0);
    OK(cuMemsetD8Async(memory, 1, 256, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemsetD8Async(memory, 1, 256, stream));
    OK(cuEventRecord(event, stream));
    for (int i = 0; i < 100; i++)
        assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
    stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphLaunch(exec, stream));
    OK(cuEventRecord(event, stream));
    for (int i = 0; i < 100; i++)
        assert_int_equal(cuEventQuery(event), CUDA_ERROR_NOT_READY);
}

TEST(given_a_device_that_is_lost_then_every_call_says_so)
{
    static const char *const machines[] = {"lose cuMemsetD8Async 1 CUDA_ERROR_ECC_UNCORRECTABLE",
                                           "lose launch 1 CUDA_ERROR_ECC_UNCORRECTABLE",
                                           "lose run 1 CUDA_ERROR_ECC_UNCORRECTABLE",
                                           "lose call 12 CUDA_ERROR_ECC_UNCORRECTABLE"};
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        char machine[128];
        CudaContext other, before;
        snprintf(machine, sizeof(machine), "device a; device b; %s", machines[i]);
        fixture_start(machine, "late");
        OK(cuCtxCreate_v2(&before, 0, 1));
        OK(cuCtxPopCurrent_v2(&before));
        CudaAddress memory = fixture_device_memory(256);
        CudaStream stream = fixture_stream(0);
        CudaResult result = fixture_fill(fixture_fill_kernel(), memory, 1, 1, stream);
        assert_true(result == CUDA_SUCCESS || i == 1);
        result = result ? result : cuMemsetD8Async(memory, 1, 256, stream);
        result = result ? result : cuStreamSynchronize(stream);
        result = result ? result : cuStreamSynchronize(stream);
        assert_int_equal(result, CUDA_ERROR_ECC_UNCORRECTABLE);
        assert_int_equal(cuMemAlloc_v2(&memory, 4), CUDA_ERROR_ECC_UNCORRECTABLE);
        assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_ECC_UNCORRECTABLE);
        assert_int_equal(cuCtxCreate_v2(&other, 0, 0), CUDA_ERROR_ECC_UNCORRECTABLE);
        assert_int_equal(cuDevicePrimaryCtxRetain(&other, 0), CUDA_ERROR_ECC_UNCORRECTABLE);
        OK(cuCtxCreate_v2(&other, 0, 1)); /* the other device works */
        OK(fixture_fill(fixture_fill_kernel(), fixture_device_memory(256), 1, 1, NULL));
        OK(cuCtxSynchronize());
        OK(cuCtxPushCurrent_v2(before));
        OK(cuMemAlloc_v2(&memory, 4));
    }
}

/* -- symbols -- */

TEST(given_a_driver_of_CUDA_11_0_then_it_lacks_what_is_newer)
{
    static const char *const newer[] = {"cuDeviceGetUuid_v2", "cuGraphInstantiateWithFlags"};
    void *library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    void *old = dlopen(EMULATED_CUDA_OLD, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_non_null(old);
    assert_ptr_not_equal(library, old);
    assert_non_null(dlsym(old, "cuDeviceGetUuid"));
    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        assert_non_null(dlsym(library, newer[i]));
        if (dlsym(old, newer[i]))
            fail_msg("a driver of CUDA 11.0 has no %s", newer[i]);
    }
    assert_null(dlsym(library, "machine_read")); /* nothing of its own but what tests use */
    assert_non_null(dlsym(library, "emulated_cuda_configure"));
    dlclose(old);
    dlclose(library);
    assert_int_equal(cuLinkCreate(), CUDA_ERROR_NOT_SUPPORTED);
}
