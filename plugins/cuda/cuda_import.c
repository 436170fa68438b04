/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * A libcuda.so.1, or nvcuda.dll, to link with where no driver is installed. It is never installed
 * itself: what was linked with it loads the machine's driver, or does not load.
 */
#include "cuda_api.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CUDA_DEFINE(name, parameters)                                                              \
    CUresult name parameters                                                                       \
    {                                                                                              \
        return CUDA_ERROR_STUB_LIBRARY;                                                            \
    }
CUDA_DRIVER_FUNCTIONS(CUDA_DEFINE)
CUDA_OPTIONAL_FUNCTIONS(CUDA_DEFINE)
