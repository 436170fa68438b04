/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_FIND_KERNELS_H
#define VMAF_SDK_FIND_KERNELS_H

#include "device.h"

/*
 * Finds kernels by name, the same one several times maybe. A device whose binary32 is exact
 * (exact_float32) gets the kernel <name>_native instead, where its set of kernels has one. Drivers
 * compile for a tenth of a second or more each, so several threads do it. 0, or the error of one of
 * those that failed.
 */
int vmaf_find_kernels(VmafDevice *device, const char *const *names,
                      const VmafDeviceKernel **kernels, uint32_t count);

#endif
