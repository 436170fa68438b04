/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The machines that the driver emulates: devices, faults, the file that describes them, the log. */
#include "driver_fixture.h"
#include "support/cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int attribute(int which, int device)
{
    int value = -1;
    OK(cuDeviceGetAttribute(&value, which, device));
    return value;
}

/* -- devices -- */

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_no_file_then_there_is_one_discrete_card)
{
    int count, version, major, minor;
    char text[64];
    OK(cuDeviceGetCount(&count));
    assert_int_equal(count, 1);
    OK(cuDriverGetVersion(&version));
    assert_int_equal(version, 12040);
    OK(cuDeviceGetName(text, sizeof(text), 0));
    assert_string_equal(text, "Emulated NVIDIA GPU");
    OK(cuDeviceComputeCapability(&major, &minor, 0));
    assert_int_equal(10 * major + minor, 89);
    OK(cuDeviceGetPCIBusId(text, sizeof(text), 0));
    assert_string_equal(text, "0000:01:00.0");
    assert_int_equal(attribute(18, 0), 0);
    assert_int_equal(attribute(41, 0), 1);
    assert_int_equal(cuDeviceGet(&count, 1), CUDA_ERROR_INVALID_DEVICE);
    assert_int_equal(cuDeviceGetAttribute(&count, 9999, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST(given_a_file_then_its_devices_are_there)
{
    CudaUuid uuid;
    CudaContext context;
    CudaDeviceHandle device;
    size_t bytes;
    char text[64];
    int count;
    fixture_start("driver 11080 # old\n"
                  "device A card\n memory 3G\n pci 0001:a0:02.0\n copy-engines 1\n"
                  "device Jetson\n kind integrated\n capability 7.2\n multiprocessors 6\n"
                  " uuid 00010203-0405-0607-0809-0a0b0c0d0e0f\n",
                  "late");
    OK(cuDeviceGetCount(&count));
    assert_int_equal(count, 2);
    OK(cuDeviceGetName(text, sizeof(text), 0));
    assert_string_equal(text, "A card");
    OK(cuDeviceTotalMem_v2(&bytes, 0));
    assert_true(bytes == (size_t)3 << 30);
    OK(cuDeviceGetPCIBusId(text, sizeof(text), 0));
    assert_string_equal(text, "0001:A0:02.0");
    assert_int_equal(attribute(40, 0), 1);
    assert_int_equal(attribute(50, 0), 1);
    assert_int_equal(attribute(18, 1), 1);
    assert_int_equal(attribute(75, 1) * 10 + attribute(76, 1), 72);
    assert_int_equal(attribute(16, 1), 6);
    OK(cuDeviceGetUuid(&uuid, 1));
    for (int i = 0; i < 16; i++)
        assert_int_equal(uuid.bytes[i], i);
    OK(cuCtxCreate_v2(&context, 0, 1));
    OK(cuCtxGetDevice(&device));
    assert_int_equal(device, 1);
    OK(fixture_fill(fixture_fill_kernel(), fixture_device_memory(256), 1, 1, NULL));
    OK(cuCtxSynchronize());
}

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

TEST(given_a_driver_that_does_not_start_then_init_says_why)
{
    int count;
    assert_int_equal(emulated_cuda_configure("no-device", NULL), 0);
    assert_int_equal(cuInit(0), CUDA_ERROR_NO_DEVICE);
    assert_int_equal(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    assert_int_equal(emulated_cuda_configure("driver-mismatch", NULL), 0);
    assert_int_equal(cuInit(0), CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
    OK(cuDriverGetVersion(&count));
    assert_int_equal(emulated_cuda_configure("", NULL), 0);
    assert_int_equal(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
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

static int again(void)
{
    int count = 0;
    CudaContext context;
    CudaAddress memory;
    const CudaResult result = cuInit(0);
    cuDeviceGetCount(&count);
    printf("init %d, %d devices", (int)result, count);
    if (result == CUDA_SUCCESS) {
        printf(", context %d", (int)cuCtxCreate_v2(&context, 0, 0));
        printf(", alloc %d", (int)cuMemAlloc_v2(&memory, 64));
        printf(", alloc %d", (int)cuMemAlloc_v2(&memory, 64));
    }
    return 0;
}

TEST(given_variables_then_the_driver_reads_them)
{
    char log[] = "/tmp/test_cuda_log.XXXXXX";
    const char *const variables[] = {"VMAF_EMULATED_CUDA_FAULTS",
                                     "device a; device b; out-of-memory at 2",
                                     "VMAF_EMULATED_CUDA_LOG", log, NULL};
    close(mkstemp(log));
    assert_string_equal(fixture_run_again(variables),
                        "init 0, 2 devices, context 0, alloc 0, alloc 2");
    assert_non_null(strstr(fixture_take_file(log),
                           "cuMemAlloc_v2 bytes=64 -> 0\ncuMemAlloc_v2 bytes=64 -> 2\n"));
    const char *const wrong[] = {"VMAF_EMULATED_CUDA_FAULTS", "colour red", NULL};
    assert_non_null(strstr(fixture_run_again(wrong), "the word colour is not known\ninit 999"));
}

/* -- faults -- */

TEST(given_a_launch_that_hangs_then_polling_never_ends)
{
    fixture_start("hang launch 2; hang-limit 0.05", "late");
    CudaFunction fill = fixture_fill_kernel();
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaStream other = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    CudaAddress memory = fixture_device_memory(256);
    CudaEvent first = fixture_event(0), second = fixture_event(0);
    struct timespec begin, end;
    OK(fixture_fill(fill, memory, 1, 1, stream));
    OK(cuEventRecord(first, stream));
    OK(fixture_fill(fill, memory, 2, 1, stream));
    OK(cuEventRecord(second, stream));
    OK(cuEventSynchronize(first));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(cuEventQuery(second), CUDA_ERROR_NOT_READY);
    OK(fixture_fill(fill, memory, 3, 1, other)); /* others go on */
    OK(cuStreamSynchronize(other));
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(cuEventSynchronize(second), CUDA_ERROR_LAUNCH_TIMEOUT);
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true((double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9 >=
                0.04);
    assert_int_equal(cuMemFree_v2(memory), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST(given_a_call_or_a_graph_that_hangs_then_what_it_put_there_does)
{
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node;
    fixture_start("hang cuMemsetD8Async 2; hang submission 2", "late");
    CudaAddress memory = fixture_device_memory(256);
    CudaStream stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    OK(cuMemsetD8Async(memory, 1, 256, NULL));
    OK(cuCtxSynchronize());
    OK(cuMemsetD8Async(memory, 1, 256, stream));
    for (int i = 0; i < 100; i++)
        assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    stream = fixture_stream(CUDA_STREAM_NON_BLOCKING);
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuGraphLaunch(exec, stream));
    for (int i = 0; i < 100; i++)
        assert_int_equal(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
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

TEST(given_an_illegal_address_on_request_then_it_comes_when_the_work_runs)
{
    fixture_start("illegal-address launch 2", "late");
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(256);
    OK(fixture_fill(fill, memory, 1, 1, NULL));
    OK(cuCtxSynchronize());
    OK(fixture_fill(fill, memory, 1, 1, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* -- symbols -- */

/* Beside those that are not supported. */
static const char wanted_by_ffmpeg[] =
    "cuInit cuDriverGetVersion cuDeviceGetCount cuDeviceGet cuDeviceGetAttribute "
    "cuDeviceGetName cuDeviceComputeCapability cuCtxCreate_v2 cuCtxGetCurrent "
    "cuCtxPushCurrent_v2 cuCtxPopCurrent_v2 cuCtxDestroy_v2 cuMemAlloc_v2 cuMemAllocPitch_v2 "
    "cuMemsetD8Async cuMemFree_v2 cuMemcpy cuMemcpyAsync cuMemcpy2D_v2 cuMemcpy2DAsync_v2 "
    "cuMemcpyHtoD_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoH_v2 cuMemcpyDtoHAsync_v2 "
    "cuMemcpyDtoD_v2 cuMemcpyDtoDAsync_v2 cuGetErrorName cuGetErrorString cuCtxGetDevice "
    "cuDevicePrimaryCtxRetain cuDevicePrimaryCtxRelease cuStreamCreate cuStreamQuery "
    "cuStreamSynchronize cuStreamDestroy_v2 cuStreamWaitEvent cuEventCreate cuEventDestroy_v2 "
    "cuEventSynchronize cuEventQuery cuEventRecord cuLaunchKernel cuModuleLoadData "
    "cuModuleUnload cuModuleGetFunction";

static void expect_functions(void *library, void *old, const char *names)
{
    char copy[2048], *rest = copy, *name;
    snprintf(copy, sizeof(copy), "%s", names);
    while ((name = strtok_r(rest, " ", &rest)) != NULL) {
        if (!dlsym(library, name) || !dlsym(old, name))
            fail_msg("%s is missing", name);
    }
}

TEST(given_what_programs_look_up_then_it_is_there)
{
    static const char *const newer[] = {"cuDeviceGetUuid_v2", "cuGraphInstantiateWithFlags"};
    void *library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    void *old = dlopen(EMULATED_CUDA_OLD, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_non_null(old);
    assert_ptr_not_equal(library, old);
    expect_functions(library, old, wanted_by_ffmpeg);
#define X(name) expect_functions(library, old, #name);
    CUDA_UNSUPPORTED_FUNCTIONS(X)
#undef X
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

TEST(given_errors_then_they_have_names)
{
    const char *text;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "an illegal memory access was encountered");
    assert_int_equal(cuGetErrorName(12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return again();
    return run_cases(argc, argv);
}
