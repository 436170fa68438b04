/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DEVICE_DESCRIPTION_H
#define CORE_BACKEND_DEVICE_DESCRIPTION_H

/* What a backend says of one of its devices. */

#include <stdbool.h>
#include <stdint.h>

#include "libvmaf/backend.h"

typedef struct BackendDeviceDescription {
    char id[VMAF_BACKEND_ID_SIZE], vendor[VMAF_BACKEND_ID_SIZE], driver[VMAF_BACKEND_ID_SIZE];
    char name[VMAF_BACKEND_TEXT_SIZE];
    uint32_t kind, abilities, imports;
    uint64_t memory_bytes;
    /* Zero where the backend does not know, or has an interface before 1.1. */
    uint32_t identities, buffers, syncs;
    uint32_t compute_units, copy_engines, subgroup_size, group_memory;
    uint8_t uuid[16], luid[8];
    char pci[VMAF_BACKEND_ID_SIZE];
    bool is_part; /* its address is that of several devices of this backend */
    char unusable[VMAF_BACKEND_TEXT_SIZE]; /* why; "": it can be opened */
} BackendDeviceDescription;

enum {
    BACKEND_DEVICES_MAX = 64,  /* of one backend that are kept */
    BACKEND_UNUSABLE_MAX = 16, /* of those that cannot be opened */
};

/*
 * Marks devices of one backend that are parts of one physical device: their PCI address and driver
 * are equal, their UUIDs are not. One that two drivers list is no such part.
 */
void device_description_mark_parts(BackendDeviceDescription devices[], unsigned count);

/*
 * True if two backends describe the same hardware: equal UUIDs or LUIDs, else equal PCI addresses
 * unless one is a part. Identities that are all zero count as unknown.
 */
bool device_description_same(const BackendDeviceDescription *a, const BackendDeviceDescription *b);

#endif
