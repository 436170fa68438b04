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
    VmafDeviceQueue *queue;
    atomic_uint n_messages; /* of the API's checks */
} Fixture;

/* A device layer whose driver may be missing: a module that is loaded when a test names it. It
 * exports one of these as fixture_module. */
typedef struct FixtureModule {
    const VmafDeviceLayer *layer;
    const VmafKernelSet *product_kernels, *test_kernels;
    uint32_t default_queue; /* as in VmafSdkVendor */
} FixtureModule;

/* The module of that layer, or NULL if the layer is none; exits with 77 (skipped) if the driver is
 * missing. */
const FixtureModule *fixture_load(const char *layer);
/* The layer to test: the first argument, which is taken off. Without one the program ends. */
void fixture_take_layer(int *argc, char ***argv);
extern const char *layer_name;
bool is_emulator(void); /* that layer */

/* The memory of one slot: its content for the kernel, and where to copy the kernel's output. */
typedef struct FixtureBuffer {
    size_t size;    /* bytes, a multiple of 4 */
    const void *in; /* NULL: undefined content */
    void *out;      /* NULL: not copied */
} FixtureBuffer;

/*
 * Opens the layer's first device, with its API's checks. Fails the test if there is no such layer;
 * exits with 77 (skipped) if it has no device.
 */
void fixture_open(Fixture *fixture, const char *layer, const VmafDeviceOpenParams *params);
/* The layer to test, with kernels; the emulator with options, or NULL. */
void fixture_open_kernels(Fixture *fixture, const VmafKernelSet *kernels,
                          const EmulatorOptions *options);
/* The same, with those of the product, and groups in one of the emulator's orders after the other.
 */
void fixture_open_order(Fixture *fixture, unsigned turn);
/* The same, and faults. */
void fixture_open_faulty(Fixture *fixture, const VmafDeviceFaults *faults);
/* Fails the test if the checks have found something. */
void fixture_close(Fixture *fixture);

/* The same with the product's kernels, where opening a device compiles them each time: only the
 * emulator is opened anew, with these options, and closed again. Others stay open until
 * fixture_end_kept, which is the teardown of the group. */
void fixture_open_kept(Fixture *fixture, const EmulatorOptions *options);
void fixture_close_kept(Fixture *fixture);
int fixture_end_kept(void **state);

/* A device for all cases of a group, with the product's kernels: its setup and teardown. */
extern Fixture group_fixture;
int fixture_begin_group(void **state);
int fixture_end_group(void **state);

/* Runs one kernel on fresh buffers and waits. Returns the first error. */
int fixture_run(Fixture *fixture, const char *kernel, const FixtureBuffer buffers[],
                const void *args, const uint32_t groups[3]);

/* Submits to lane 0 of the fixture's queue, without copies; waits for that. */
int fixture_submit(Fixture *fixture, VmafDeviceCommandList *list, VmafDeviceTicket *ticket);
int fixture_wait(Fixture *fixture, VmafDeviceTicket ticket, uint64_t timeout_ns);

/* Creates a buffer of this kind, or fails the test. */
VmafDeviceBuffer *fixture_buffer(Fixture *fixture, enum VmafDeviceMemory memory, uint64_t size);

#endif
