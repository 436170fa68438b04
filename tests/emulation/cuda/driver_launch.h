/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_DRIVER_LAUNCH_H
#define TESTS_EMULATION_CUDA_DRIVER_LAUNCH_H

#include "driver_copy.h"

/* A kernel with everything it runs with. */
typedef struct Launch {
    CudaFunction function;
    uint32_t groups[3], lanes[3];
    uint32_t shared_bytes; /* beyond what the kernel declares */
    unsigned char *params; /* its own */
} Launch;

/* Checks and copies what a launch was asked for with. Free with driver_free_launch. */
CudaResult driver_resolve_launch(CudaContext context, const CudaKernelNode *description,
                                 Launch *launch);
/* One that can be freed on its own. */
Launch driver_copy_launch(const Launch *launch);
CudaResult driver_run_launch(CudaContext context, const Launch *launch, Work *work);
void driver_free_launch(Launch *launch);

#endif
