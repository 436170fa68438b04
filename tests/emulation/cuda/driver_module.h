/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_MODULE_H
#define TESTS_EMULATION_CUDA_DRIVER_MODULE_H

#include "driver_code.h"

struct CUfunc_st {
    unsigned magic;
    CudaFunction next; /* of the module */
    CudaModule module;
    CodeKernel kernel;
    unsigned max_shared_bytes; /* that a launch may ask for */
};

struct CUmod_st {
    unsigned magic;
    CudaModule next; /* of all */
    CudaContext context;
    unsigned id;
    Code *code;
    CudaFunction functions;
};

/* Whether a handle is a function of a module that is loaded. */
bool driver_is_function(CudaFunction function);
void driver_drop_modules(CudaContext context);

#endif
