/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_FIND_KERNELS_H
#define VMAF_SDK_FIND_KERNELS_H

#include "device.h"

/*
 * Finds `count` kernels by name; names may repeat. A device whose binary32 is exact (exact_float32)
 * gets the kernel <name>_native instead, where its set of kernels has one. Drivers take a tenth of
 * a second or more to compile a kernel, so several threads do it. Returns 0, or the error of a
 * kernel that failed.
 */
int vmaf_find_kernels(VmafDevice *device, const char *const *names,
                      const VmafDeviceKernel **kernels, uint32_t count);

#endif
