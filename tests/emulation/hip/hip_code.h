/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_CODE_H
#define TESTS_EMULATION_HIP_HIP_CODE_H

#include "code_object.h"
#include "driver_module.h"
#include "kernel_set.h"

/* A kernel of a code object, and the same one as C. */
typedef struct HipKernel {
    const CodeObjectKernel *object;
    const VmafKernel *source;
} HipKernel;

#endif
