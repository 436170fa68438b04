/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_PICTURE_PICTURE_BLOCK_H
#define CORE_PICTURE_PICTURE_BLOCK_H

/*
 * Memory for pictures that is used again and again: whole pages, which devices can be told of once,
 * so that they read them without a copy by the processor. Who tells a device notes it here.
 */

#include <stdatomic.h>
#include <stddef.h>

#include "picture/picture.h"

typedef struct PictureBlock {
    void *address;
    size_t size; /* whole pages */
    /* Of whoever tells devices. Not 0: `forget` has to be called before the memory is freed. */
    atomic_uint n_devices;
    struct RegisteredMemory *registered;
    struct Registry *registry; /* of the process that has told them */
    void (*forget)(struct PictureBlock *block);
} PictureBlock;

/* Zeroed memory of at least `size` bytes. NULL if it runs out. */
PictureBlock *picture_block_create(size_t size);
/* No picture in it may be in use. NULL allowed. */
void picture_block_destroy(PictureBlock *block);
/* One with room for all planes, laid out as picture_alloc does. NULL if memory runs out. */
PictureBlock *picture_block_for(const PictureFormat *format, void *data[3], ptrdiff_t stride[3]);

/* As picture_alloc, in a block of its own. */
int picture_alloc_in_block(VmafPicture *pic, const PictureFormat *format);
/* Says that the planes of the picture are in the block, which outlives it. */
void picture_set_block(const VmafPicture *pic, PictureBlock *block);
/* NULL: nobody has said where its memory ends. */
PictureBlock *picture_block(const VmafPicture *pic);

#endif
