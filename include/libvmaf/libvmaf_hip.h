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

typedef struct VmafHipState VmafHipState;

typedef struct VmafHipConfiguration {
    int device_index; /* -1: the first */
    int flags;        /* 0 */
} VmafHipConfiguration;

/** Is the plugin installed, and does it see a device? @return 1 or 0. */
int vmaf_hip_available(void);
/** Open a device. @return 0; -ENOSYS; -ENODEV; -EINVAL for an index out of range or flags; -ENOMEM;
 * -EIO. */
int vmaf_hip_state_init(VmafHipState **out, VmafHipConfiguration cfg);
/** See vmaf_cuda_import_state. @return 0; -EBUSY; -EINVAL; -ENOSYS. */
int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state);
/** Release the state and set it to NULL; after vmaf_close. NULL is fine. */
void vmaf_hip_state_free(VmafHipState **state);
/** Log one line per device. @return their number; -EIO; -ENOSYS. */
int vmaf_hip_list_devices(void);

#ifdef __cplusplus
}
#endif

#endif
