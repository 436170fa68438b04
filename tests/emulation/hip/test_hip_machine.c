/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Errors and faults of the emulated HIP runtime, and what versions of ROCm differ in. */
#include "hip_fixture.h"
#include "support/cases.h"

#include <dlfcn.h>
#include <string.h>

/* -- devices -- */

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

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
