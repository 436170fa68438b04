/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_FRAME_POOL_H
#define CLI_FRAME_POOL_H

#include <stddef.h>

/*
 * Memory for frames, reused. Buffers come into being when they are first needed, so a run that
 * gets by with three frames has memory for three.
 */
typedef struct FramePool FramePool;
typedef struct FrameBuffer FrameBuffer;

/* Buffers start on page boundaries. 0; negative errno. */
int frame_pool_create(FramePool **pool, size_t buffer_bytes, unsigned max_buffers);

/* Raises max_buffers, for buffers that will never be given back. */
void frame_pool_allow_more(FramePool *pool, unsigned buffers);

/* Buffers that were not given back by now must never be. NULL is allowed. */
void frame_pool_destroy(FramePool *pool);

/* The alignment of buffers. */
size_t frame_pool_page_size(void);

/*
 * Takes a buffer, waiting for one if all max_buffers are in use. 0; -ENOMEM; -ECANCELED after
 * frame_pool_stop.
 */
int frame_pool_take(FramePool *pool, FrameBuffer **buffer);

/* Ends waiting, for good. From any thread. */
void frame_pool_stop(FramePool *pool);

void *frame_buffer_memory(const FrameBuffer *buffer);

/* Gives a FrameBuffer back. From any thread; takes a plain pointer to serve as a callback. */
void frame_buffer_release(void *buffer);

#endif
