/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FAKE_DRIVER_H
#define TESTS_KERNELS_FAKE_DRIVER_H

/* The sources of plugins/cuda as a layer on a driver of test_streams.c, instead of plugins/hip's
 * names. */
#include "cuda_api.h"
#include "device.h"

#define DRIVER_LAYER       fake_layer
#define DRIVER_NAME        "fake"
#define DRIVER_PREFIX      "fake"
#define DRIVER_NO_DEVICE   "there is no fake"
#define DRIVER_SYNC_STREAM VMAF_BACKEND_SYNC_CUDA_STREAM

extern const VmafDeviceLayer fake_layer;

#endif
