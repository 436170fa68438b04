/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_METAL_DEVICE_H
#define TESTS_EMULATION_METAL_DEVICE_H

#include "machine.h"
#include "machine_device.h"
#include "object.h"

typedef struct Device {
    Object head;
    DeviceState *state;
} Device;

extern const Class device_class;

/* Indices of MachineDevice.own and Machine.own. */
enum {
    DEVICE_FAMILY,     /* 7 for Apple7 ...; 0: not one of Apple's */
    DEVICE_MAX_BUFFER, /* MiB; 0: half of the memory */
    DEVICE_REGISTRY_ID,
    DEVICE_IS_REMOVABLE,
};
enum { MACHINE_ERRORS_SIGNAL };

/* Codes of ERROR_OF_COMMAND_BUFFERS. */
enum {
    ERROR_INTERNAL = 1,
    ERROR_TIMEOUT = 2,
    ERROR_PAGE_FAULT = 3,
    ERROR_ACCESS_REVOKED = 4,
    ERROR_NOT_PERMITTED = 7,
    ERROR_OUT_OF_MEMORY = 8,
    ERROR_INVALID_RESOURCE = 9,
    ERROR_DEVICE_REMOVED = 11,
};

uint64_t device_max_buffer(const Device *device);
/* Whether so much more may be allocated; counts allocations. */
bool device_has_memory(Device *device, uint64_t bytes);

/* The machine was replaced. */
void device_set_up(void);
/* The object that the message of this thread is sent to; runtime.c. */
void runtime_set_receiver(const Object *object);

#endif
