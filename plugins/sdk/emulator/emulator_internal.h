/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_EMULATOR_EMULATOR_INTERNAL_H
#define VMAF_SDK_EMULATOR_EMULATOR_INTERNAL_H

#include "emulator.h"
#include "emulator_kernel.h"
#include "platform/thread.h"

enum { EMULATOR_ERROR_SIZE = 256, EMULATOR_MAX_PENDING = 64 };

typedef struct EmulatorCommandList EmulatorCommandList;

/* A write that the application has queued in the default stream. */
typedef struct EmulatorStreamWrite {
    struct EmulatorStreamWrite *next;
    struct EmulatorQueue *gate_queue;
    VmafDeviceTicket gate;
    void *to;
    size_t size;
    unsigned char bytes[];
} EmulatorStreamWrite;

typedef struct EmulatorDevice {
    VmafDevice head;
    EmulatorOptions options;
    VmafDeviceFaults faults;
    VmafDeviceKernel *kernels; /* by index in head.kernels */
    uint16_t order[VMAF_KERNEL_MAX_LANES];
    VmafMutex lock; /* guards everything below */
    uint64_t buffers_created;
    uint64_t submissions;
    uint32_t random;
    EmulatorStreamWrite *first_write; /* first write of the default stream */
    uint64_t stream_queued, stream_run;
    /* Later writes of the stream wait for the copies of submission `gate` of this queue; 0: none.
     */
    struct EmulatorQueue *gate_queue;
    VmafDeviceTicket gate;
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

typedef struct EmulatorImage {
    VmafDeviceImage head;
    const EmulatorTexture *textures[3]; /* of planes without a buffer */
} EmulatorImage;

typedef struct EmulatorSubmission {
    VmafDeviceTicket ticket;
    uint64_t number; /* number among the device's submissions */
    uint32_t stream; /* stream of the queue */
    uint32_t n_copies, n_waits, n_signals;
    VmafDeviceCopy copies[VMAF_DEVICE_MAX_COPIES];
    VmafBackendSync waits[VMAF_DEVICE_MAX_SYNCS], signals[VMAF_DEVICE_MAX_SYNCS];
    uint64_t stream_mark; /* it waits for the writes of the default stream up to this one */
    uint64_t sources;     /* checksum of all bytes that the copies read, once they may be read */
    bool sources_are_known;
    EmulatorCommandList *list;     /* may be NULL */
    size_t next;                   /* next command of the list to run */
    bool copied, finished;         /* the device has made the copies, has finished the list */
    bool copies_known, list_known; /* the host has waited for the copies, for the list */
} EmulatorSubmission;

/* A queue, guarded by the device's lock. */
typedef struct EmulatorQueue {
    VmafDeviceQueue head;
    VmafDeviceTicket submissions;
    EmulatorSubmission pending[EMULATOR_MAX_PENDING]; /* a ring, in the order of submission */
    uint32_t first, count;
} EmulatorQueue;

/* Stores the text of a failure and returns `status`. The device's lock is held. */
int emulator_fail(EmulatorDevice *device, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns 0, or -EINVAL and a message if two commands without a barrier between them touch the same
 * bytes. */
int emulator_check_hazards(EmulatorDevice *device, const EmulatorCommand *commands,
                           size_t n_commands);

/* The same if the submission touches memory that an earlier one uses for which nobody has waited.
 */
int emulator_check_races(EmulatorDevice *device, EmulatorQueue *queue,
                         const EmulatorSubmission *added);

int emulator_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int emulator_cmd_copy(VmafDeviceCommandList *list, const VmafDeviceCopy *copy);
int emulator_cmd_dispatch(VmafDeviceCommandList *list, const VmafDeviceDispatch *dispatch);
int emulator_cmd_barrier(VmafDeviceCommandList *list);
int emulator_cmd_timestamp(VmafDeviceCommandList *list, uint32_t index);
int emulator_command_list_end(VmafDeviceCommandList *list);
void emulator_command_list_destroy(VmafDeviceCommandList *list);
int emulator_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);

int emulator_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);

/* Running; the device's lock is held. A step consists of commands that may run in any order, and
 * the barrier or timestamp after them; *next is advanced. */
int emulator_run_step(EmulatorDevice *device, EmulatorCommandList *list, size_t *next);
void emulator_run_copy(const VmafDeviceCopy *copy);
uint32_t emulator_random(EmulatorDevice *device);

/* Address that a copy reads from, and the bytes from row to row. */
const unsigned char *emulator_copy_source(const VmafDeviceCopy *copy, uint64_t *stride);

/* Waiting and signalling. Before copies run, waits are checked and checksums of sources taken. */

EmulatorSubmission *emulator_submission_at(EmulatorQueue *queue, uint32_t i);
/* Runs the copies up to those of this submission. */
int emulator_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void emulator_queue_destroy(VmafDeviceQueue *queue);
int emulator_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                    const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
int emulator_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

#endif
