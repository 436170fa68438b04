/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_TRANSFER_H
#define VMAF_SDK_TRANSFER_H

#include "device_state.h"

/* Copies between buffers of a device and the host, outside of sessions. The staging memory is kept
 * for the next copy. */

/* From begin to end no other thread uses the staging memory. -ENOTSUP: the device has no state. */
int vmaf_transfer_begin(VmafDevice *device);
void vmaf_transfer_end(VmafDevice *device);

/* Returns mapped memory of at least `size` bytes, for upload or download. 0 or a negative errno. */
int vmaf_transfer_staging(VmafDevice *device, enum VmafDeviceMemory memory, uint64_t size,
                          VmafDeviceBuffer **staging);
/* Submits copies with their waits and signals, and waits until they have finished. */
int vmaf_transfer_run(VmafDevice *device, const VmafDeviceSubmit *submit);

void vmaf_transfer_close(VmafDeviceState *state);

#endif
