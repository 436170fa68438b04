/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_FIND_KERNELS_H
#define VMAF_SDK_FIND_KERNELS_H

#include "device.h"

/*
 * Finds kernels by name, the same one several times maybe. Drivers compile for a tenth of a second
 * or more each, so several threads do it. 0, or the error of one of those that failed.
 */
int vmaf_find_kernels(VmafDevice *device, const char *const *names,
                      const VmafDeviceKernel **kernels, uint32_t count);

#endif
