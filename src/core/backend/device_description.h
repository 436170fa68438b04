/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DEVICE_DESCRIPTION_H
#define CORE_BACKEND_DEVICE_DESCRIPTION_H

/* What a backend says of one of its devices. */

#include <stdint.h>

#include "libvmaf/backend.h"

typedef struct BackendDeviceDescription {
    char id[VMAF_BACKEND_ID_SIZE], vendor[VMAF_BACKEND_ID_SIZE], driver[VMAF_BACKEND_ID_SIZE];
    char name[VMAF_BACKEND_TEXT_SIZE];
    uint32_t kind, abilities, imports;
    uint64_t memory_bytes;
} BackendDeviceDescription;

enum { BACKEND_DEVICES_MAX = 64 }; /* of one backend that are kept */

#endif
