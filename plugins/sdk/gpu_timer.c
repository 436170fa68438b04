/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Times of kernels and copies, and how fast a device copies. */
#include "gpu_timer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_internal.h"
#include "memory.h"
#include "platform/time.h"

int vmaf_timestamp_record(VmafTimestamps *timestamps, VmafDeviceCommandList *list, uint32_t kind)
{
    const VmafDevice *device = list->device;
    if (!vmaf_is_profiled(device) || timestamps->count == VMAF_DEVICE_MAX_TIMESTAMPS)
        return 0;
    int err = timestamps->count ? device->layer->cmd_barrier(list) : 0;
    if (!err)
        err = device->layer->cmd_timestamp(list, timestamps->count);
    if (!err)
        timestamps->kind[timestamps->count++] = kind;
    return err;
}

int vmaf_gpu_timer_create(VmafGpuTimer *timer, const struct VmafBackendPlan *plan)
{
    *timer = (VmafGpuTimer){NULL};
    if (!vmaf_is_profiled(plan->device))
        return 0;
    timer->totals = calloc(VMAF_TIMESTAMP_STEPS + plan->program->n_steps, sizeof(*timer->totals));
    return timer->totals ? 0 : -ENOMEM;
}

void vmaf_gpu_timer_destroy(VmafGpuTimer *timer)
{
    free(timer->totals);
    timer->totals = NULL;
}

static void add_time(VmafGpuTimer *timer, uint32_t kind, uint64_t begin, uint64_t end)
{
    if (end < begin)
        return; /* the device's counter has wrapped */
    timer->totals[kind].runs++;
    timer->totals[kind].nanoseconds += end - begin;
}

void vmaf_gpu_timer_add(VmafGpuTimer *timer, VmafDeviceCommandList *list,
                        const VmafTimestamps *timestamps, bool copied)
{
    uint64_t times[VMAF_DEVICE_MAX_TIMESTAMPS];
    const VmafDeviceLayer *layer = list->device->layer;
    if (!timer->totals || timestamps->count < 2)
        return;
    if (copied && layer->copy_times && !layer->copy_times(list, times))
        add_time(timer, VMAF_TIMESTAMP_UPLOAD, times[0], times[1]);
    if (layer->timestamps(list, times, timestamps->count))
        return;
    for (uint32_t i = 1; i < timestamps->count; i++)
        add_time(timer, timestamps->kind[i], times[i - 1], times[i]);
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

/* Kinds of timestamps in the order of time. */
static uint32_t kind_at(const VmafProgram *program, uint32_t index)
{
    if (index == 0)
        return VMAF_TIMESTAMP_UPLOAD;
    if (index <= program->n_steps)
        return VMAF_TIMESTAMP_STEPS + index - 1;
    return index == program->n_steps + 1 ? VMAF_TIMESTAMP_SUMS : VMAF_TIMESTAMP_READ_BACK;
}

int32_t vmaf_gpu_timer_entry(const VmafGpuTimer *timer, const struct VmafBackendPlan *plan,
                             uint32_t index, VmafSdkProfileEntry *entry)
{
    if (!timer->totals)
        return VMAF_BACKEND_NOT_SUPPORTED;
    const VmafProgram *program = plan->program;
    if (entry->struct_size < sizeof(*entry) || index > program->n_steps + 2)
        return VMAF_BACKEND_INVALID;
    const uint32_t kind = kind_at(program, index);
    const char *name = "read-back";
    uint64_t bytes = vmaf_program_results_size(program);
    if (kind == VMAF_TIMESTAMP_UPLOAD) {
        name = "upload";
        bytes = vmaf_plan_frame_size(plan);
    } else if (kind == VMAF_TIMESTAMP_SUMS) {
        name = "sum_partials";
        bytes = program->n_partials * sizeof(uint64_t);
    } else if (kind >= VMAF_TIMESTAMP_STEPS) {
        name = program->steps[kind - VMAF_TIMESTAMP_STEPS].run.kernel;
        bytes = step_bytes(plan, &program->steps[kind - VMAF_TIMESTAMP_STEPS]);
    }
    const uint32_t size = entry->struct_size;
    *entry = (VmafSdkProfileEntry){
        .struct_size = size,
        .runs = timer->totals[kind].runs,
        .nanoseconds = timer->totals[kind].nanoseconds,
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
    const VmafDriverGuard guard = vmaf_driver_enter();
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
    vmaf_driver_leave(&guard);
    *bytes_per_second = err ? 0.0 : COPIES * (double)COPY_SIZE / seconds;
    return vmaf_sdk_status(err);
}
