/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_H
#define TESTS_EMULATION_HIP_HIP_H

#include "code_object.h"
#include "driver.h"
#include "hip_api.h"
#include "kernel_set.h"

/*
 * HIP's functions are fronts of those of the emulated CUDA driver, which are in this library, too,
 * but not visible: the same streams, memory and contexts. What differs is here: HIP starts by
 * itself, every thread has a device from the beginning, and modules hold code objects.
 */

enum HipNeeds {
    HIP_NEEDS_NOTHING,
    HIP_NEEDS_INIT,
    HIP_NEEDS_DEVICE, /* that is current */
};

/* As machine_begin and machine_end; hip_end makes an error one of HIP's. */
HipResult hip_begin(const char *function, enum HipNeeds needs);
HipResult hip_end(const char *function, HipResult result);

#define HIP_CALL(needs, expression)                                                                \
    do {                                                                                           \
        HipResult called = hip_begin(__func__, needs);                                             \
        if (called == hipSuccess)                                                                  \
            called = (expression);                                                                 \
        return hip_end(__func__, called);                                                          \
    } while (0)

/* An exported function, as the tables of hip_api.h have it. */
#define HIP_DEFINE(name, needs, parameters, expression)                                            \
    HipResult name parameters                                                                      \
    {                                                                                              \
        HIP_CALL(HIP_NEEDS_##needs, expression);                                                   \
    }

/* Starts the runtime, if it is not running yet. */
HipResult hip_initialize(void);
/* Makes a device current on this thread. */
HipResult hip_choose_device(int ordinal);

/* What machines and devices have of their own, behind what the driver counts. */
enum { DEVICE_HAS_NO_TOPOLOGY = DEVICE_COMPUTE_MODE + 1 };

static inline CudaAddress hip_address(const void *pointer)
{
    return (uintptr_t)pointer;
}

/* A kernel of a code object, and the same one as C. */
typedef struct HipKernel {
    const CodeObjectKernel *object;
    const VmafKernel *source;
} HipKernel;

#endif
