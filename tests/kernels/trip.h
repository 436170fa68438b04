/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_TRIP_H
#define TESTS_KERNELS_TRIP_H

#include "fixture.h"

/*
 * What a session does, in small: a submission copies words to the device, and its command list
 * takes them through two kernels and back. Functions return the layer's errors.
 */
enum { TRIP_WORDS = 1024, TRIP_BYTES = 4 * TRIP_WORDS };

typedef struct Trip {
    const VmafDeviceLayer *layer;
    VmafDevice *device;
    VmafDeviceQueue *queue;
    VmafDeviceBuffer *upload, *memory[3], *download;
    VmafDeviceCommandList *list;
} Trip;

/* Before the others: the name of the layer that they use. */
void trip_use_layer(const char *name);

/* Opens a device, with the kernels of the tests if params names none. After an error parts are
 * missing; trip_end destroys what there is. */
int trip_begin(Trip *trip, const VmafDeviceOpenParams *params);
/* The same; fails the test after an error. */
void trip_start(Trip *trip, const VmafDeviceOpenParams *params);
void trip_end(Trip *trip);
/* The same on a device and a queue that there are. */
int trip_prepare(Trip *trip);
void trip_forget(Trip *trip);

/* Submits words that depend on the seed, to a lane. */
int trip_submit(const Trip *trip, uint32_t seed, uint32_t lane, VmafDeviceTicket *ticket);
/* Submits, waits and fails the test if something else arrives. */
int trip_run(const Trip *trip, uint32_t seed);
/* Fails the test unless those words have arrived. */
void trip_assert_arrived(const Trip *trip, uint32_t seed);

#endif
