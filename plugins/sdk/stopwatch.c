/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "stopwatch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
