/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_METAL_INTERNAL_H
#define VMAF_METAL_INTERNAL_H

#include "metal_layer.h"
#include "metal_objc.h"
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
static inline MetalObject metal_buffer_of(const VmafStreamBuffer *buffer)
{
    return (MetalObject)(uintptr_t)buffer->address;
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

/* The words of an NSError, or of nothing; they last to the end of the pool. */
const char *metal_words(MetalObject error);

/* metal_device.c: what stream_layer.h says of these */
int metal_start(char *reason, size_t reason_size);
uint32_t metal_device_count(void);
bool metal_describe(uint32_t index, VmafStreamCandidate *candidate);
/* The device of a candidate, retained; NULL: it is gone. */
MetalObject metal_new_device(const VmafStreamCandidate *candidate);
void metal_describe_device(MetalObject device, VmafStreamCandidate *candidate);

/* metal_memory.c */
int metal_memory_create(VmafStreamDevice *device, VmafStreamBuffer *buffer,
                        const VmafDeviceBufferParams *params);
void metal_memory_destroy(VmafStreamDevice *device, VmafStreamBuffer *buffer);
int metal_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                       const VmafBackendImport *picture);
void metal_image_release(VmafStreamDevice *device, VmafStreamImage *image);

/* metal_kernel.c */
int metal_kernel_load(VmafStreamDevice *device, VmafStreamKernel *kernel, const VmafKernel *source);
void metal_kernel_unload(VmafStreamDevice *device, VmafStreamKernel *kernel);

/* metal_stream.c, metal_event.c, metal_commands.c */
int metal_stream_create(VmafStreamDevice *device, void **stream);
void metal_stream_destroy(VmafStreamDevice *device, void *stream);
int metal_stream_flush(VmafStreamDevice *device, void *stream);
void metal_stream_settle(VmafStreamDevice *device, void *stream);
int metal_stream_wait(VmafStreamDevice *device, void *stream, void *event);

int metal_event_create(VmafStreamDevice *device, enum VmafStreamEventKind kind, void **event);
void metal_event_destroy(VmafStreamDevice *device, void *event);
int metal_event_record(VmafStreamDevice *device, void *event, void *stream);
int metal_event_query(VmafStreamDevice *device, void *event);
int metal_event_times(VmafStreamDevice *device, void *const *events, uint64_t *times_ns,
                      uint32_t count);
int metal_sync_wait(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync);
int metal_sync_signal(VmafStreamDevice *device, void *stream, const VmafBackendSync *sync,
                      void *copied);

int metal_copy_rows(VmafStreamDevice *device, void *stream, const VmafStreamRows *rows);
int metal_run(VmafStreamDevice *device, void *stream, const VmafStreamDispatch *dispatch);
int metal_barrier(VmafStreamDevice *device, void *stream);

/* -- streams -- */

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
