/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Code objects in the emulated runtime, and how their kernels run. */
#include "hip_fixture.h"
#include "support/cases.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = 4, WORDS = 8 * GROUPS };

/* What loading the code of a kernel for a chip returns on this machine. */
static HipResult load(const char *machine, const char *kernel, const char *chip)
{
    size_t size;
    CudaModule module;
    unsigned char *code = fixture_code(kernel, chip, &size);
    fixture_start(machine, "late");
    const HipResult result = hipModuleLoadData(&module, code);
    free(code);
    return result;
}

#define TEST(test) CASE_WITH(test, fixture_set_up, fixture_tear_down)

TEST(given_chips_then_only_their_code_is_loaded)
{
    OK(load("device; chip gfx1030", "histogram", "gfx1030"));
    OK(load("device; chip gfx906", "histogram", "gfx906"));
    OK(load("device; chip gfx906:sramecc+:xnack-", "histogram", "gfx906"));
    assert_int_equal(load("device; chip gfx906", "histogram", "gfx1030"), hipErrorNoBinaryForGpu);
    assert_int_equal(load("device; chip gfx1031", "histogram", "gfx1030"), hipErrorNoBinaryForGpu);
    assert_int_equal(load("device; chip gfx2077", "histogram", "gfx906"), hipErrorNoBinaryForGpu);
}

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
