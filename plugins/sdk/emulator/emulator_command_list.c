/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Command lists: recording them, and running their commands. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator_internal.h"
#include "emulator_kernel.h"
#include "platform/time.h"

int64_t emulator_index_fault(const EmulatorGroup *group, const EmulatorArray *array, int64_t index,
                             int line)
{
    if (group->fault[0] == '\0') {
        snprintf(group->fault, EMULATOR_FAULT_SIZE,
                 "kernel %s, line %d, group (%d, %d, %d): element %" PRId64 " of %s, which has %zu",
                 group->kernel->name, line, (int)group->group[0], (int)group->group[1],
                 (int)group->group[2], index, array->name, array->length);
    }
    return 0;
}

void emulator_fill_noise(void *memory, size_t size, uint32_t seed)
{
    const uint32_t word = (seed | 1) * 2654435761u; /* never 0 */
    unsigned char *bytes = memory;
    size_t i = 0;
    for (; i + sizeof(word) <= size; i += sizeof(word))
        memcpy(bytes + i, &word, sizeof(word));
    memcpy(bytes + i, &word, size - i);
}

static uint64_t common_factor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t emulator_stride(uint64_t least, uint64_t n)
{
    while (common_factor(least, n) != 1)
        least++;
    return least;
}

/* -- running commands -- */

uint32_t emulator_random(EmulatorDevice *device)
{
    uint32_t x = device->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return device->random = x;
}

static void order_lanes(EmulatorDevice *device, uint32_t lanes)
{
    for (uint32_t i = 0; i < lanes; i++) {
        const bool reverse = device->options.order == EMULATOR_ORDER_REVERSE;
        device->order[i] = (uint16_t)(reverse ? lanes - 1 - i : i);
    }
    if (device->options.order == EMULATOR_ORDER_RANDOM) {
        for (uint32_t i = lanes - 1; i > 0; i--) {
            const uint32_t k = emulator_random(device) % (i + 1);
            const uint16_t swapped = device->order[i];
            device->order[i] = device->order[k];
            device->order[k] = swapped;
        }
    }
}

/* The number of the i-th group to run: a walk with a stride that has no factor in common with n. */
static uint64_t group_at(const EmulatorDevice *device, uint64_t i, uint64_t n, uint64_t start,
                         uint64_t stride)
{
    switch (device->options.order) {
    case EMULATOR_ORDER_REVERSE:
        return n - 1 - i;
    case EMULATOR_ORDER_RANDOM:
        return (start + i * stride) % n;
    default:
        return i;
    }
}

static unsigned char *bytes_of(const VmafDeviceBuffer *buffer)
{
    return ((const EmulatorBuffer *)buffer)->data;
}

static int run_dispatch(EmulatorDevice *device, const EmulatorCommand *command)
{
    const VmafDeviceDispatch *dispatch = &command->dispatch;
    const VmafKernel *kernel = dispatch->kernel->kernel;
    EmulatorBinding bindings[VMAF_KERNEL_MAX_BUFFERS];
    for (uint32_t slot = 0; slot < kernel->n_buffers; slot++) {
        const VmafDeviceBinding *binding = &dispatch->bindings[slot];
        bindings[slot].data = bytes_of(binding->buffer) + binding->offset;
        bindings[slot].size =
            binding->size ? binding->size : binding->buffer->size - binding->offset;
    }
    const uint64_t across = dispatch->groups[0];
    const uint64_t down = dispatch->groups[1];
    const uint64_t n = across * down * dispatch->groups[2];
    const uint64_t start = emulator_random(device) % n;
    const uint64_t stride = emulator_stride(n > 2 ? 1 + emulator_random(device) % (n - 1) : 1, n);
    char fault[EMULATOR_FAULT_SIZE] = "";
    EmulatorGroup group = {
        .kernel = kernel,
        .bindings = bindings,
        .args = command->args,
        .groups = {(int32_t)across, (int32_t)down, (int32_t)dispatch->groups[2]},
        .order = device->order,
        .fault = fault,
    };
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t k = group_at(device, i, n, start, stride);
        group.group[0] = (int32_t)(k % across);
        group.group[1] = (int32_t)(k / across % down);
        group.group[2] = (int32_t)(k / across / down);
        group.noise = emulator_random(device);
        if (i % 16 == 0)
            order_lanes(device, kernel->lanes[0] * kernel->lanes[1]);
        kernel->run(&group);
    }
    return fault[0] == '\0' ? 0 : emulator_fail(device, -EIO, "%s", fault);
}

