/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_MODULE_H
#define TESTS_EMULATION_CUDA_DRIVER_MODULE_H

#include "driver.h"
#include "ptx_module.h"

struct CUfunc_st {
    unsigned magic;
    CudaFunction next; /* of the module */
    CudaModule module;
    const PtxEntry *entry;
    unsigned max_shared_bytes; /* that a launch may ask for */
};

struct CUmod_st {
    unsigned magic;
    CudaModule next; /* of all */
    CudaContext context;
    unsigned id;
    PtxModule *ptx;
    CudaFunction functions;
};

/* Whether a handle is a function of a module that is loaded. */
bool driver_is_function(CudaFunction function);
void driver_drop_modules(CudaContext context);

#endif
