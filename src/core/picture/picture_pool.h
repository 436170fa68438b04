/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_POOL_H
#define CORE_PICTURE_PICTURE_POOL_H

/*
 * Memory for pictures that is used again and again: whole pages, which can be registered with
 * devices once, so that they read them without a copy by the processor. The code that registers a
 * block notes it here.
 */

#include <stdatomic.h>
#include <stddef.h>

#include "picture/picture.h"

typedef struct PictureBlock {
    void *address;
    size_t size; /* whole pages */
    /* Set by the code that registers the block. Not 0: `forget` has to be called before the memory
     * is freed. */
    atomic_uint n_devices;
    struct RegisteredMemory *registered;
    struct Registry *registry; /* of the process that has registered it */
    void (*forget)(struct PictureBlock *block);
} PictureBlock;

/* Zeroed memory of at least `size` bytes. NULL if it runs out. */
PictureBlock *picture_block_create(size_t size);
/* No picture in it may be in use. NULL allowed. */
void picture_block_destroy(PictureBlock *block);

/* The same as picture_alloc, in a block of its own. */
int picture_alloc_in_block(VmafPicture *pic, const PictureFormat *format);
/* Notes that the planes of the picture are in the block, which outlives it. */
void picture_set_block(const VmafPicture *pic, PictureBlock *block);
/* NULL: the end of its memory is not known. */
PictureBlock *picture_block(const VmafPicture *pic);

/*
 * A fixed number of pictures that are reused. The pool may be closed while pictures are in use:
 * they stay valid, and the memory is freed with the last of them.
 */
typedef struct PicturePool PicturePool;

/* 0, -EINVAL, -ENOMEM. */
int picture_pool_create(PicturePool **pool, const PictureFormat *format, unsigned count);
/* Takes a picture; waits until one is free. Its samples are undefined. 0, -ENOMEM. */
int picture_pool_fetch(PicturePool *pool, VmafPicture *pic);
void picture_pool_close(PicturePool *pool); /* NULL allowed; no fetch may be waiting */

#endif
