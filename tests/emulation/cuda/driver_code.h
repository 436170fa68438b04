/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_CODE_H
#define TESTS_EMULATION_CUDA_DRIVER_CODE_H

#include "driver.h"
#include "driver_launch.h"

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
    uint32_t shared_size; /* bytes of group memory, and of a lane's own */
    uint32_t local_size;
    uint32_t n_registers;
    const void *entry; /* of the code */
} CodeKernel;

/* The code of an image for a device. A text says why it is refused, "" if there is nothing to say;
 * free with driver_free_code. */
CudaResult driver_load_code(const Device *device, const void *image, Code **code,
                            char error[CODE_ERROR_SIZE]);
void driver_free_code(Code *code);
int driver_code_version(const Code *code);

CudaResult driver_find_kernel(const Code *code, const char *name, CodeKernel *kernel);
/* Runs a launch whose function is there, and says on the standard error what is wrong. */
CudaResult driver_run_kernel(CudaContext context, const Launch *launch, Work *work);

#endif
