/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Kernels that are compiled for several architectures: each finds its code. */
#include <string.h>

#include "kernel_set.h"
#include "support/cases.h"

extern const VmafKernelSet code_kernels_vulkan; /* ARCHITECTURES generic other */

CASE(given_architectures_there_is_a_code_for_each)
{
    const VmafKernel *kernel = vmaf_kernel_set_find(&code_kernels_vulkan, "races");
    assert_non_null(kernel);
    assert_int_equal(kernel->n_codes, 2);
    assert_string_equal(kernel->codes[0].architecture, "");
    assert_string_equal(kernel->codes[1].architecture, "other");
    for (size_t i = 0; i < 2; i++) {
        uint32_t magic;
        memcpy(&magic, kernel->codes[i].code, sizeof(magic));
        assert_int_equal(magic, 0x07230203); /* SPIR-V */
        assert_int_equal(kernel->codes[i].size % 4, 0);
        assert_int_equal((uintptr_t)kernel->codes[i].code % 4, 0);
    }
}
