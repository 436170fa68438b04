/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "device_state.h"

#include <errno.h>
#include <stdlib.h>

#include "host_memory.h"
#include "transfer.h"

static const uint64_t SPLIT_ABOVE = 20000000;

int vmaf_device_state_create(VmafDevice *device, const VmafBackendSync *default_queue,
                             const VmafKnownBad *known_bad)
{
    VmafDeviceState *state = calloc(1, sizeof(*state));
    if (!state)
        return -ENOMEM;
    state->device = device;
    state->known_bad = known_bad;
    state->split_above = device->info.kind == VMAF_DEVICE_INTEGRATED ? SPLIT_ABOVE : 0;
    if (default_queue)
        state->default_queue = *default_queue;
    vmaf_mutex_init(&state->lock);
    vmaf_mutex_init(&state->transfer.lock);
    device->state = state;
    return 0;
}

void vmaf_device_state_destroy(VmafDevice *device)
{
    VmafDeviceState *state = device->state;
    if (!state)
        return;
    while (state->first_range)
        vmaf_host_memory_unregister(device, state->first_range);
    vmaf_transfer_close(state);
    vmaf_mutex_destroy(&state->transfer.lock);
    vmaf_mutex_destroy(&state->lock);
    free(state);
    device->state = NULL;
}
