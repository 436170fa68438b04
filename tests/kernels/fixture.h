/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_FIXTURE_H
#define TESTS_KERNELS_FIXTURE_H

#include "device.h"
#include "emulator.h"

/*
 * A device to run kernels on, for tests. A test program takes the name of the device layer as its
 * argument, and the same assertions then hold for each.
 */
typedef struct Fixture {
    const VmafDeviceLayer *layer;
    VmafDevice *device;
    atomic_uint n_messages; /* of the checks that the API offers */
} Fixture;

/* The memory of one slot: what the kernel finds there, and where to put what it leaves. */
typedef struct FixtureBuffer {
    size_t size;    /* bytes, a multiple of 4 */
    const void *in; /* NULL: whatever the device has there */
    void *out;      /* NULL: nobody cares */
} FixtureBuffer;

/*
 * Opens the layer's first device, with the checks that its API offers. Fails the test if there is
 * no such layer; exits with 77 (skipped) if it has no device.
 */
void fixture_open(Fixture *fixture, const char *layer, const VmafDeviceOpenParams *params);
/* Fails the test if the checks have found something. */
void fixture_close(Fixture *fixture);

/* Runs one kernel on fresh buffers and waits. Returns the first error. */
int fixture_run(Fixture *fixture, const char *kernel, const FixtureBuffer buffers[],
                const void *args, const uint32_t groups[3]);

/* A buffer of the kind, or a failed test. */
VmafDeviceBuffer *fixture_buffer(Fixture *fixture, enum VmafDeviceMemory memory, uint64_t size);

#endif
