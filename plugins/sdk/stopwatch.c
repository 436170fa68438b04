/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Times of kernels and copies, and how fast a device copies. */
#include "stopwatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "memory.h"
#include "platform/time.h"

int vmaf_lap_record(VmafLaps *laps, VmafDeviceCommandList *list, uint32_t lap)
{
    const VmafDevice *device = list->device;
    if (!vmaf_is_profiled(device) || laps->count == VMAF_DEVICE_MAX_TIMESTAMPS)
        return 0;
    int err = laps->count ? device->layer->cmd_barrier(list) : 0;
    if (!err)
        err = device->layer->cmd_timestamp(list, laps->count);
    if (!err)
        laps->lap[laps->count++] = lap;
    return err;
}

int vmaf_stopwatch_create(VmafStopwatch *stopwatch, const struct VmafBackendPlan *plan)
{
    *stopwatch = (VmafStopwatch){NULL};
    if (!vmaf_is_profiled(plan->device))
        return 0;
    stopwatch->totals = calloc(VMAF_LAP_STEPS + plan->program->n_steps, sizeof(*stopwatch->totals));
    return stopwatch->totals ? 0 : -ENOMEM;
}

void vmaf_stopwatch_destroy(VmafStopwatch *stopwatch)
{
    free(stopwatch->totals);
    stopwatch->totals = NULL;
}

static void add_lap(VmafStopwatch *stopwatch, uint32_t lap, uint64_t begin, uint64_t end)
{
    if (end < begin)
        return; /* the device's counter has wrapped */
    stopwatch->totals[lap].runs++;
    stopwatch->totals[lap].nanoseconds += end - begin;
}

void vmaf_stopwatch_add(VmafStopwatch *stopwatch, VmafDeviceCommandList *list, const VmafLaps *laps,
                        bool copied)
{
    uint64_t times[VMAF_DEVICE_MAX_TIMESTAMPS];
    const VmafDeviceLayer *layer = list->device->layer;
    if (!stopwatch->totals || laps->count < 2)
        return;
    if (copied && layer->copy_times && !layer->copy_times(list, times))
        add_lap(stopwatch, VMAF_LAP_UPLOAD, times[0], times[1]);
    if (layer->timestamps(list, times, laps->count))
        return;
    for (uint32_t i = 1; i < laps->count; i++)
        add_lap(stopwatch, laps->lap[i], times[i - 1], times[i]);
}

/* -- what was measured -- */

static uint64_t step_bytes(const struct VmafBackendPlan *plan, const VmafProgramStep *step)
{
    const VmafKernel *kernel = vmaf_kernel_set_find(plan->device->kernels, step->run.kernel);
    uint64_t bytes = 0;
    for (uint32_t slot = 0; kernel && slot < kernel->n_buffers; slot++)
        bytes += vmaf_plan_binding_size(plan, &step->run.buffers[slot]);
    return bytes;
}

/* Laps in the order of time. */
static uint32_t lap_at(const VmafProgram *program, uint32_t index)
{
    if (index == 0)
        return VMAF_LAP_UPLOAD;
    if (index <= program->n_steps)
        return VMAF_LAP_STEPS + index - 1;
    return index == program->n_steps + 1 ? VMAF_LAP_SUMS : VMAF_LAP_READ_BACK;
}

int32_t vmaf_stopwatch_entry(const VmafStopwatch *stopwatch, const struct VmafBackendPlan *plan,
                             uint32_t index, VmafSdkProfileEntry *entry)
{
    if (!stopwatch->totals)
        return VMAF_BACKEND_NOT_SUPPORTED;
    const VmafProgram *program = plan->program;
    if (entry->struct_size < sizeof(*entry) || index > program->n_steps + 2)
        return VMAF_BACKEND_INVALID;
    const uint32_t lap = lap_at(program, index);
    const char *name = "read-back";
    uint64_t bytes = vmaf_program_results_size(program);
    if (lap == VMAF_LAP_UPLOAD) {
        name = "upload";
        bytes = vmaf_plan_frame_size(plan);
    } else if (lap == VMAF_LAP_SUMS) {
        name = "sum_partials";
        bytes = program->n_partials * sizeof(uint64_t);
    } else if (lap >= VMAF_LAP_STEPS) {
        name = program->steps[lap - VMAF_LAP_STEPS].run.kernel;
        bytes = step_bytes(plan, &program->steps[lap - VMAF_LAP_STEPS]);
    }
    const uint32_t size = entry->struct_size;
    *entry = (VmafSdkProfileEntry){
        .struct_size = size,
        .runs = stopwatch->totals[lap].runs,
        .nanoseconds = stopwatch->totals[lap].nanoseconds,
        .bytes = bytes,
    };
    snprintf(entry->name, sizeof(entry->name), "%s", name);
    return VMAF_BACKEND_OK;
}

