/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_METAL_H
#define LIBVMAF_METAL_H

/*
 * Scoring on Apple GPUs (family 7, M1, or newer), for programs that choose the device themselves or
 * have their pictures on it. All functions exist whether or not the Metal plugin is installed;
 * without it functions that return int return -ENOSYS, and vmaf_metal_available returns 0.
 *
 * Usual order: vmaf_metal_state_init, vmaf_init, vmaf_metal_import_state, features and models,
 * pictures, vmaf_close, vmaf_metal_state_free.
 *
 * Thread-safety: a state is used by one thread at a time, and by one context at a time.
 */

#include <stdint.h>

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open device. */
typedef struct VmafMetalState VmafMetalState;

typedef struct VmafMetalConfiguration {
    int device_index; /* -1: the system's default device */
    int flags;        /* 0 */
} VmafMetalConfiguration;

/** @return 1 if the plugin is installed and finds a device, else 0. */
int vmaf_metal_available(void);
/** Open a device, to be released with vmaf_metal_state_free. @return 0; -ENOSYS; -ENODEV; -EINVAL;
 * -ENOMEM; -EIO. */
int vmaf_metal_state_init(VmafMetalState **out, VmafMetalConfiguration cfg);

/** id<MTLDevice> and id<MTLCommandQueue> as integers; 0: the default device, a new queue. */
typedef struct VmafMetalExternalHandles {
    uintptr_t device, command_queue;
} VmafMetalExternalHandles;

/** Use the application's device, which is borrowed. @return as vmaf_metal_state_init. */
int vmaf_metal_state_init_external(VmafMetalState **out, VmafMetalExternalHandles handles);
/** As vmaf_cuda_import_state. @return 0; -EBUSY; -EINVAL; -ENOSYS. */
int vmaf_metal_import_state(VmafContext *vmaf, VmafMetalState *state);
/** Release the state, after vmaf_close, and set it to NULL. NULL is allowed. */
void vmaf_metal_state_free(VmafMetalState **state);
/** Log one line for each device. @return the number of devices; -EIO; -ENOSYS. */
int vmaf_metal_list_devices(void);

/**
 * Import one plane (0 to 2) of an IOSurface for the pair `index`. w and h are those of luma in
 * samples; the pixel format is assumed to be 4:2:0. The application keeps the surface, which must
 * not change until vmaf_metal_wait_compute.
 *
 * @return 0; -EINVAL for NULL, a size or depth other than the first one's, a plane that was
 *         imported before, or more than 8 pairs waiting to be read; -ENOTSUP; -EIO; -ENOSYS.
 */
int vmaf_metal_picture_import(VmafMetalState *state, uintptr_t iosurface, unsigned plane,
                              unsigned w, unsigned h, unsigned bpc, int is_ref, unsigned index);
/** Wait until imported surfaces are no longer read. @return 0; -EIO; -EINVAL; -ENOSYS. */
int vmaf_metal_wait_compute(VmafMetalState *state);
/** vmaf_read_pictures with the imported pair `index`. @return as vmaf_read_pictures; -EINVAL unless
 * all three planes of both pictures are imported, and after the flush. */
int vmaf_metal_read_imported_pictures(VmafContext *vmaf, unsigned index);

#ifdef __cplusplus
}
#endif

#endif
