/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_MODULE_H
#define TESTS_EMULATION_CUDA_DRIVER_MODULE_H

#include "driver_copy.h"
#include "guarded_memory.h"

/*
 * The code that modules hold. Each runtime that is made of these files has a kind of its own, and
 * defines the functions here: PTX in driver_ptx.c.
 */
typedef struct Code Code;

enum { CODE_ERROR_SIZE = 320 };

typedef struct CodeParam {
    uint32_t offset, size; /* bytes */
} CodeParam;

typedef struct CodeKernel {
    const char *name;
    CodeParam *params; /* free it */
    uint32_t n_params, params_size;
    uint32_t max_lanes;   /* of a group; 0: any number */
    uint32_t shared_size; /* bytes of group memory */
    const void *entry;    /* of the code */
} CodeKernel;

/* The code of an image for a device. A text says why it is rejected, "" if there is nothing to say;
 * free with driver_free_code. */
CudaResult driver_load_code(const Device *device, const void *image, Code **code,
                            char error[CODE_ERROR_SIZE]);
void driver_free_code(Code *code);

CudaResult driver_find_kernel(const Code *code, const char *name, CodeKernel *kernel);
struct CUfunc_st {
    unsigned magic;
    CudaFunction next; /* of the module */
    CudaModule module;
    CodeKernel kernel;
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

/* -- launches -- */

/* A kernel with everything it runs with. */
typedef struct Launch {
    CudaFunction function;
    uint32_t groups[3], lanes[3];
    unsigned char *params; /* its own */
} Launch;

/* Checks and copies what a launch was asked for with. Free with driver_free_launch. */
CudaResult driver_resolve_launch(CudaContext context, const CudaKernelNode *description,
                                 Launch *launch);
/* One that can be freed on its own. */
Launch driver_copy_launch(const Launch *launch);
CudaResult driver_run_launch(CudaContext context, const Launch *launch, Work *work);
void driver_free_launch(Launch *launch);

/* -- also of each kind of code -- */

/* Whether kernels of the context can access it. */
static inline bool driver_can_access(CudaContext context, const Memory *memory)
{
    return memory->kind != MEMORY_DEVICE || memory->owner == context;
}
/* Runs a launch whose function is there, and says on the standard error what is wrong. */
CudaResult driver_run_kernel(CudaContext context, const Launch *launch, Work *work);

#endif
