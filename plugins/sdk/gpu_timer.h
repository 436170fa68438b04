/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_GPU_TIMER_H
#define VMAF_SDK_GPU_TIMER_H

#include <libvmaf/backend_profile.h>

#include "plan.h"

/* A GPU timer: adds up the times of kernels and copies, from timestamps in command lists, for
 * backend_profile.h. */

/* The kind of work that ends at a timestamp. */
enum VmafTimestampKind {
    VMAF_TIMESTAMP_BEGIN,
    VMAF_TIMESTAMP_UPLOAD,
    VMAF_TIMESTAMP_SUMS,
    VMAF_TIMESTAMP_READ_BACK,
    VMAF_TIMESTAMP_STEPS, /* the first step of the program; the others follow */
};

/* The timestamps of a command list, in order; none without profiling. */
typedef struct VmafTimestamps {
    uint32_t count;
    uint32_t kind[VMAF_DEVICE_MAX_TIMESTAMPS];
} VmafTimestamps;

typedef struct VmafGpuTimer {
    struct VmafTimeTotal {
        uint64_t runs, nanoseconds;
    } * totals; /* by kind; NULL without profiling */
} VmafGpuTimer;

static inline bool vmaf_is_profiled(const VmafDevice *device)
{
    return device->profiling && device->info.caps.timestamps && device->layer->cmd_timestamp;
}

/* Adds a timestamp to a command list: the time at which everything before it has finished. Does
 * nothing without profiling. */
int vmaf_timestamp_record(VmafTimestamps *timestamps, VmafDeviceCommandList *list, uint32_t kind);

int vmaf_gpu_timer_create(VmafGpuTimer *timer, const struct VmafBackendPlan *plan);
void vmaf_gpu_timer_destroy(VmafGpuTimer *timer);
/* Adds the times of the command list's last run, which has finished. `copied` is true if it was
 * submitted with copies. */
void vmaf_gpu_timer_add(VmafGpuTimer *timer, VmafDeviceCommandList *list,
                        const VmafTimestamps *timestamps, bool copied);
int32_t vmaf_gpu_timer_entry(const VmafGpuTimer *timer, const struct VmafBackendPlan *plan,
                             uint32_t index, VmafSdkProfileEntry *entry);

int32_t vmaf_measure_copy(VmafDevice *device, uint32_t copy, double *bytes_per_second);

#endif
