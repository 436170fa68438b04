/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_METAL_INTERNAL_H
#define VMAF_METAL_INTERNAL_H

#include "metal_api.h"
#include "metal_layer.h"
#include "streams/stream_layer.h"

typedef struct MetalStream MetalStream;

typedef struct MetalDevice {
    VmafStreamDevice head;
    MetalObject device;
    MetalObject queue; /* the application's; NULL: each stream has a queue of its own */

    VmafMutex lock; /* guards the rest and what has been committed; taken before head.lock */
    MetalStream *streams;
    int failed; /* of the first command buffer that failed: nobody knows what others have read */
} MetalDevice;

/* The address of a VmafStreamBuffer is its MTLBuffer. */
static inline MetalObject metal_buffer_of(const VmafDeviceBuffer *buffer)
{
    return (MetalObject)(uintptr_t)vmaf_stream_address(buffer, 0);
}

typedef struct MetalKernel {
    VmafStreamKernel head;
    MetalObject pipeline;
} MetalKernel;

/* A picture of the application; no plane has a buffer. */
typedef struct MetalImage {
    VmafStreamImage head;
    MetalObject textures[3];
    uint32_t texel_size[3]; /* bytes */
} MetalImage;

/* -- metal_layer.c -- */

/* The words of an NSError, or of nothing; they last to the end of the pool. */
const char *metal_words(MetalObject error);

/* -- metal_device.c -- */

/* NULL: there is no memory. */
VmafStreamCandidates *metal_find_devices(void);
/* The device of a candidate, retained; NULL: it is gone. */
MetalObject metal_new_device(const VmafStreamCandidate *candidate);
void metal_describe_device(MetalObject device, VmafStreamCandidate *candidate);

/* -- metal_queue.c: see device.h -- */

int metal_command_list_begin(VmafDevice *device, VmafDeviceCommandList **list);
int metal_command_list_end(VmafDeviceCommandList *list);
void metal_command_list_destroy(VmafDeviceCommandList *list);
int metal_timestamps(VmafDeviceCommandList *list, uint64_t *times_ns, uint32_t count);
int metal_copy_times(VmafDeviceCommandList *list, uint64_t times_ns[2]);
int metal_queue_create(VmafDevice *device, VmafDeviceQueue **queue);
void metal_queue_destroy(VmafDeviceQueue *queue);
int metal_submit(VmafDeviceQueue *queue, VmafDeviceCommandList *list,
                 const VmafDeviceSubmit *params, VmafDeviceTicket *ticket);
int metal_wait(VmafDeviceQueue *queue, VmafDeviceTicket ticket, uint64_t timeout_ns);

/* -- metal_stream.c -- */

enum MetalEncoder { METAL_NO_ENCODER, METAL_COMPUTE, METAL_BLIT };

enum {
    METAL_MAX_SIGNALS = 8,    /* of a command buffer */
    METAL_MAX_COMMITTED = 64, /* command buffers of a stream that are not known to have ended */
    /* More than that: a queue that has this many blocks those who want another one. */
    METAL_QUEUE_SIZE = 2 * METAL_MAX_COMMITTED,
};

typedef struct MetalSignal {
    MetalObject event; /* retained */
    uint64_t value;
} MetalSignal;

/* A command buffer, retained, and the events that it signals. */
typedef struct MetalWork {
    MetalObject commands;
    MetalSignal signals[METAL_MAX_SIGNALS];
    uint32_t n_signals;
} MetalWork;

struct MetalStream {
    MetalStream *next; /* guarded by the device's lock */
    MetalObject queue;
    MetalObject event; /* shared; its value is that of the last record that has finished */
    uint64_t recorded; /* the value of the last record */

    MetalWork filling; /* not committed yet; commands NULL: nothing is */
    MetalObject encoder;
    enum MetalEncoder encoder_kind;
    bool has_work; /* there was an encoder in `filling` */

    /* Guarded by the device's lock: command buffers by their serial number, from 1. */
    MetalWork work[METAL_MAX_COMMITTED];
    uint64_t committed, ended;
};

int metal_stream_create(MetalDevice *device, void **stream);
void metal_stream_destroy(MetalDevice *device, MetalStream *stream);
/* Starts the work that was put on the stream. */
int metal_stream_flush(MetalDevice *device, MetalStream *stream);
/* Blocks until no work of the stream is running, or it never will. */
void metal_stream_settle(MetalDevice *device, MetalStream *stream);
/* There is a command buffer to fill, in which no encoder is open. */
int metal_fill(MetalDevice *device, MetalStream *stream);
/* There is an encoder of this kind. */
int metal_encode(MetalDevice *device, MetalStream *stream, enum MetalEncoder kind);
/* Closes the encoder. */
void metal_stop_encoding(MetalStream *stream);
/* Signals an event behind what was put there. */
int metal_signal(MetalDevice *device, MetalStream *stream, MetalObject event, uint64_t value);
/* Looks which command buffers have ended. 0, or what the first one failed with. The device's lock
 * is held. */
int metal_look(MetalDevice *device);

#endif
