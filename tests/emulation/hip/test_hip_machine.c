/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The machines that the emulated HIP runtime shows: devices, faults, the log, what the kernel says
 * of them, and what versions of ROCm differ in. */
#include "hip_fixture.h"
#include "support/cases.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- devices -- */

static int attribute(int which, int device)
{
    int value = -1;
    OK(hipDeviceGetAttribute(&value, which, device));
    return value;
}

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_no_file_then_there_is_one_discrete_card)
{
    int count = -1, version = 0, device = -1;
    size_t bytes;
    char text[64];
    OK(hipGetDeviceCount(&count)); /* hipInit is not needed */
    assert_int_equal(count, 1);
    OK(hipInit(0));
    assert_int_equal(hipInit(1), hipErrorInvalidValue);
    OK(hipDriverGetVersion(&version));
    assert_int_equal(version / 10000000, 6);
    OK(hipGetDevice(&device));
    assert_int_equal(device, 0);
    OK(hipDeviceGetName(text, sizeof(text), 0));
    assert_string_equal(text, "Emulated AMD GPU");
    OK(hipDeviceGetPCIBusId(text, sizeof(text), 0));
    assert_string_equal(text, "0000:01:00.0");
    OK(hipDeviceTotalMem(&bytes, 0));
    assert_true(bytes == (size_t)8 << 30);
    assert_int_equal(attribute(16, 0), 0);
    assert_int_equal(attribute(74, 0), 65536);
    assert_int_equal(attribute(87, 0), 32);
    assert_int_equal(hipDeviceGetAttribute(&count, 64, 0), hipErrorInvalidValue);
    assert_int_equal(hipDeviceGetAttribute(&count, 16, 1), hipErrorInvalidDevice);
    assert_int_equal(hipDeviceGetName(text, sizeof(text), 1), hipErrorInvalidDevice);
    assert_int_equal(hipSetDevice(1), hipErrorInvalidDevice);
}

TEST(given_a_file_then_its_devices_are_there)
{
    static const char *const refused[] = {
        "device; chip navi",
        "capability 8.9",
        "fail cuMemAlloc_v2 1 2",
    };
    size_t bytes;
    char text[64];
    fixture_start("device Radeon VII\n chip gfx906:sramecc-:xnack-\n pci 0001:a3:02.0\n"
                  "device Phoenix\n kind integrated\n chip gfx1103\n multiprocessors 12\n",
                  "late");
    OK(hipDeviceGetPCIBusId(text, sizeof(text), 0));
    assert_string_equal(text, "0001:a3:02.0");
    assert_int_equal(attribute(87, 0), 64);
    assert_int_equal(attribute(69, 0), 1);
    assert_int_equal(attribute(67, 0), 0xa3);
    assert_int_equal(attribute(16, 1), 1);
    assert_int_equal(attribute(63, 1), 12);
    fixture_start("device; memory 3G", "late");
    OK(hipDeviceTotalMem(&bytes, 0));
    assert_true(bytes == (size_t)3 << 30);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        if (emulated_hip_configure(refused[i], NULL) != -1)
            fail_msg("%s is not refused", refused[i]);
    }
}

TEST(given_a_runtime_that_does_not_start_then_it_says_why)
{
    int count = 5;
    void *address;
    fixture_start("no-device", "late");
    assert_int_equal(hipInit(0), hipErrorNoDevice);
    assert_int_equal(hipGetDeviceCount(&count), hipErrorNoDevice);
    assert_int_equal(count, 0);
    assert_int_equal(hipMalloc(&address, 8), hipErrorNoDevice);
    fixture_start("driver-mismatch", "late");
    assert_int_equal(hipInit(0), hipErrorInsufficientDriver);
    fixture_start("busy", "late");
    OK(hipInit(0));
    assert_int_equal(hipMalloc(&address, 8), hipErrorOutOfMemory);
}

