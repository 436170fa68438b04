/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The emulated HIP runtime: code objects and what is wrong with damaged ones, how their kernels
 * run, devices, copies, errors, and what versions of ROCm differ in. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "code_object.h"
#include "hip_api.h"
#include "kernel_set.h"
#include "machine_fixture.h"

#define OK(call) assert_int_equal(call, hipSuccess)

/* Kernels for gfx1030 and gfx906. */
extern const VmafKernelSet emulation_kernels_hip;

enum { GROUPS = 4, WORDS = 8 * GROUPS };

void fixture_start(const char *machine, const char *order)
{
    assert_int_equal(emulated_hip_configure(machine, order), 0);
}

int fixture_tear_down(void **state)
{
    return emulated_hip_configure(NULL, "late");
}

static unsigned char *fixture_code(const char *name, const char *chip, size_t *size)
{
    for (size_t k = 0; k < emulation_kernels_hip.count; k++) {
        const VmafKernel *kernel = &emulation_kernels_hip.kernels[k];
        for (size_t c = 0; c < kernel->n_codes && strcmp(kernel->name, name) == 0; c++) {
            const VmafKernelCode *code = &kernel->codes[c];
            if (strcmp(code->architecture, chip) != 0)
                continue;
            unsigned char *copy = malloc(code->size);
            memcpy(copy, code->code, code->size);
            *size = code->size;
            return copy;
        }
    }
    fail_msg("there is no code of %s for %s", name, chip);
    return NULL;
}

static unsigned char *fixture_find(unsigned char *code, size_t size, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (memcmp(code + i, text, length) == 0)
            return code + i;
    }
    fail_msg("%s is not there", text);
    return NULL;
}

static unsigned char *fixture_descriptor(unsigned char *code, size_t size, unsigned group_size)
{
    const unsigned char words[8] = {(unsigned char)group_size, (unsigned char)(group_size >> 8)};
    const size_t notes_end =
        (size_t)(fixture_find(code, size, "amdhsa.version") - code) / 64 * 64 + 64;
    for (size_t at = notes_end; at + 64 <= size; at += 64) {
        if (memcmp(code + at, words, sizeof(words)) == 0)
            return code + at;
    }
    fail_msg("there is no descriptor");
    return NULL;
}

static CudaFunction fixture_kernel(const char *name)
{
    size_t size;
    unsigned char *code = fixture_code(name, "gfx1030", &size);
    CudaModule module;
    CudaFunction function;
    OK(hipModuleLoadData(&module, code));
    free(code); /* it was copied */
    OK(hipModuleGetFunction(&function, module, name));
    return function;
}

static HipResult fixture_copy(CudaFunction reads_outside, void *from, void *to, int32_t distance,
                              unsigned groups, CudaStream stream)
{
    void *parameters[] = {&from, &to, &distance};
    return hipModuleLaunchKernel(reads_outside, groups, 1, 1, 8, 1, 1, 0, stream, parameters, NULL);
}

static void *fixture_device_memory(size_t bytes)
{
    void *address = NULL;
    OK(hipMalloc(&address, bytes));
    return address;
}

/* -- code objects -- */

CASE(given_a_descriptor_that_names_other_code_then_it_is_refused)
{
    char error[CODE_OBJECT_ERROR_SIZE] = "";
    size_t size;
    unsigned char *code = fixture_code("histogram", "gfx1030", &size);
    fixture_descriptor(code, size, 1024)[16] ^= 0x40;
    assert_null(code_object_read(code, error));
    assert_non_null(strstr(error, "does not name its code"));
    free(code);
}

/* -- modules -- */

