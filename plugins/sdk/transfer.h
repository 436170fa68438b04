/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_TRANSFER_H
#define VMAF_SDK_TRANSFER_H

#include "device_state.h"

/* Copies between buffers of a device and the host, outside of sessions. The staging memory is kept
 * for the next one. */

/* Between the two, the calling thread has the staging memory to itself. -ENOTSUP: the device has no
 * state. */
int vmaf_transfer_begin(VmafDevice *device);
void vmaf_transfer_end(VmafDevice *device);

/* Mapped memory of at least `size` bytes, upload or download; 0 or a negative errno. */
int vmaf_transfer_staging(VmafDevice *device, enum VmafDeviceMemory memory, uint64_t size,
                          VmafDeviceBuffer **staging);
/* Submits copies, with what they wait for and signal, and waits for their end. */
int vmaf_transfer_run(VmafDevice *device, const VmafDeviceSubmit *submit);

void vmaf_transfer_close(VmafDeviceState *state);

#endif
