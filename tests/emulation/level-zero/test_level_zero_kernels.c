/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Modules and kernels: what is rejected, what is executed, and what is noticed beyond memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "support/cases.h"

static ze_result_t build(const void *code, size_t size, const char *flags,
                         ze_module_handle_t *module, ze_module_build_log_handle_t *log)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = code,
                                   .pBuildFlags = flags};
    return zeModuleCreate(fixture_context, fixture_device, &desc, module, log);
}

static ze_result_t run(ze_kernel_handle_t kernel, uint32_t groups)
{
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_result_t result = fixture_launch(list, kernel, groups);
    OK(zeCommandListDestroy(list));
    return result;
}

/* -- modules -- */

#define TEST(name) CASE_WITH(name, fixture_set_up, fixture_tear_down)

TEST(what_is_no_spirv_is_refused)
{
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    char text[256];
    size_t size = 0;
    static const char code[] = "this is no code of any kind";
    assert_int_equal(build(code, sizeof(code), NULL, &module, &log),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(zeModuleBuildLogGetString(log, &size, NULL));
    assert_true(size > 1 && size < sizeof(text));
    OK(zeModuleBuildLogGetString(log, &size, text));
    assert_non_null(strstr(text, "no SPIR-V"));
    OK(zeModuleBuildLogDestroy(log));
}

TEST(what_is_cut_off_is_refused)
{
    ze_module_handle_t module;
    size_t size;
    uint8_t *code = fixture_read_file(KERNELS "/kernels.spv", &size);
    assert_int_equal(build(code, size - 4, NULL, &module, NULL),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_int_equal(build(code, size, "-unknown", &module, NULL),
                     ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(build(code, size, "-ze-opt-level=2 -cl-fp32-correctly-rounded-divide-sqrt", &module, NULL));
    code[5] = 3; /* version 1.3 */
    code[6] = 1;
    assert_int_equal(build(code, size, NULL, &module, NULL), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    free(code);
}

TEST(double_precision_is_up_to_the_device)
{
    ze_module_handle_t module;
    ze_module_build_log_handle_t log;
    char text[256];
    size_t size, length = sizeof(text);
    uint8_t *code = fixture_read_file(KERNELS "/kernels_fp64.spv", &size);
    OK(build(code, size, NULL, &module, NULL));
    fixture_start("no-fp64", "late");
    assert_int_equal(build(code, size, NULL, &module, &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(zeModuleBuildLogGetString(log, &length, text));
    assert_non_null(strstr(text, "double precision"));
    fixture_start("spirv 0.9", "late");
    length = sizeof(text);
    assert_int_equal(build(code, size, NULL, &module, &log), ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    OK(zeModuleBuildLogGetString(log, &length, text));
    assert_non_null(strstr(text, "takes SPIR-V 0.9, not 1.0"));
    free(code);
}

TEST(kernels_have_to_be_in_the_module)
{
    const ze_kernel_desc_t missing = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "no"};
    ze_kernel_handle_t kernel;
    assert_int_equal(zeKernelCreate(fixture_module(), &missing, &kernel),
                     ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
}

/* -- arguments -- */

TEST(arguments_have_to_fit)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    const uint32_t word = 1;
    uint64_t address = 0;
    assert_int_equal(zeKernelSetArgumentValue(fill, 2, 4, &word),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
    assert_int_equal(zeKernelSetArgumentValue(fill, 1, 4, &word),
                     ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
    OK(zeKernelSetArgumentValue(fill, 0, 8, &address));
    assert_int_not_equal(zeKernelSetGroupSize(fill, 32, 1, 1), 0);
    assert_int_not_equal(run(fill, 1), 0); /* its second argument is not set */
    assert_int_equal(fixture_complaints(), 3);
}

/* -- bounds -- */

/* The kernel is run with one group, and something goes wrong. */
static void expect_failure(ze_kernel_handle_t kernel)
{
    ze_command_list_handle_t list = fixture_immediate_of(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_int_equal(fixture_launch(list, kernel, 1), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
    assert_int_equal(fixture_launch(list, kernel, 1), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

/* Behind it, also on the same page; before it; far away. */
TEST(a_write_beside_memory_is_noticed)
{
    static const struct {
        size_t bytes;
        int32_t offset;
    } cases[] = {{256, 1}, {252, 0}, {256, -1}, {256, 100000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fixture_start(NULL, "late");
        ze_kernel_handle_t fill = fixture_kernel("fill");
        fixture_set_fill(fill, fixture_device_memory(cases[i].bytes), 5, cases[i].offset);
        expect_failure(fill);
    }
}

TEST(a_read_behind_memory_is_noticed)
{
    ze_kernel_handle_t copy = fixture_kernel("copy");
    uint32_t *from = fixture_device_memory(256), *to = fixture_device_memory(256);
    const uint32_t args[2] = {0, 1};
    OK(zeKernelSetGroupSize(copy, 64, 1, 1));
    OK(zeKernelSetArgumentValue(copy, 0, sizeof(from), &from));
    OK(zeKernelSetArgumentValue(copy, 1, sizeof(to), &to));
    OK(zeKernelSetArgumentValue(copy, 2, sizeof(args), &args));
    expect_failure(copy);
}

TEST(an_argument_that_is_no_memory_is_noticed)
{
    static uint32_t own[64];
    ze_kernel_handle_t fill = fixture_kernel("fill");
    fixture_set_fill(fill, own, 5, 0);
    expect_failure(fill);
    assert_int_equal(own[0], 0);
}

TEST(memory_that_was_given_back_is_noticed)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    ze_command_list_handle_t list = fixture_immediate();
    ze_event_handle_t event = fixture_event();
    uint32_t *memory = fixture_device_memory(256);
    const ze_group_count_t groups = {1, 1, 1};
    fixture_set_fill(fill, memory, 5, 0);
    OK(zeCommandListAppendLaunchKernel(list, fill, &groups, event, 0, NULL));
    OK(zeMemFree(fixture_context, memory));
    assert_int_equal(zeEventHostSynchronize(event, UINT64_MAX), ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(fixture_complaints(), 1);
}

TEST(a_kernel_lives_until_it_has_run)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    ze_command_list_handle_t list = fixture_immediate();
    fixture_set_fill(fill, fixture_device_memory(256), 5, 0);
    OK(fixture_launch(list, fill, 1));
    OK(zeKernelDestroy(fill));
    assert_int_equal(fixture_complaints(), 1);
    assert_int_not_equal(fixture_launch(list, fill, 1), 0);
    assert_int_equal(fixture_complaints(), 2);
}

TEST(lists_for_copies_take_no_kernels)
{
    ze_kernel_handle_t fill = fixture_kernel("fill");
    fixture_set_fill(fill, fixture_device_memory(256), 5, 0);
    assert_int_equal(
        fixture_launch(fixture_immediate_of(1, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS), fill, 1),
        ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
}

int main(int argc, char **argv)
{
    return fixture_can_run() ? run_cases(argc, argv) : 77;
}
