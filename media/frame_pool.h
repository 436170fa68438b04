/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FRAME_POOL_H
#define MEDIA_FRAME_POOL_H

#include "media/alignment/signature.h"
#include "platform/file.h"

#include "libvmaf/libvmaf_ext.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Reusable places for frames: memory, or windows on a file. Memory is allocated when it is first
 * needed, so a run that needs three frames allocates three.
 */
typedef struct FramePool FramePool;

typedef struct FrameBuffer {
    VmafFileWindow window; /* closed when the buffer is given back */
    void *planes[3];     /* of the frame that is in the buffer; NULL for those that nobody wants */
    ptrdiff_t stride[3]; /* bytes */
    VmafFrameMemory *frame_memory; /* NULL: it has none yet */
    void *held; /* a frame of a decoder that the planes belong to, instead of memory; NULL: none */
    void (*let_go)(void *held); /* when the buffer is given back */
    bool is_on_device;          /* the planes are addresses there */
    Signature signature;        /* of such a frame, if it is wanted */
    double time;                /* of the frame, see video_reader_time */

    /* Private to the pool. */
    FramePool *pool;
    struct FrameBuffer *next_free;
    void *memory;
} FrameBuffer;

/* Their memory has buffer_bytes. 0; negative errno. */
int frame_pool_create(FramePool **pool, size_t buffer_bytes, unsigned max_buffers);

/* Raises max_buffers, for buffers that will never be given back. */
void frame_pool_allow_more(FramePool *pool, unsigned buffers);

/* Buffers that have not been given back must not be given back afterwards. NULL is allowed. */
void frame_pool_destroy(FramePool *pool);

/*
 * Takes a buffer, waiting for one if all max_buffers are in use. 0; -ENOMEM; -ECANCELED after
 * frame_pool_stop.
 */
int frame_pool_take(FramePool *pool, FrameBuffer **buffer);

/* Ends waiting, for good. From any thread. */
void frame_pool_stop(FramePool *pool);

/* The buffer's memory. NULL if there is none left. */
void *frame_buffer_memory(FrameBuffer *buffer);

/* Gives a FrameBuffer back. From any thread; takes a plain pointer to serve as a callback. */
void frame_buffer_release(void *buffer);

#endif
