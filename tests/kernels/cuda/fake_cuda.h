/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_CUDA_FAKE_CUDA_H
#define TESTS_KERNELS_CUDA_FAKE_CUDA_H

#include "cuda_driver.h"

/*
 * A libcuda.so.1 that records what is asked of it. It copies memory, but only when an event is
 * found to have come true or a stream is waited for, and it runs no kernels: it notes their
 * launches. Every function that needs a current context refuses without one. For one thread.
 */
enum { FAKE_LOG = 64, FAKE_PARAMETERS = 9, FAKE_PARAMETER_BYTES = 128 };

typedef struct FakeLaunch {
    char name[64];
    unsigned grid[3], block[3];
    unsigned n_parameters; /* as the kernel's code says */
    size_t sizes[FAKE_PARAMETERS];
    unsigned char parameters[FAKE_PARAMETERS][FAKE_PARAMETER_BYTES];
} FakeLaunch;

typedef struct FakeCuda {
    /* What the machine has; set by tests. */
    CudaResult init_result;
    int driver_version, n_devices, capability, compute_mode, host_register, max_pitch;
    /* The function of this name returns that. */
    const char *failing;
    CudaResult failure;
    /* For the caller's own contexts. */
    CudaResult (*push)(CudaContext context);
    CudaResult (*pop)(CudaContext *context);
    unsigned not_ready; /* so many times events are asked for in vain; UINT_MAX: always */

    /* What was done. */
    unsigned n_calls;    /* of all functions */
    unsigned n_queries;  /* of events */
    unsigned depth;      /* of the stack of contexts */
    CudaContext current; /* on top */
    int live;            /* objects that were created or retained, and not yet freed */
    int retained;        /* primary contexts */
    char log[FAKE_LOG];  /* of what was put on the stream: copy, Rows, Launch, event */
    FakeLaunch launch;   /* the last one */
} FakeCuda;

/* Exported as this name. */
#define FAKE_CUDA_SYMBOL "fake_cuda"

#endif