TEST(given_code_that_is_wrong_then_it_is_not_loaded)
{
    static const struct {
        const char *text;
        int offset;
        unsigned char value;
        HipResult result;
    } cases[] = {
        {"ELF", 0, 'e', hipErrorInvalidImage},
        {"ELF", 47, 0x37, hipErrorInvalidImage}, /* flags of gfx1031, notes of gfx1030 */
        {"gfx1030", 6, '1', hipErrorInvalidImage},
        {"ELF", 7, 3, hipErrorInvalidImage},                        /* version 5 */
        {".kernarg_segment_size", 21, 12, hipErrorInvalidImage},    /* arguments */
        {".max_flat_workgroup_size", 24, 32, hipErrorNotSupported}, /* not the C's lanes */
        {".max_flat_workgroup_size", 24, 127, hipErrorNotSupported},
        {"by_value", 0, 'B', hipSuccess},                                      /* nobody cares */
        {"global_buffer", 0, 'G', hipErrorNotSupported},                       /* no buffer */
        {"\xa9histogram", 1, 'H', hipErrorNotFound},                           /* another name */
        {"read_only", 0, 'R', hipSuccess},                                     /* it says less */
        {".group_segment_fixed_size\xcd\x04", 26, 0x84, hipErrorInvalidImage}, /* 33 KiB */
    };
    fixture_start("driver 50200000", "late");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t size;
        CudaModule module;
        CudaFunction function;
        unsigned char *code = fixture_code("histogram", "gfx1030", &size);
        fixture_find(code, size, cases[i].text)[cases[i].offset] = cases[i].value;
        HipResult result = hipModuleLoadData(&module, code);
        if (result == hipSuccess)
            result = hipModuleGetFunction(&function, module, "histogram");
        if (result != cases[i].result)
            fail_msg("%zu: %d", i, (int)result);
        free(code);
    }
}

/* The descriptor and the notes agree on more group memory than there is. */
TEST(given_too_much_group_memory_then_the_code_is_not_loaded)
{
    size_t size;
    CudaModule module;
    unsigned char *code = fixture_code("histogram", "gfx1030", &size);
    unsigned char *note = fixture_find(code, size, ".group_segment_fixed_size\xcd\x04");
    unsigned char *descriptor = fixture_descriptor(code, size, 1024);
    note[26] = descriptor[1] = 0x80;
    OK(hipModuleLoadData(&module, code)); /* 32 KiB */
    note[26] = descriptor[1] = 0x84;
    assert_int_equal(hipModuleLoadData(&module, code), hipErrorInvalidImage);
    free(code);
}

/* -- launches -- */

TEST(given_launches_that_do_not_fit_then_they_are_refused)
{
    int32_t distance = 0;
    void *from, *to, *parameters[] = {&from, &to, &distance};
    void *no_parameters[] = {&from, NULL, &distance};
    CudaFunction copy = fixture_kernel("reads_outside");
    from = to = fixture_device_memory(4 * WORDS);
    assert_int_equal(hipModuleLaunchKernel(copy, 1, 1, 1, 16, 1, 1, 0, NULL, parameters, NULL),
                     hipErrorInvalidConfiguration);
    assert_int_equal(hipModuleLaunchKernel(copy, 1, 1, 1, 8, 2, 1, 0, NULL, parameters, NULL),
                     hipErrorInvalidConfiguration);
    assert_int_equal(hipModuleLaunchKernel(copy, 1, 1, 1, 4, 2, 1, 0, NULL, parameters, NULL),
                     hipErrorInvalidConfiguration);
    assert_int_equal(hipModuleLaunchKernel(copy, 0, 1, 1, 8, 1, 1, 0, NULL, parameters, NULL),
                     hipErrorInvalidValue);
    assert_int_equal(hipModuleLaunchKernel(copy, 1, 1, 1, 8, 1, 1, 0, NULL, no_parameters, NULL),
                     hipErrorInvalidValue);
    assert_int_equal(hipModuleLaunchKernel(copy, 1, 1, 1, 8, 1, 1, 0, NULL, NULL, NULL),
                     hipErrorInvalidValue);
    assert_int_equal(hipModuleLaunchKernel(NULL, 1, 1, 1, 8, 1, 1, 0, NULL, parameters, NULL),
                     hipErrorInvalidHandle);
    OK(hipDeviceSynchronize());
}

/* What the device says after a launch with these buffers. */
static HipResult result_of_copy(size_t from_words, size_t to_words, size_t offset, int32_t distance)
{
    fixture_start(NULL, "late");
    CudaFunction copy = fixture_kernel("reads_outside");
    char *from = fixture_device_memory(4 * from_words), *to = fixture_device_memory(4 * to_words);
    OK(hipMemsetAsync(from, 0, 4 * from_words, NULL));
    OK(fixture_copy(copy, from + offset, to, distance, GROUPS, NULL));
    return hipDeviceSynchronize();
}

