/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CORE_MACHINE_DEVICE_H
#define TESTS_EMULATION_CORE_MACHINE_DEVICE_H

#include "machine_file.h"

/* What happens to a device of the machine: it is lost, its memory fills, simulated time passes. */
typedef struct DeviceState {
    const MachineDevice *machine;
    int index;
    int lost;                 /* the error of every later call; 0: it works */
    uint64_t memory_used;     /* bytes */
    uint64_t kernels_free_ns; /* simulated time at which the next kernel can begin */
    uint64_t copies_free_ns[2];
} DeviceState;

/* Those of emulated_machine, in their order. */
extern DeviceState machine_devices[MACHINE_MAX_DEVICES];

/* The machine was replaced. */
void machine_set_up_devices(void);

/* Loses the device, unless it was lost before, and drops its work. The error of its calls. */
int machine_lose_device(DeviceState *device, int error);

/* Whether so many more bytes can be allocated, of the device or (NULL) of the host; counts it. */
bool machine_has_memory(const DeviceState *device, uint64_t bytes);

/* What a task did, for simulated time. */
typedef struct Work {
    bool is_kernel;
    uint64_t operations; /* of all invocations */
    uint64_t bus_bytes, memory_bytes;
    bool is_download;
} Work;

/* Lets the time pass that the work takes from *ns on, when its queue is free, or from when the
 * engine is free that does it. *ns: when it has ended. Returns when it began. */
uint64_t machine_pass_time(DeviceState *device, const Work *work, uint64_t *ns);

#endif
