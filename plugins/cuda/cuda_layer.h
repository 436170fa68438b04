/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_CUDA_LAYER_H
#define VMAF_CUDA_LAYER_H

#include "device.h"

/*
 * The device layer on CUDA's driver interface. Kernels are PTX. Needs a driver of CUDA 10.0 and
 * devices of compute capability 7.0; older devices are not reported.
 */
extern const VmafDeviceLayer vmaf_cuda_layer;

/* `external` of the open parameters: a context of the application, which is borrowed and has to
 * outlive the device. A CUcontext as an integer. */
typedef struct CudaExternal {
    uint64_t context;
} CudaExternal;

#endif