void emulator_run_copy(const VmafDeviceCopy *copy)
{
    uint64_t stride;
    const unsigned char *src = emulator_copy_source(copy, &stride);
    unsigned char *dst = bytes_of(copy->dst) + copy->dst_offset;
    for (uint32_t row = 0; row < copy->rows; row++)
        memcpy(dst + row * copy->dst_stride, src + row * stride, copy->row_size);
}

static int run_command(EmulatorDevice *device, EmulatorCommandList *list,
                       const EmulatorCommand *command)
{
    switch (command->type) {
    case EMULATOR_COPY:
        emulator_run_copy(&command->copy);
        return 0;
    case EMULATOR_DISPATCH:
        return run_dispatch(device, command);
    case EMULATOR_TIMESTAMP:
        list->times_ns[command->timestamp] = (uint64_t)vmaf_steady_ns();
        return 0;
    case EMULATOR_BARRIER:
        return 0;
    }
    return -EINVAL;
}

/* Commands between two barriers, with no timestamp among them, can run in any order. */
static size_t end_of_unordered(const EmulatorCommandList *list, size_t first, size_t end)
{
    size_t i = first;
    while (i < end &&
           (list->commands[i].type == EMULATOR_COPY || list->commands[i].type == EMULATOR_DISPATCH))
        i++;
    return i;
}

int emulator_run_step(EmulatorDevice *device, EmulatorCommandList *list, size_t *next)
{
    const size_t first = *next;
    const size_t stop = end_of_unordered(list, first, list->n_commands);
    const size_t n = stop - first;
    const size_t turn =
        device->options.order == EMULATOR_ORDER_RANDOM && n > 0 ? emulator_random(device) % n : 0;
    *next = stop < list->n_commands ? stop + 1 : stop;
    for (size_t i = 0; i < n; i++) {
        const size_t k =
            device->options.order == EMULATOR_ORDER_REVERSE ? n - 1 - i : (i + turn) % n;
        const int status = run_command(device, list, &list->commands[first + k]);
        if (status < 0)
            return status;
    }
    return stop < list->n_commands ? run_command(device, list, &list->commands[stop]) : 0;
}

int emulator_command_list_begin(VmafDevice *base, VmafDeviceCommandList **list)
{
    EmulatorDevice *device = (EmulatorDevice *)base;
    vmaf_mutex_lock(&device->lock);
    const bool lost = device->lost;
    vmaf_mutex_unlock(&device->lock);
    if (lost)
        return -ENODEV;
    EmulatorCommandList *made = calloc(1, sizeof(*made));
    if (!made)
        return -ENOMEM;
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
    if (list->ended)
        return -EINVAL;
    if (list->n_commands == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        EmulatorCommand *grown = reallocarray(list->commands, capacity, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
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
    if (status == 0)
        command->type = EMULATOR_BARRIER;
    return status;
}

int emulator_cmd_timestamp(VmafDeviceCommandList *base, uint32_t index)
{
    EmulatorCommand *command;
    if (index >= VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
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
    if (count > VMAF_DEVICE_MAX_TIMESTAMPS)
        return -EINVAL;
    memcpy(times_ns, list->times_ns, count * sizeof(*times_ns));
    return 0;
}

int emulator_copy_times(VmafDeviceCommandList *base, uint64_t times_ns[2])
{
    const EmulatorCommandList *list = (const EmulatorCommandList *)base;
    memcpy(times_ns, list->copy_times_ns, sizeof(list->copy_times_ns));
    return 0;
}