TEST(given_errors_then_they_have_names_and_the_last_result_is_kept)
{
    assert_string_equal(hipGetErrorName(hipErrorNoBinaryForGpu), "hipErrorNoBinaryForGpu");
    assert_string_equal(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
    assert_string_equal(hipGetErrorName(123456), "hipErrorUnknown");
    assert_int_equal(hipSetDevice(7), hipErrorInvalidDevice);
    assert_int_equal(hipPeekAtLastError(), hipErrorInvalidDevice);
    assert_int_equal(hipGetLastError(), hipErrorInvalidDevice);
    assert_int_equal(hipGetLastError(), hipSuccess);
    assert_int_equal(hipSetDevice(7), hipErrorInvalidDevice);
    OK(hipSetDevice(0));
    assert_int_equal(hipGetLastError(), hipSuccess);
}

/* -- faults -- */

TEST(given_faults_then_calls_fail_by_names_of_HIP)
{
    void *address;
    fixture_start("fail hipMalloc 2 hipErrorOutOfMemory; fail hipDeviceSynchronize 1 719", "late");
    OK(hipMalloc(&address, 8));
    assert_int_equal(hipMalloc(&address, 8), hipErrorOutOfMemory);
    OK(hipMalloc(&address, 8));
    assert_int_equal(emulated_hip_count("hipMalloc"), 3);
    assert_int_equal(emulated_hip_count("cuMemAlloc_v2"), 0); /* what is below does not count */
    assert_int_equal(hipDeviceSynchronize(), hipErrorLaunchFailure);
    OK(hipDeviceSynchronize());
    assert_int_equal(emulated_hip_count("call"), 5);
}

TEST(given_a_device_that_is_lost_then_every_call_says_so)
{
    void *address;
    fixture_start("device a; device b; lose hipMemsetAsync 1 hipErrorECCNotCorrectable", "late");
    address = fixture_device_memory(64);
    assert_int_equal(hipMemsetAsync(address, 0, 64, NULL), hipErrorECCNotCorrectable);
    assert_int_equal(hipMalloc(&address, 8), hipErrorECCNotCorrectable);
    assert_int_equal(hipDeviceSynchronize(), hipErrorECCNotCorrectable);
    OK(hipSetDevice(1));
    OK(hipMalloc(&address, 8));
}

TEST(given_a_stream_that_hangs_then_waiting_ends_some_time)
{
    fixture_start("hang hipMemsetAsync 1; hang-limit 0.02", "late");
    CudaStream stream = fixture_stream(1), other = fixture_stream(1);
    CudaEvent event;
    OK(hipMemsetAsync(fixture_device_memory(64), 0, 64, stream));
    OK(hipEventCreateWithFlags(&event, 0));
    OK(hipEventRecord(event, stream));
    OK(hipMemsetAsync(fixture_device_memory(64), 0, 64, other));
    OK(hipStreamSynchronize(other)); /* nothing else does */
    for (int i = 0; i < 50; i++)
        assert_int_equal(hipEventQuery(event), hipErrorNotReady);
    assert_int_equal(hipStreamSynchronize(stream), hipErrorLaunchTimeOut);
}

/* -- the log, and what the kernel says -- */

TEST(given_variables_then_the_runtime_reads_them)
{
    char log[] = "/tmp/test_hip_log.XXXXXX";
    const char *const variables[] = {"VMAF_EMULATED_HIP_FAULTS",
                                     "device; device; fail hipFree 1 hipErrorUnknown",
                                     "VMAF_EMULATED_HIP_LOG", log, NULL};
    close(mkstemp(log));
    assert_string_equal(fixture_run_again(variables), "2 devices");
    assert_string_equal(fixture_take_file(log),
                        "hipGetDeviceCount -> 0\nhipMalloc bytes=64 -> 0\nhipFree -> 999\n");
}

static int again(void)
{
    int count = 0;
    void *memory;
    hipGetDeviceCount(&count);
    hipMalloc(&memory, 64);
    hipFree(memory);
    printf("%d devices", count);
    return 0;
}

TEST(given_a_machine_then_the_kernel_has_a_topology_of_it)
{
    char folder[] = "/tmp/test_hip_topology.XXXXXX", path[64];
    fixture_start("device; chip gfx90a; pci 0002:c3:01.0; device; no-topology;"
                  "device; chip gfx1100; ids 1002:744c",
                  "late");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(emulated_hip_topology(folder), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%d/properties", folder, i);
        const char *text = fixture_take_file(path);
        snprintf(path, sizeof(path), "%s/%d", folder, i);
        rmdir(path);
        if (i == 0)
            assert_non_null(strstr(text, "\ngfx_target_version 0\n"));
        if (i == 1) {
            assert_non_null(strstr(text, "\ngfx_target_version 90010\n"));
            assert_non_null(strstr(text, "\nlocation_id 49928\ndomain 2\n"));
        }
        if (i == 2) {
            assert_non_null(strstr(text, "\ngfx_target_version 110000\n"));
            assert_non_null(strstr(text, "\ndevice_id 29772\n"));
        }
    }
    assert_int_equal(rmdir(folder), 0); /* there is nothing else */
    assert_true(emulated_hip_topology("/nowhere/at/all") < 0);
    assert_int_equal(emulated_hip_count("call"), 0);
}

/* -- versions -- */

static void *find(void *library, const char *name)
{
    void *address = dlsym(library, name);
    if (!address)
        fail_msg("%s is missing", name);
    return address;
}
#define FIND(name) ((__typeof__(&(name)))find(library, #name))

TEST(given_versions_of_ROCm_then_they_differ_as_is_known)
{
    static const struct {
        const char *path;
        int major;
        HipResult no_device;
    } cases[] = {
        {EMULATED_HIP_5, 5, hipErrorInvalidDevice},
        {EMULATED_HIP, 6, hipErrorNoDevice},
        {EMULATED_HIP_7, 7, hipErrorNoDevice},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        void *library = dlopen(cases[i].path, RTLD_NOW | RTLD_LOCAL), *memory;
        int version = 0;
        assert_non_null(library);
        OK(FIND(hipDriverGetVersion)(&version));
        assert_int_equal(version / 10000000, cases[i].major);
        assert_int_equal(FIND(hipSetDevice)(7), hipErrorInvalidDevice);
        OK(FIND(hipMalloc)(&memory, 64));
        assert_int_equal(FIND(hipGetLastError)(),
                         cases[i].major == 7 ? hipErrorInvalidDevice : hipSuccess);
        OK(FIND(emulated_hip_configure)("no-device", NULL));
        assert_int_equal(FIND(hipInit)(0), cases[i].no_device);
        assert_int_equal(FIND(hipGetDeviceCount)(&version), hipErrorNoDevice);
        OK(FIND(hipDriverGetVersion)(&version));
        assert_string_equal(FIND(hipGetErrorString)(hipErrorOutOfMemory),
                            cases[i].major == 5 ? "hipErrorOutOfMemory" : "out of memory");
        OK(FIND(emulated_hip_configure)("", NULL));
        /* They stay: what is destroyed keeps memory, so that its use is found. */
    }
}

TEST(given_what_programs_look_up_then_it_is_there)
{
    static const char *const names[] = {
#define X(name, needs, parameters, call) #name,
        HIP_FUNCTIONS(X)
#undef X
            "hipGetLastError",
        "hipPeekAtLastError", "hipGetErrorName", "hipGetErrorString", "emulated_hip_configure"};
    void *library = dlopen(EMULATED_HIP, RTLD_NOW | RTLD_LOCAL);
    void *incomplete = dlopen(EMULATED_HIP_INCOMPLETE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_non_null(incomplete);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!dlsym(library, names[i]))
            fail_msg("%s is missing", names[i]);
        const bool is_missing = strcmp(names[i], "hipStreamWaitEvent") == 0;
        assert_int_equal(dlsym(incomplete, names[i]) == NULL, is_missing);
    }
    assert_non_null(dlvsym(library, "hipInit", "hip_4.2"));
    assert_null(dlsym(library, "cuInit")); /* what is below is nobody's business */
}

int main(int argc, char **argv)
{
    if (take_argument(&argc, &argv, "--again"))
        return again();
    return run_cases(argc, argv);
}
