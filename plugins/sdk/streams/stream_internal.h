/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STREAM_INTERNAL_H
#define VMAF_SDK_STREAM_INTERNAL_H

#include "stream_layer.h"

/* Call `enter` and `leave` of the API, where it has them: the API is used between the two. */
int vmaf_stream_enter(VmafStreamDevice *device);
void vmaf_stream_leave(VmafStreamDevice *device);

/* stream_kernel.c; called between enter and leave */
void vmaf_stream_unload_kernels(VmafStreamDevice *device);

/* stream_command_list.c */
VmafStreamRows vmaf_stream_rows_of(const VmafDeviceCopy *copy);
int vmaf_stream_run(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream);

/* -- queues -- */

enum {
    STREAM_TRACK_COPIES = VMAF_DEVICE_LANES, /* the stream for copies, after those for lists */
    STREAM_TRACKS,
    /*
     * STREAM_WINDOW is the number of submissions of a queue that may be unfinished, STREAM_PLACES
     * the number of places for them. A place is used again STREAM_PLACES submissions later. By then
     * its own submission has finished, and so have all that waited for its copies: these came less
     * than STREAM_WINDOW after it, or found it finished.
     */
    STREAM_WINDOW = 32,
    STREAM_PLACES = 2 * STREAM_WINDOW,
};

/* Time limit of a submission that waits for a place, in case the device hangs. */
#define STREAM_WINDOW_LIMIT_NS UINT64_C(30000000000)

/* A submission that is unfinished, or was when it was last queried. */
typedef struct VmafStreamPlace {
    void *copied;   /* event after its copies */
    void *finished; /* event after everything */
    VmafDeviceTicket ticket;
} VmafStreamPlace;

/* A ticket is a serial number times STREAM_TRACKS, plus the number of the track. */
typedef struct VmafStreamQueue {
    VmafDeviceQueue head;
    void *streams[STREAM_TRACKS];
    VmafStreamPlace places[STREAM_PLACES]; /* by serial number */

    VmafMutex submit_lock;        /* guards the next two; a full stream may block with it held */
    uint64_t copied;              /* serial number of the last submission with copies; 0: none */
    uint64_t seen[STREAM_TRACKS]; /* by track: the last submission whose copies it waited for */

    VmafMutex lock; /* taken before the device's lock; never held for long */
    uint64_t serial;
    VmafDeviceTicket finished[STREAM_TRACKS]; /* by track: tickets up to this one have finished */
    VmafDeviceTicket hung_from; /* ticket of the submission that a test made hang; 0: none */
} VmafStreamQueue;

static inline VmafStreamDevice *vmaf_stream_device_of(const VmafStreamQueue *queue)
{
    return (VmafStreamDevice *)queue->head.device;
}

static inline VmafStreamPlace *vmaf_stream_place(VmafStreamQueue *queue, uint64_t serial)
{
    return &queue->places[serial % STREAM_PLACES];
}

/* True if the submission is known to have finished. */
bool vmaf_stream_is_finished(VmafStreamQueue *queue, VmafDeviceTicket ticket);

#endif