TEST(given_a_kernel_that_leaves_its_buffers_then_it_is_noticed)
{
    OK(result_of_copy(WORDS, WORDS, 0, 0));
    OK(result_of_copy(WORDS + 1, WORDS, 0, 1));
    OK(result_of_copy(WORDS + 1, WORDS, 4, 0));
    assert_int_equal(result_of_copy(WORDS, WORDS, 0, 1), hipErrorIllegalAddress);
    assert_int_equal(result_of_copy(WORDS, WORDS, 0, -1), hipErrorIllegalAddress);
    assert_int_equal(result_of_copy(WORDS, WORDS, 4, 0), hipErrorIllegalAddress);
    assert_int_equal(result_of_copy(WORDS, WORDS - 1, 0, 0), hipErrorIllegalAddress);
    assert_int_equal(result_of_copy(WORDS + 1, WORDS, 2, 0), hipErrorIllegalAddress); /* odd */
    assert_int_equal(hipDeviceSynchronize(), hipErrorIllegalAddress);                 /* it stays */
}

TEST(given_memory_or_code_that_is_gone_then_the_kernel_that_uses_it_fails)
{
    size_t size;
    CudaModule module;
    CudaFunction function;
    void *from = fixture_device_memory(4 * WORDS), *to = fixture_device_memory(4 * WORDS);
    OK(fixture_copy(fixture_kernel("reads_outside"), from, to, 0, GROUPS, NULL));
    OK(hipFree(from));
    assert_int_equal(hipDeviceSynchronize(), hipErrorIllegalAddress);
    fixture_start(NULL, "late");
    from = fixture_device_memory(4 * WORDS);
    unsigned char *code = fixture_code("reads_outside", "gfx1030", &size);
    OK(hipModuleLoadData(&module, code));
    free(code);
    assert_int_equal(hipModuleGetFunction(&function, module, "nothing"), hipErrorNotFound);
    OK(hipModuleGetFunction(&function, module, "reads_outside"));
    OK(fixture_copy(function, from, from, 0, GROUPS, NULL));
    OK(hipModuleUnload(module));
    assert_int_equal(hipDeviceSynchronize(), hipErrorLaunchFailure);
}

/* Which lanes of a group that races read what another lane had written before. */
static unsigned race(void)
{
    uint32_t words[8], seen[8];
    int32_t distance = 1;
    void *from = fixture_device_memory(sizeof(words)), *to = fixture_device_memory(sizeof(words));
    void *parameters[] = {&from, &to, &distance};
    unsigned lanes = 0;
    for (unsigned i = 0; i < 8; i++)
        words[i] = i;
    OK(hipMemcpy(from, words, sizeof(words), HIP_COPY_DEFAULT));
    OK(hipModuleLaunchKernel(fixture_kernel("races"), 1, 1, 1, 8, 1, 1, 0, NULL, parameters, NULL));
    OK(hipMemcpy(seen, to, sizeof(words), HIP_COPY_DEFAULT));
    for (unsigned i = 0; i < 8; i++)
        lanes |= (unsigned)(seen[i] == words[(i + 1) % 8]) << i;
    return lanes;
}

TEST(given_a_race_then_lanes_run_forwards_backwards_and_shuffled)
{
    unsigned kinds = 0;
    const unsigned first = race(), second = race();
    assert_int_equal(first | second << 8, first == 0x80 ? 0x7f80 : 0x807f);
    fixture_start(NULL, "5");
    for (int run = 0; run < 4; run++) {
        const unsigned lanes = race();
        kinds += lanes != 0x80 && lanes != 0x7f;
    }
    assert_true(kinds >= 3);
}

/* -- the current device -- */

static void *look_at_device(void *data)
{
    int device = -1;
    hipGetDevice(&device);
    *(int *)data = device;
    return NULL;
}

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

/* -- devices -- */

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
