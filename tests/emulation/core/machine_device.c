/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "machine_device.h"

#include "machine.h"

/* Simulated: nanoseconds that a task takes beyond its work, and what is done in one. */
enum { LATENCY_NS = 2000, BUS_BYTES = 25, MEMORY_BYTES = 400, MULTIPROCESSOR_OPERATIONS = 100 };

DeviceState machine_devices[MACHINE_MAX_DEVICES];

void machine_set_up_devices(void)
{
    for (int i = 0; i < MACHINE_MAX_DEVICES; i++)
        machine_devices[i] = (DeviceState){.machine = &emulated_machine.devices[i], .index = i};
}

int machine_lose_device(DeviceState *device, int error)
{
    if (!device->lost) {
        device->lost = error;
        if (machine_runtime.drop_work)
            machine_runtime.drop_work(device);
    }
    return device->lost;
}

bool machine_has_memory(const DeviceState *device, uint64_t bytes)
{
    const uint64_t limit = emulated_machine.memory_limit;
    if (machine_denies_memory())
        return false;
    if (!device)
        return true;
    return bytes <= device->machine->memory - device->memory_used &&
           (limit == 0 || device->memory_used + bytes <= limit);
}

uint64_t machine_pass_time(DeviceState *device, const Work *work, uint64_t *ns)
{
    const double speed = device->machine->speed;
    uint64_t *engine = NULL;
    double taken = (double)work->memory_bytes / (MEMORY_BYTES * speed);
    if (work->is_kernel) {
        taken += (double)work->operations /
                 (MULTIPROCESSOR_OPERATIONS * device->machine->multiprocessors * speed);
        engine = &device->kernels_free_ns;
    } else if (work->bus_bytes > 0) {
        taken += (double)work->bus_bytes / BUS_BYTES;
        engine = &device->copies_free_ns[device->machine->copy_engines > 1 && work->is_download];
    }
    const uint64_t begin = engine && *engine > *ns ? *engine : *ns;
    *ns = begin + (uint64_t)taken + (taken > 0 ? LATENCY_NS : 0);
    if (engine)
        *engine = *ns;
    return begin;
}
