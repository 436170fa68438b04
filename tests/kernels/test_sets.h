/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_TEST_SETS_H
#define TESTS_KERNELS_TEST_SETS_H

#include <stddef.h>
#include <string.h>

#include "fixture.h"
#include "kernel_set.h"

/* Kernels of the product and those of the tests, compiled for each device layer. */
extern const VmafKernelSet vmaf_kernels_emulator, test_kernels_emulator;
#ifdef VMAF_TEST_VULKAN
extern const VmafKernelSet vmaf_kernels_vulkan, test_kernels_vulkan;
#else
#define vmaf_kernels_vulkan vmaf_kernels_emulator /* never requested */
#define test_kernels_vulkan test_kernels_emulator
#endif

static inline const VmafKernelSet *product_kernel_set(const char *layer)
{
    const FixtureModule *module = fixture_load(layer);
    if (module)
        return module->product_kernels;
    return strcmp(layer, "emulator") == 0 ? &vmaf_kernels_emulator : &vmaf_kernels_vulkan;
}

static inline const VmafKernelSet *test_kernel_set(const char *layer)
{
    const FixtureModule *module = fixture_load(layer);
    if (module)
        return module->test_kernels;
    return strcmp(layer, "emulator") == 0 ? &test_kernels_emulator : &test_kernels_vulkan;
}

#endif
