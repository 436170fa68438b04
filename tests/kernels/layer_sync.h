/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_LAYER_SYNC_H
#define TESTS_KERNELS_LAYER_SYNC_H

#include "trip.h"

/*
 * Tests of pictures of an application that uses the same device, for layers whose drivers have
 * addresses, streams and events: the addresses, what a submission waits for before it reads them,
 * and what waits for it. The emulated driver runs of all that is queued only what it must, so that
 * whatever is not waited for comes too late.
 */
typedef struct LayerSync {
    const char *layer, *driver;         /* names; the second one is in messages */
    uint32_t pointers, streams, events; /* kinds: VMAF_BACKEND_IMPORT_..., VMAF_BACKEND_SYNC_... */
    uint32_t other_pointers;            /* a kind that the layer rejects */
    bool knows_sizes; /* the layer asks the driver how large the memory at an address is */
    /* Makes the machine and what the application has there besides streams, events and memory. */
    const VmafDeviceOpenParams *(*begin)(void);
    void (*end)(void);             /* fails the test if something is left */
    void (*assert_no_error)(void); /* that the driver remembers */
    /* The driver as its application calls it; results are 0 or its error. Streams that are NULL are
     * the legacy stream, and those that are created follow it. */
    int32_t (*allocate)(uint64_t *address, size_t bytes);
    int32_t (*free)(uint64_t address);
    int32_t (*fill)(uint64_t address, unsigned char value, size_t bytes, void *stream);
    int32_t (*fetch)(void *to, uint64_t from, size_t bytes);
    int32_t (*create_stream)(void **stream);
    int32_t (*destroy_stream)(void *stream);
    int32_t (*create_event)(void **event, unsigned flags);
    int32_t (*destroy_event)(void *event);
    int32_t (*record)(void *event, void *stream);
    int32_t (*synchronize_event)(void *event);
} LayerSync;

/* Runs all tests; the status for main. */
int layer_sync_run(const LayerSync *layer);

#endif
