/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_HIP_LAYER_H
#define VMAF_HIP_LAYER_H

#include "device.h"

/*
 * The device layer on ROCm's HIP runtime, of ROCm 5 to 7. Kernels are code objects for chips, or
 * for families of them.
 */
extern const VmafDeviceLayer vmaf_hip_layer;

/* Defined by the plugin: the kernels that it has. Devices whose chips they are not made for are
 * reported as unusable. */
extern const VmafKernelSet *const vmaf_hip_kernels;

/* `external` of the open parameters: a context of the application, which is borrowed and has to
 * outlive the device. A hipCtx_t as an integer. */
typedef struct HipExternal {
    uint64_t context;
} HipExternal;

#endif
