/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_internal.h"

int emulator_command_list_begin(VmafDevice *base, VmafDeviceCommandList **list)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    vmaf_mutex_unlock(&device->lock);
    if (lost) {
        return -ENODEV;
    }
    EmulatorCommandList *made = calloc(1, sizeof(*made));
    if (!made) {
        return -ENOMEM;
    }
    made->head.device = base;
    *list = &made->head;
    return 0;
}

void emulator_command_list_destroy(VmafDeviceCommandList *base)
{
    EmulatorCommandList *list = (EmulatorCommandList *)base;
    if (list) {
        free(list->commands);
        free(list);
    }
}

static int add_command(VmafDeviceCommandList *base, EmulatorCommand **command)
{
    EmulatorCommandList *list = (EmulatorCommandList *)base;
    if (list->ended) {
        return -EINVAL;
    }
    if (list->n_commands == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        EmulatorCommand *grown = reallocarray(list->commands, capacity, sizeof(*grown));
        if (!grown) {
            return -ENOMEM;
        }
        list->commands = grown;
        list->capacity = capacity;
    }
    *command = &list->commands[list->n_commands++];
    memset(*command, 0, sizeof(**command));
    return 0;
}

int emulator_cmd_copy(VmafDeviceCommandList *base, const VmafDeviceCopy *copy)
{
    EmulatorCommand *command;
    const int status = add_command(base, &command);
    if (status == 0) {
        command->type = EMULATOR_COPY;
        command->copy = *copy;
    }
    return status;
}

int emulator_cmd_dispatch(VmafDeviceCommandList *base, const VmafDeviceDispatch *dispatch)
{
    EmulatorCommand *command;
    const int status = add_command(base, &command);
    if (status == 0) {
        command->type = EMULATOR_DISPATCH;
        command->dispatch = *dispatch;
        memcpy(command->args, dispatch->args, dispatch->kernel->kernel->args_size);
    }
    return status;
}

int emulator_cmd_barrier(VmafDeviceCommandList *base)
{
    EmulatorCommand *command;
    const int status = add_command(base, &command);
    if (status == 0) {
        command->type = EMULATOR_BARRIER;
    }
    return status;
}

int emulator_cmd_timestamp(VmafDeviceCommandList *base, uint32_t index)
{
    EmulatorCommand *command;
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS) {
        return -EINVAL;
    }
    const int status = add_command(base, &command);
    if (status == 0) {
        command->type = EMULATOR_TIMESTAMP;
        command->timestamp = index;
    }
    return status;
}

int emulator_command_list_end(VmafDeviceCommandList *base)
{
    EmulatorCommandList *list = (EmulatorCommandList *)base;
    EmulatorDevice *device = (EmulatorDevice *)base->device;
    vmaf_mutex_lock(&device->lock);
    const int status = emulator_check_hazards(device, list->commands, list->n_commands);
    vmaf_mutex_unlock(&device->lock);
    list->ended = status == 0;
    return status;
}

int emulator_timestamps(VmafDeviceCommandList *base, uint64_t *times_ns, uint32_t count)
{
    const EmulatorCommandList *list = (const EmulatorCommandList *)base;
    if (count > VMAF_DEVICE_MAX_TIMESTAMPS) {
        return -EINVAL;
    }
    memcpy(times_ns, list->times_ns, count * sizeof(*times_ns));
    return 0;
}

int emulator_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    const EmulatorCommandList *list = (const EmulatorCommandList *)base;
    memcpy(times_ns, list->copy_times_ns, sizeof(list->copy_times_ns));
    return 0;
}
