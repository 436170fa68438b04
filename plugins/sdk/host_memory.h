/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_HOST_MEMORY_H
#define VMAF_SDK_HOST_MEMORY_H

#include "device_state.h"

/* Host memory that the device copies from: memory_register and memory_unregister of backend.h. */

/* A registered range, wrapped as a buffer of the device. */
typedef struct VmafBackendMemory {
    struct VmafBackendMemory *next;
    uintptr_t begin, end; /* addresses of the registered range */
    uintptr_t wrapped;    /* address of the buffer, which begins at or before `begin` */
    VmafDeviceBuffer *buffer;
} VmafBackendMemory;

int32_t vmaf_host_memory_register(VmafDevice *device, void *address, uint64_t size,
                                  VmafBackendMemory **memory);
/* Unregisters a range that no running submission reads. */
void vmaf_host_memory_unregister(VmafDevice *device, VmafBackendMemory *memory);

/* Returns the buffer that holds these bytes of host memory, and their offset in it; NULL if they
 * are not all in one registered range. */
VmafDeviceBuffer *vmaf_host_memory_find(VmafDevice *device, const void *address, uint64_t size,
                                        uint64_t *offset);

#endif
