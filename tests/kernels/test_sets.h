/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_TEST_SETS_H
#define TESTS_KERNELS_TEST_SETS_H

#include <stddef.h>
#include <string.h>

#include "kernel_set.h"

/* Kernels of the product and those of the tests, compiled for each device layer. */
extern const VmafKernelSet vmaf_kernels_host, test_kernels_host;

static inline const VmafKernelSet *product_kernel_set(const char *layer)
{
    return strcmp(layer, "host") == 0 ? &vmaf_kernels_host : NULL;
}

static inline const VmafKernelSet *test_kernel_set(const char *layer)
{
    return strcmp(layer, "host") == 0 ? &test_kernels_host : NULL;
}

#endif
