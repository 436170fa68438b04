/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_HIP_H
#define LIBVMAF_HIP_H

/*
 * Scoring on AMD GPUs, for programs that choose the device themselves. All functions exist whether
 * or not the HIP plugin is installed; without it functions that return int return -ENOSYS, and
 * vmaf_hip_available returns 0.
 *
 * Usual order: vmaf_hip_state_init, vmaf_init, vmaf_hip_import_state, features and models,
 * pictures, vmaf_close, vmaf_hip_state_free.
 *
 * Thread-safety: a state is used by one thread at a time, and by one context at a time.
 */

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open device. */
typedef struct VmafHipState VmafHipState;

typedef struct VmafHipConfiguration {
    int device_index; /* -1: the first device */
    int flags;        /* 0 */
} VmafHipConfiguration;

/** @return 1 if the plugin is installed and finds a device, else 0. */
int vmaf_hip_available(void);
/** Open a device, to be released with vmaf_hip_state_free. @return 0; -ENOSYS; -ENODEV; -EINVAL for
 * an index out of range or flags; -ENOMEM; -EIO. */
int vmaf_hip_state_init(VmafHipState **out, VmafHipConfiguration cfg);
/** As vmaf_cuda_import_state. @return 0; -EBUSY; -EINVAL; -ENOSYS. */
int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state);
/** Release the state, after vmaf_close, and set it to NULL. NULL is allowed. */
void vmaf_hip_state_free(VmafHipState **state);
/** Log one line for each device. @return the number of devices; -EIO; -ENOSYS. */
int vmaf_hip_list_devices(void);

#ifdef __cplusplus
}
#endif

#endif
