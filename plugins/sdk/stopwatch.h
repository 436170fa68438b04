/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STOPWATCH_H
#define VMAF_SDK_STOPWATCH_H

#include <libvmaf/backend_profile.h>

#include "plan.h"

/* A GPU timer: adds up the times of kernels and copies, from timestamps in command lists, for
 * backend_profile.h. */

/* The kind of work that ends at a timestamp. */
enum VmafLap {
    VMAF_LAP_BEGIN,
    VMAF_LAP_UPLOAD,
    VMAF_LAP_SUMS,
    VMAF_LAP_READ_BACK,
    VMAF_LAP_STEPS, /* the first step of the program; the others follow */
};

/* The timestamps of a command list, in order; none without profiling. */
typedef struct VmafLaps {
    uint32_t count;
    uint32_t lap[VMAF_DEVICE_MAX_TIMESTAMPS];
} VmafLaps;

typedef struct VmafStopwatch {
    struct VmafLapTotal {
        uint64_t runs, nanoseconds;
    } * totals; /* by lap; NULL without profiling */
} VmafStopwatch;

static inline bool vmaf_is_profiled(const VmafDevice *device)
{
    return device->profiling && device->info.caps.timestamps && device->layer->cmd_timestamp;
}

/* Adds a timestamp to a command list: the time at which everything before it has finished. Does
 * nothing without profiling. */
int vmaf_lap_record(VmafLaps *laps, VmafDeviceCommandList *list, uint32_t lap);

int vmaf_stopwatch_create(VmafStopwatch *stopwatch, const struct VmafBackendPlan *plan);
void vmaf_stopwatch_destroy(VmafStopwatch *stopwatch);
/* Adds the times of the command list's last run, which has finished. `copied` is true if it was
 * submitted with copies. */
void vmaf_stopwatch_add(VmafStopwatch *stopwatch, VmafDeviceCommandList *list, const VmafLaps *laps,
                        bool copied);
int32_t vmaf_stopwatch_entry(const VmafStopwatch *stopwatch, const struct VmafBackendPlan *plan,
                             uint32_t index, VmafSdkProfileEntry *entry);

int32_t vmaf_measure_copy(VmafDevice *device, uint32_t copy, double *bytes_per_second);

#endif
