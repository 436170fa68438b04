/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STREAM_INTERNAL_H
#define VMAF_SDK_STREAM_INTERNAL_H

#include "stream_layer.h"

/* The API on this thread, from `enter` to `leave`. */
int vmaf_stream_enter(VmafStreamDevice *device);
void vmaf_stream_leave(VmafStreamDevice *device);

/* stream_kernel.c; between enter and leave */
void vmaf_stream_unload_kernels(VmafStreamDevice *device);

/* stream_command_list.c */
VmafStreamRows vmaf_stream_rows_of(const VmafDeviceCopy *copy);
int vmaf_stream_run(VmafStreamDevice *device, VmafStreamCommandList *list, void *stream);

/* -- queues -- */

enum {
    STREAM_TRACK_COPIES = VMAF_DEVICE_LANES, /* after those of the lanes */
    STREAM_TRACKS,
    /*
     * Submissions of a queue that may be unfinished, and places for them. A place is used again
     * STREAM_PLACES submissions later. By then its own submission has finished, and so have all
     * that waited for its copies: these came less than STREAM_WINDOW after it, or found it
     * finished.
     */
    STREAM_WINDOW = 32,
    STREAM_PLACES = 2 * STREAM_WINDOW,
};

/* How long a submission waits for a place: whoever waits for a device that hangs finds that out. */
#define STREAM_WINDOW_LIMIT_NS UINT64_C(30000000000)

/* A submission that is unfinished, or was the last time somebody asked. */
typedef struct VmafStreamPlace {
    void *copied;   /* event: its copies are done */
    void *finished; /* event: all of it is done */
    VmafDeviceTicket ticket;
} VmafStreamPlace;

/* A ticket is a serial number times STREAM_TRACKS, plus the number of the track. */
typedef struct VmafStreamQueue {
    VmafDeviceQueue head;
    void *streams[STREAM_TRACKS];
    VmafStreamPlace places[STREAM_PLACES]; /* by serial number */

    VmafMutex submit_lock;        /* guards the next two; a full stream may block with it held */
    uint64_t copied;              /* serial number of the last submission with copies; 0: none */
    uint64_t seen[STREAM_TRACKS]; /* the last one for whose copies the track waited */

    VmafMutex lock; /* taken before the device's; never held for long */
    uint64_t serial;
    VmafDeviceTicket finished[STREAM_TRACKS]; /* tickets of the track up to this one */
    VmafDeviceTicket hung_from;               /* of the submission that was made to hang; 0: none */
} VmafStreamQueue;

static inline VmafStreamDevice *vmaf_stream_device_of(const VmafStreamQueue *queue)
{
    return (VmafStreamDevice *)queue->head.device;
}

static inline VmafStreamPlace *vmaf_stream_place(VmafStreamQueue *queue, uint64_t serial)
{
    return &queue->places[serial % STREAM_PLACES];
}

/* Whether the submission has finished, as far as is known. */
bool vmaf_stream_is_finished(VmafStreamQueue *queue, VmafDeviceTicket ticket);

#endif
