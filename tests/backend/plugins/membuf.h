/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_PLUGINS_MEMBUF_H
#define TESTS_BACKEND_PLUGINS_MEMBUF_H

/*
 * A backend whose device memory is plain memory, for tests of everything that hands device pictures
 * around. An address of the device is a number in a range that is reserved and not accessible: who
 * follows it on the host dies of it. The content lies elsewhere.
 *
 * This is its extension, get_extension(MEMBUF_EXTENSION, 1): what an application would do through
 * the vendor's own API.
 */

#include "libvmaf/backend.h"

#define MEMBUF_EXTENSION "membuf"

typedef struct MembufExtension {
    uint32_t struct_size;
    /* Reserves device memory; 0 if there is none left. Any thread, no device needed. */
    uint64_t (*allocate)(uint64_t size);
    void (*release)(uint64_t address);
    /* Host to device and back; INVALID unless all of it lies in one allocation. */
    int32_t (*write)(uint64_t address, const void *data, uint64_t size);
    int32_t (*read)(uint64_t address, void *data, uint64_t size);
    /* Allocations that exist, those of buffers included. */
    uint32_t (*n_allocations)(void);
    /* Buffers that exist. */
    uint32_t (*n_buffers)(void);
    /* Downloads that were made so far. */
    uint32_t (*n_downloads)(void);
    uint32_t (*n_planes_downloaded)(void);
    /* From the frame with this sequence number on the device is lost; UINT64_MAX: never. */
    void (*lose_device_at)(uint64_t sequence);
    /* Events, for VMAF_BACKEND_SYNC_CUDA_EVENT: not set, set; whether it is. */
    uint64_t (*event_create)(void);
    void (*event_set)(uint64_t event);
    int32_t (*event_is_set)(uint64_t event);
    void (*event_destroy)(uint64_t event);
    /* What the device of an application was opened with. */
    const VmafBackendDeviceParams *(*borrowed)(void);
    /* Calls of buffer_mark so far; NULL: it has none. */
    uint32_t (*marks)(void);
    /* Downloads do not return as long as this is not 0. */
    void (*hang_in_download)(int32_t hang); /* 0: waits until no call does */
    /* Host memory: ranges that the device knows now; that it was told of so far; pictures that it
     * had to read elsewhere; ranges that it still knew when it was closed. */
    uint32_t (*n_ranges)(void);
    uint32_t (*n_registrations)(void);
    uint32_t (*n_pictures_elsewhere)(void);
    uint32_t (*n_ranges_left)(void);
    /* From now on memory_register fails. */
    void (*refuse_memory)(int32_t refuse);
    /* memory_unregister does not return as long as this is not 0. */
    void (*hang_in_unregister)(int32_t hang);
} MembufExtension;

#endif