/* -- how fast a device copies -- */

/* Measures how fast a device copies: the limit for kernels that do nothing but move bytes. */

enum { COPIES = 8 };
static const uint64_t COPY_SIZE = UINT64_C(1) << 26; /* more than any cache holds */

static double now(void)
{
    return 1e-9 * (double)vmaf_steady_ns();
}

typedef struct CopyTrial {
    VmafDevice *device;
    VmafDeviceBuffer *src, *dst;
    VmafDeviceQueue *queue;
    VmafDeviceCommandList *list;
} CopyTrial;

static int prepare(CopyTrial *trial, uint32_t copy)
{
    static const enum VmafDeviceMemory memories[][2] = {
        [VMAF_SDK_COPY_DEVICE] = {VMAF_MEMORY_DEVICE, VMAF_MEMORY_DEVICE},
        [VMAF_SDK_COPY_UPLOAD] = {VMAF_MEMORY_UPLOAD, VMAF_MEMORY_DEVICE},
        [VMAF_SDK_COPY_DOWNLOAD] = {VMAF_MEMORY_DEVICE, VMAF_MEMORY_DOWNLOAD},
    };
    const VmafDeviceLayer *layer = trial->device->layer;
    const VmafDeviceBufferParams src = {.memory = memories[copy][0], .size = COPY_SIZE};
    const VmafDeviceBufferParams dst = {.memory = memories[copy][1], .size = COPY_SIZE};
    int err = layer->queue_create(trial->device, &trial->queue);
    if (!err)
        err = layer->buffer_create(trial->device, &trial->src, &src);
    if (!err)
        err = layer->buffer_create(trial->device, &trial->dst, &dst);
    if (!err)
        err = layer->command_list_begin(trial->device, &trial->list);
    for (int i = 0; i < COPIES && !err; i++) {
        const VmafDeviceCopy command = {
            .dst = trial->dst, .src = trial->src, .row_size = COPY_SIZE, .rows = 1};
        err = layer->cmd_barrier(trial->list);
        if (!err)
            err = vmaf_device_cmd_copy(trial->list, &command);
    }
    return err ? err : layer->command_list_end(trial->list);
}

static int run(const CopyTrial *trial, double *seconds)
{
    const VmafDeviceLayer *layer = trial->device->layer;
    const VmafDeviceSubmit submit = {.struct_size = sizeof(submit)};
    VmafDeviceTicket ticket;
    const double begin = now();
    int err = vmaf_device_submit(trial->queue, trial->list, &submit, &ticket);
    if (!err)
        err = layer->wait(trial->queue, ticket, VMAF_START_LIMIT_NS);
    *seconds = now() - begin;
    return err;
}

int32_t vmaf_measure_copy(VmafDevice *device, uint32_t copy, double *bytes_per_second)
{
    if (copy > VMAF_SDK_COPY_DOWNLOAD)
        return VMAF_BACKEND_INVALID;
    const VmafDriverGuard guard = vmaf_driver_guard_begin();
    CopyTrial trial = {.device = device};
    double seconds = 0.0;
    int err = prepare(&trial, copy);
    for (int i = 0; i < 2 && !err; i++) /* the first run touches new memory */
        err = run(&trial, &seconds);
    if (err == -ETIMEDOUT) {
        atomic_store(&device->stuck, true);
    } else {
        if (trial.list)
            device->layer->command_list_destroy(trial.list);
        if (trial.queue)
            device->layer->queue_destroy(trial.queue);
        device->layer->buffer_destroy(device, trial.src);
        device->layer->buffer_destroy(device, trial.dst);
    }
    vmaf_driver_guard_end(&guard);
    *bytes_per_second = err ? 0.0 : COPIES * (double)COPY_SIZE / seconds;
    return vmaf_sdk_status(err);
}
