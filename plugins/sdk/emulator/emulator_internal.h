/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_EMULATOR_EMULATOR_INTERNAL_H
#define VMAF_SDK_EMULATOR_EMULATOR_INTERNAL_H

#include "emulator.h"
#include "emulator_kernel.h"
#include "platform/thread.h"

enum { EMULATOR_ERROR_SIZE = 256, EMULATOR_MAX_PENDING = 64 };

typedef struct EmulatorCommandList EmulatorCommandList;

typedef struct EmulatorDevice {
    VmafDevice head;
    EmulatorOptions options;
    VmafDeviceFaults faults;
    VmafDeviceKernel *kernels; /* one for each of head.kernels */
    uint16_t order[VMAF_KERNEL_MAX_LANES];
    VmafMutex lock; /* guards everything below */
    uint64_t buffers_created;
    uint64_t submissions;
    uint32_t random;
    bool lost;
    char error[EMULATOR_ERROR_SIZE];
} EmulatorDevice;

typedef struct EmulatorBuffer {
    VmafDeviceBuffer head;
    void *data; /* also for device buffers, whose `mapped` is NULL */
    bool owned;
} EmulatorBuffer;

enum EmulatorCommandType { EMULATOR_COPY, EMULATOR_DISPATCH, EMULATOR_BARRIER, EMULATOR_TIMESTAMP };

typedef struct EmulatorCommand {
    enum EmulatorCommandType type;
    union {
        VmafDeviceCopy copy;
        VmafDeviceDispatch dispatch; /* args point to args below */
        uint32_t timestamp;
    };
    unsigned char args[VMAF_KERNEL_MAX_ARGS_SIZE];
} EmulatorCommand;

struct EmulatorCommandList {
    VmafDeviceCommandList head;
    EmulatorCommand *commands;
    size_t n_commands, capacity;
    uint64_t times_ns[VMAF_DEVICE_MAX_TIMESTAMPS];
    uint64_t copy_times_ns[2];
    bool ended;
    bool pending;
};

typedef struct EmulatorSubmission {
    VmafDeviceTicket ticket;
    uint64_t number; /* of the device's submissions */
    uint32_t lane;
    uint32_t n_copies;
    VmafDeviceCopy copies[VMAF_DEVICE_MAX_COPIES];
    EmulatorCommandList *list; /* may be NULL */
    size_t next;               /* command of the list to run */
    bool copied, finished;
} EmulatorSubmission;

/* The device's lock guards it. */
typedef struct EmulatorQueue {
    VmafDeviceQueue head;
    VmafDeviceTicket submissions;
    EmulatorSubmission pending[EMULATOR_MAX_PENDING]; /* a ring, in the order of submission */
    uint32_t first, count;
} EmulatorQueue;

/* Stores the text of a failure and returns `status`. The device's lock is held. */
int emulator_fail(EmulatorDevice *device, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 0, or -EINVAL and a message if two commands without a barrier between touch the same bytes. */
int emulator_check_hazards(EmulatorDevice *device, const EmulatorCommand *commands,
                           size_t n_commands);

int emulator_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int emulator_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int emulator_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int emulator_cmd_barrier(VmafDeviceCommandList *list);
int emulator_cmd_timestamp(VmafDeviceCommandList *list, uint32_t index);
int emulator_command_list_end(VmafDeviceCommandList *list);
void emulator_command_list_destroy(VmafDeviceCommandList *list);
int emulator_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);

int emulator_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);

/* Running; the device's lock is held. A step is commands that may run in any order, and the barrier
 * or timestamp after them; `next` moves on. */
int emulator_run_step(EmulatorDevice *device, EmulatorCommandList *list, size_t *next);
void emulator_run_copy(const VmafDeviceCopy *copy);
uint32_t emulator_random(EmulatorDevice *device);

int emulator_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void emulator_queue_destroy(VmafDeviceQueue *queue);
int emulator_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                    const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
int emulator_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

#endif
