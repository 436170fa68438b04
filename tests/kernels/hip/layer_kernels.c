/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * What the layer wants of a plugin. The topology is that of the folder that the environment names;
 * the machine's own has nothing to do with an emulated one.
 */
#include <stdlib.h>

#include "hip_internal.h"

extern const VmafKernelSet test_kernels_hip;
const VmafKernelSet *const vmaf_hip_kernels = &test_kernels_hip;

__attribute__((constructor)) static void set_topology(void)
{
    const char *folder = getenv("VMAF_TEST_HIP_TOPOLOGY");
    hip_topology_folder = folder ? folder : "/nonexistent";
}
