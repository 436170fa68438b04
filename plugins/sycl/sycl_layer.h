/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SYCL_LAYER_H
#define VMAF_SYCL_LAYER_H

#include "device.h"

/*
 * The device layer on Level Zero. Devices are GPUs with SPIR-V 1.2; their ids are their UUIDs, or
 * where they are on the bus. A borrowed device comes with the application's context, which stays
 * the application's: events and memory of it can be used.
 */
extern const VmafDeviceLayer vmaf_sycl_layer;

/* What to pass as `external` of VmafDeviceOpenParams. */
typedef struct SyclExternal {
    uint64_t context, device; /* ze_context_handle_t, ze_device_handle_t */
} SyclExternal;

#endif
