/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_HOST_HOST_INTERNAL_H
#define VMAF_SDK_HOST_HOST_INTERNAL_H

#include "host_device.h"
#include "host_kernel.h"
#include "platform/thread.h"

enum { HOST_ERROR_SIZE = 256 };

typedef struct HostRecording HostRecording;

typedef struct HostDevice {
    VmafDevice head;
    HostDeviceOptions options;
    VmafDeviceFaults faults;
    VmafDeviceKernel *kernels; /* one for each of head.kernels */
    uint16_t order[VMAF_KERNEL_MAX_LANES];
    VmafMutex lock; /* guards everything below */
    uint64_t buffers_created;
    uint64_t submissions;
    VmafDeviceTicket finished;
    HostRecording *first_pending, **last_pending; /* in the order of submission */
    uint32_t random;
    bool lost;
    char error[HOST_ERROR_SIZE];
} HostDevice;

typedef struct HostBuffer {
    VmafDeviceBuffer head;
    void *data; /* what a device buffer does not show as mapped */
    bool owned;
} HostBuffer;

enum HostCommandType { HOST_COPY, HOST_DISPATCH, HOST_BARRIER, HOST_TIMESTAMP };

typedef struct HostCommand {
    enum HostCommandType type;
    union {
        VmafDeviceCopy copy;
        VmafDeviceDispatch dispatch; /* args point to args below */
        uint32_t timestamp;
    };
    unsigned char args[VMAF_KERNEL_MAX_ARGS_SIZE];
} HostCommand;

struct HostRecording {
    VmafDeviceRecording head;
    HostCommand *commands;
    size_t n_commands, capacity;
    size_t prologue; /* the number of copies from upload buffers that it begins with */
    uint64_t times_ns[VMAF_DEVICE_MAX_TIMESTAMPS];
    bool ended;
    bool pending;
    HostRecording *next_pending;
    VmafDeviceTicket ticket;
};

/* Notes the text of a failure and returns `status`. The device's lock is held. */
int host_fail(HostDevice *device, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0, or -EINVAL if two commands with no barrier between them touch the same bytes; names them. */
int host_check_hazards(HostDevice *device, const HostCommand *commands, size_t n_commands);

int host_recording_begin(VmafDevice *device, VmafDeviceRecording **recording);
int host_record_copy(VmafDeviceRecording *recording, const VmafDeviceCopy *copy);
int host_record_dispatch(VmafDeviceRecording *recording, const VmafDeviceDispatch *dispatch);
int host_record_barrier(VmafDeviceRecording *recording);
int host_record_timestamp(VmafDeviceRecording *recording, uint32_t index);
int host_recording_end(VmafDeviceRecording *recording);
void host_recording_destroy(VmafDeviceRecording *recording);
int host_timestamps(VmafDeviceRecording *recording, uint64_t *times_ns, uint32_t count);

/* Runs commands `first` to the end; the device's lock is held. */
int host_run_commands(HostDevice *device, HostRecording *recording, size_t first, size_t end);

#endif
