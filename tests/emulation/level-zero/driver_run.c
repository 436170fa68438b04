/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* What commands do. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver_command.h"
#include "driver_memory.h"

/* Where bytes really are: in an allocation of the context, or in memory of the host that the
 * driver does not know. NULL: nowhere. */
static unsigned char *locate(const Command *command, uint64_t address, size_t size)
{
    const Allocation *found = driver_find_memory(address);
    if (!found && !driver_is_own_range(address))
        return (unsigned char *)(uintptr_t)address;
    if (!found) {
        machine_complain("0x%" PRIx64 " is used by a command, but was given back", address);
        return NULL;
    }
    if (found->context != command->context || (found->device && found->device != command->device)) {
        machine_complain("memory of another context or device is used by a command");
        return NULL;
    }
    const size_t offset = (size_t)(address - found->address);
    if (size > found->size - offset) {
        machine_complain("%zu bytes at %zu of %zu are used by a command", size, offset,
                         found->size);
        return NULL;
    }
    return found->storage + offset;
}

/* Bytes from the first to the last one of rows in slices. */
static size_t extent(const Copy *copy, size_t pitch, size_t slice)
{
    return (copy->depth - 1) * slice + (copy->height - 1) * pitch + copy->width;
}

static ze_result_t run_copy(const Command *command)
{
    const Copy *copy = &command->copy;
    unsigned char *dst = locate(command, copy->dst, extent(copy, copy->dst_pitch, copy->dst_slice));
    const unsigned char *src =
        locate(command, copy->src, extent(copy, copy->src_pitch, copy->src_slice));
    if (!dst || !src)
        return ZE_RESULT_ERROR_DEVICE_LOST;
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++)
            memmove(dst + z * copy->dst_slice + y * copy->dst_pitch,
                    src + z * copy->src_slice + y * copy->src_pitch, copy->width);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t run_fill(const Command *command)
{
    const Fill *fill = &command->fill;
    unsigned char *dst = locate(command, fill->dst, fill->size);
    if (!dst)
        return ZE_RESULT_ERROR_DEVICE_LOST;
    for (size_t i = 0; i < fill->size; i++)
        dst[i] = fill->pattern[i % fill->pattern_size];
    return ZE_RESULT_SUCCESS;
}

static ze_result_t run_timer(const Command *command)
{
    const uint64_t ticks = driver_ticks(driver_pass_time(command->device, 0)) &
                           ((UINT64_C(1) << DRIVER_TIMER_BITS) - 1);
    unsigned char *dst = locate(command, command->timer_address, sizeof(ticks));
    if (!dst)
        return ZE_RESULT_ERROR_DEVICE_LOST;
    memcpy(dst, &ticks, sizeof(ticks));
    return ZE_RESULT_SUCCESS;
}

void driver_event_times(const Event *event, ze_kernel_timestamp_result_t *times)
{
    const uint64_t mask = (UINT64_C(1) << DRIVER_KERNEL_TIMER_BITS) - 1;
    times->global.kernelStart = times->context.kernelStart = driver_ticks(event->begin_ns) & mask;
    times->global.kernelEnd = times->context.kernelEnd = driver_ticks(event->end_ns) & mask;
}

static ze_result_t run_times(const Command *command)
{
    const Times *times = &command->times;
    for (uint32_t i = 0; i < times->n_events; i++) {
        ze_kernel_timestamp_result_t result;
        const size_t offset = times->offsets ? times->offsets[i] : i * sizeof(result);
        unsigned char *dst = locate(command, times->dst + offset, sizeof(result));
        if (!dst)
            return ZE_RESULT_ERROR_DEVICE_LOST;
        if (!times->events[i]->is_signalled) {
            machine_complain("timestamps of an event are queried that is not signalled");
            return ZE_RESULT_ERROR_DEVICE_LOST;
        }
        driver_event_times(times->events[i], &result);
        memcpy(dst, &result, sizeof(result));
    }
    return ZE_RESULT_SUCCESS;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static ze_result_t run_kind(const Command *command)
{
    switch (command->kind) {
    case COMMAND_COPY:
        return run_copy(command);
    case COMMAND_FILL:
        return run_fill(command);
    case COMMAND_KERNEL:
        return driver_run_launch(command->context, &command->launch);
    case COMMAND_RESET:
        command->reset->is_signalled = false;
        return ZE_RESULT_SUCCESS;
    case COMMAND_TIMER:
        return run_timer(command);
    case COMMAND_TIMES:
        return run_times(command);
    case COMMAND_FENCE:
        command->fence->is_signalled = true;
        return ZE_RESULT_SUCCESS;
    default:
        return ZE_RESULT_SUCCESS;
    }
}

ze_result_t driver_run(const Command *command, uint64_t *ns)
{
    const uint64_t begin = now_ns();
    const ze_result_t result = run_kind(command);
    *ns = now_ns() - begin;
    return result;
}

/* -- commands themselves -- */

static void *copy_bytes(const void *bytes, size_t size)
{
    return bytes ? memcpy(malloc(size + 1), bytes, size) : NULL;
}

Command *driver_copy_command(const Command *command)
{
    Command *copy = malloc(sizeof(*copy));
    *copy = *command;
    copy->wait = copy_bytes(command->wait, command->n_wait * sizeof(*command->wait));
    if (command->kind == COMMAND_KERNEL)
        copy->launch.values =
            copy_bytes(command->launch.values, command->launch.kernel->code->values_size);
    if (command->kind == COMMAND_TIMES) {
        const uint32_t n = command->times.n_events;
        copy->times.events = copy_bytes(command->times.events, n * sizeof(*copy->times.events));
        copy->times.offsets = copy_bytes(command->times.offsets, n * sizeof(*copy->times.offsets));
    }
    return copy;
}

void driver_free_command(Command *command)
{
    if (command->kind == COMMAND_KERNEL)
        free(command->launch.values);
    if (command->kind == COMMAND_TIMES) {
        free(command->times.events);
        free(command->times.offsets);
    }
    free(command->wait);
    free(command);
}
