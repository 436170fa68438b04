/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The machines that the driver emulates: devices, faults, the file that describes them, the log. */
#include "driver_fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int attribute(int which, int device)
{
    int value = -1;
    OK(cuDeviceGetAttribute(&value, which, device));
    return value;
}

/* -- devices -- */

static void given_no_file_then_there_is_one_discrete_card(void **state)
{
    int count, version, major, minor;
    char text[64];
    (void)state;
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

static void given_a_file_then_its_devices_are_there(void **state)
{
    CudaUuid uuid;
    CudaContext context;
    CudaDeviceHandle device;
    size_t bytes;
    char text[64];
    int count;
    (void)state;
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
    OK(cuDeviceGetByPCIBusId(&device, "0001:a0:02.0"));
    assert_int_equal(device, 0);
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

static void given_a_device_that_is_taken_then_no_context_is_made(void **state)
{
    CudaContext context;
    (void)state;
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

static void given_a_driver_that_does_not_start_then_init_says_why(void **state)
{
    int count;
    (void)state;
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

/* What is written to the standard error while a machine is refused. */
static void refused(const char *machine, char output[512])
{
    FILE *file = tmpfile();
    const int saved = dup(2);
    assert_non_null(file);
    dup2(fileno(file), 2);
    const int result = emulated_cuda_configure(machine, NULL);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    output[fread(output, 1, 511, file)] = '\0';
    fclose(file);
    assert_int_equal(result, -1);
}

static void given_what_the_file_does_not_know_then_it_is_refused(void **state)
{
    static const char *const cases[][2] = {
        {"colour red", "line 1: the word colour"},
        {"device\n\nspeed fast", "line 3: fast is no number"},
        {"speed -1", "is no number above 0"},
        {"memory 3X", "3X is no number"},
        {"memory -3", "is no number"},
        {"memory", "memory takes 1 values, not 0"},
        {"busy 1", "busy takes 0 values"},
        {"kind virtual", "the kind virtual"},
        {"capability 8", "not 8"},
        {"pci 01:00", "not 01:00"},
        {"uuid 0011", "32 hexadecimal"},
        {"uuid 000102030405060708090a0b0c0d0e0f00", "32 hexadecimal"},
        {"compute-mode shared", "compute mode shared"},
        {"fail malloc 1 2", "malloc is no function"},
        {"fail cuInit 0 2", "0 is no number of a call"},
        {"fail cuInit 1 CUDA_ERROR_TYPO", "no error CUDA_ERROR_TYPO"},
        {"fail cuInit 1", "fail takes 3 values, not 2"},
        {"hang launch 1 2", "hang takes 2 values"},
        {"out-of-memory near 5", "not near"},
        {"no-device really", "no-device takes 0 values"},
        {"a b c d e f g", "too many words"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char error[512];
        refused(cases[i][0], error);
        if (!strstr(error, cases[i][1]))
            fail_msg("%s: \"%s\"", cases[i][0], error);
    }
    assert_int_equal(emulated_cuda_configure("colour red", NULL), -1);
    assert_int_equal(emulated_cuda_configure(NULL, "sideways"), -1);
    OK(cuCtxSynchronize()); /* and nothing has changed */
}

/* Starts this program again with these variables; what it prints. */
static void run_again(const char *machine, const char *faults, const char *order, const char *log,
                      char output[256])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        setenv("VMAF_EMULATED_CUDA", machine, 1);
        setenv("VMAF_EMULATED_CUDA_FAULTS", faults, 1);
        setenv("VMAF_EMULATED_CUDA_ORDER", order, 1);
        setenv("VMAF_EMULATED_CUDA_LOG", log, 1);
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        execl("/proc/self/exe", "test_cuda_machine", "--again", (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], output + length, 255 - length)) > 0)
        length += (size_t)got;
    output[length] = '\0';
    close(ends[0]);
    waitpid(child, NULL, 0);
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
        printf(", fill %d", (int)cuMemsetD8_v2(memory, 0, 64));
        printf(", sync %d", (int)cuCtxSynchronize());
    }
    return 0;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void given_variables_then_the_driver_reads_them(void **state)
{
    char machine[] = "/tmp/test_cuda_machine.XXXXXX", log[] = "/tmp/test_cuda_log.XXXXXX";
    char output[256], text[1024] = "";
    (void)state;
    close(mkstemp(machine));
    close(mkstemp(log));
    run_again("", "", "", "", output);
    assert_string_equal(output, "init 0, 1 devices, context 0, alloc 0, fill 0, sync 0");
    write_file(machine, "device a\ndevice b\nfail cuMemsetD8_v2 1 CUDA_ERROR_LAUNCH_FAILED\n");
    run_again(machine, "", "late", log, output);
    assert_string_equal(output, "init 0, 2 devices, context 0, alloc 0, fill 719, sync 0");
    run_again(machine, "out-of-memory at 1;device c", "", "", output);
    assert_non_null(strstr(output, "init 0, 1 devices, context 0, alloc 2,"));
    FILE *file = fopen(log, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(text, "cuMemAlloc_v2 bytes=64 -> 0\ncuMemsetD8_v2 -> 719\n"));
    write_file(machine, "device\ncolour red\n");
    run_again(machine, "", "", "", output);
    assert_non_null(strstr(output, "line 2: the word colour is not known\ninit 999, 0 devices"));
    run_again("", "colour red", "", "", output);
    assert_non_null(strstr(output, "init 999"));
    run_again("", "", "sideways", "", output);
    assert_non_null(strstr(output, "there is no order sideways\ninit 999"));
    remove(machine);
    run_again(machine, "", "", "", output);
    assert_non_null(strstr(output, "cannot be read\ninit 999"));
    remove(log);
}

/* -- faults -- */

static void given_a_call_that_fails_then_only_that_one_does(void **state)
{
    CudaAddress memory;
    (void)state;
    fixture_start("fail cuMemAlloc_v2 2 CUDA_ERROR_UNKNOWN; fail cuCtxSynchronize 1 700", "late");
    OK(cuMemAlloc_v2(&memory, 8));
    assert_int_equal(cuMemAlloc_v2(&memory, 8), CUDA_ERROR_UNKNOWN);
    OK(cuMemAlloc_v2(&memory, 8));
    assert_int_equal(emulated_cuda_count("cuMemAlloc_v2"), 3);
    assert_int_equal(emulated_cuda_count("memory"), 2);
    assert_int_equal(cuCtxSynchronize(), 700);
    OK(cuCtxSynchronize());
}

static void given_little_memory_then_it_ends(void **state)
{
    CudaAddress first, second;
    void *pinned;
    (void)state;
    fixture_start("out-of-memory at 2", "late");
    OK(cuMemAlloc_v2(&first, 8));
    assert_int_equal(cuMemHostAlloc(&pinned, 8, 0), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemHostAlloc(&pinned, 8, 0));
    fixture_start("out-of-memory beyond 1M", "late");
    OK(cuMemAlloc_v2(&first, 1 << 19));
    assert_int_equal(cuMemAlloc_v2(&second, (1 << 19) + 1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&second, 1 << 19));
    assert_int_equal(cuMemAlloc_v2(&second, 1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemFree_v2(first));
    OK(cuMemAlloc_v2(&second, 1));
    fixture_start("device; memory 2M", "late");
    assert_int_equal(cuMemAlloc_v2(&first, (2 << 20) + 1), CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(cuMemAlloc_v2(&first, SIZE_MAX - 100), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&first, 2 << 20));
}

static void given_a_launch_that_hangs_then_polling_never_ends(void **state)
{
    (void)state;
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

static void given_a_call_or_a_graph_that_hangs_then_what_it_put_there_does(void **state)
{
    CudaGraph graph;
    CudaGraphExec exec;
    CudaGraphNode node;
    (void)state;
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

static void given_a_device_that_is_lost_then_every_call_says_so(void **state)
{
    static const char *const machines[] = {"lose cuMemsetD8Async 1 CUDA_ERROR_ECC_UNCORRECTABLE",
                                           "lose launch 1 CUDA_ERROR_ECC_UNCORRECTABLE",
                                           "lose run 1 CUDA_ERROR_ECC_UNCORRECTABLE",
                                           "lose call 12 CUDA_ERROR_ECC_UNCORRECTABLE"};
    (void)state;
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

static void remember(CudaStream stream, CudaResult status, void *data)
{
    (void)stream;
    *(CudaResult *)data = status;
}

static void given_an_illegal_address_on_request_then_it_comes_when_the_work_runs(void **state)
{
    CudaResult seen = -1;
    (void)state;
    fixture_start("illegal-address launch 2", "late");
    CudaFunction fill = fixture_fill_kernel();
    CudaAddress memory = fixture_device_memory(256);
    OK(fixture_fill(fill, memory, 1, 1, NULL));
    OK(cuCtxSynchronize());
    OK(fixture_fill(fill, memory, 1, 1, NULL));
    OK(cuStreamAddCallback(NULL, remember, &seen, 0));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(seen, CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

/* -- symbols -- */

static const char *const wanted_by_ffmpeg[] = {
#define X(name, parameters) #name,
    CUDA_UNSUPPORTED_FUNCTIONS(X)
#undef X
        "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetName",
    "cuDeviceComputeCapability",
    "cuCtxCreate_v2",
    "cuCtxGetCurrent",
    "cuCtxSetLimit",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuCtxDestroy_v2",
    "cuMemAlloc_v2",
    "cuMemAllocPitch_v2",
    "cuMemAllocManaged",
    "cuMemsetD8Async",
    "cuMemFree_v2",
    "cuMemcpy",
    "cuMemcpyAsync",
    "cuMemcpy2D_v2",
    "cuMemcpy2DAsync_v2",
    "cuMemcpyHtoD_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoH_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyDtoD_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuCtxGetDevice",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease",
    "cuDevicePrimaryCtxSetFlags",
    "cuDevicePrimaryCtxGetState",
    "cuDevicePrimaryCtxReset",
    "cuStreamCreate",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    "cuStreamAddCallback",
    "cuStreamWaitEvent",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventSynchronize",
    "cuEventQuery",
    "cuEventRecord",
    "cuLaunchKernel",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuModuleGetGlobal",
};

static void given_what_programs_look_up_then_it_is_there(void **state)
{
    static const char *const newer[] = {"cuDeviceGetUuid_v2",      "cuGraphAddEventRecordNode",
                                        "cuGraphAddEventWaitNode", "cuGraphInstantiateWithFlags",
                                        "cuGraphAddKernelNode_v2", "cuGraphUpload"};
    void *library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
    void *old = dlopen(EMULATED_CUDA_OLD, RTLD_NOW | RTLD_LOCAL);
    (void)state;
    assert_non_null(library);
    assert_non_null(old);
    assert_ptr_not_equal(library, old);
    for (size_t i = 0; i < sizeof(wanted_by_ffmpeg) / sizeof(wanted_by_ffmpeg[0]); i++) {
        if (!dlsym(library, wanted_by_ffmpeg[i]) || !dlsym(old, wanted_by_ffmpeg[i]))
            fail_msg("%s is missing", wanted_by_ffmpeg[i]);
    }
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

static void given_errors_then_they_have_names(void **state)
{
    const char *text;
    (void)state;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
    OK(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
    assert_string_equal(text, "an illegal memory access was encountered");
    assert_int_equal(cuGetErrorName(12345, &text), CUDA_ERROR_INVALID_VALUE);
    assert_null(text);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, fixture_set_up, fixture_tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(given_no_file_then_there_is_one_discrete_card),
        TEST(given_a_file_then_its_devices_are_there),
        TEST(given_a_device_that_is_taken_then_no_context_is_made),
        TEST(given_a_driver_that_does_not_start_then_init_says_why),
        TEST(given_what_the_file_does_not_know_then_it_is_refused),
        TEST(given_variables_then_the_driver_reads_them),
        TEST(given_a_call_that_fails_then_only_that_one_does),
        TEST(given_little_memory_then_it_ends),
        TEST(given_a_launch_that_hangs_then_polling_never_ends),
        TEST(given_a_call_or_a_graph_that_hangs_then_what_it_put_there_does),
        TEST(given_a_device_that_is_lost_then_every_call_says_so),
        TEST(given_an_illegal_address_on_request_then_it_comes_when_the_work_runs),
        TEST(given_what_programs_look_up_then_it_is_there),
        TEST(given_errors_then_they_have_names),
    };
    if (argc > 1 && strcmp(argv[1], "--again") == 0)
        return again();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
