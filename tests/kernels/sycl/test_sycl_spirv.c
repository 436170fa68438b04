/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The SPIR-V of all kernels is of version 1.2 and needs no binary64, which several devices lack. */
#include <stdlib.h>
#include <string.h>

#include "kernel_set.h"
#include "support/cases.h"

extern const VmafKernelSet vmaf_kernels_opencl, test_kernels_opencl;

enum {
    MAGIC = 0x07230203,
    VERSION_MAX = 0x00010200,
    HEADER = 5,
    OP_CAPABILITY = 17,
    OP_TYPE_FLOAT = 22,
    CAPABILITY_FLOAT64 = 10
};

static bool needs_binary64(const uint32_t *words, size_t n)
{
    for (size_t at = HEADER; at < n;) {
        const uint32_t op = words[at] & 0xffff, length = words[at] >> 16;
        assert_true(length > 0 && at + length <= n);
        if ((op == OP_CAPABILITY && words[at + 1] == CAPABILITY_FLOAT64) ||
            (op == OP_TYPE_FLOAT && words[at + 2] == 64))
            return true;
        at += length;
    }
    return false;
}

static void check(const VmafKernelSet *set)
{
    assert_true(set->count > 0);
    for (size_t i = 0; i < set->count; i++) {
        assert_int_equal(set->kernels[i].n_codes, 1);
        const VmafKernelCode *code = &set->kernels[i].codes[0];
        uint32_t *words = malloc(code->size);
        assert_non_null(words);
        memcpy(words, code->code, code->size);
        assert_true(code->size > 4 * HEADER && code->size % 4 == 0);
        assert_int_equal(words[0], MAGIC);
        assert_true(words[1] <= VERSION_MAX);
        if (needs_binary64(words, code->size / 4))
            fail_msg("%s needs binary64", set->kernels[i].name);
        free(words);
    }
}

CASE(given_kernels_none_needs_binary64)
{
    check(&vmaf_kernels_opencl);
    check(&test_kernels_opencl);
}

CASE(given_code_that_needs_binary64_it_is_found)
{
    const uint32_t capability[] = {
        MAGIC, VERSION_MAX, 0, 9, 0, 2 << 16 | OP_CAPABILITY, CAPABILITY_FLOAT64};
    const uint32_t type[] = {MAGIC, VERSION_MAX, 0, 9, 0, 3 << 16 | OP_TYPE_FLOAT, 1, 64};
    const uint32_t binary32[] = {MAGIC, VERSION_MAX, 0, 9, 0, 3 << 16 | OP_TYPE_FLOAT, 1, 32};
    assert_true(needs_binary64(capability, sizeof(capability) / 4));
    assert_true(needs_binary64(type, sizeof(type) / 4));
    assert_false(needs_binary64(binary32, sizeof(binary32) / 4));
}
