/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "picture/picture_block.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/machine.h"
#include "support/memory.h"

PictureBlock *picture_block_create(size_t size)
{
    PictureBlock *block = calloc(1, sizeof(*block));
    if (!block)
        return NULL;
    block->size = size_round_up(size ? size : 1, vmaf_page_size());
    if (block->size && block->size <= PTRDIFF_MAX)
        block->address = vmaf_aligned_alloc(vmaf_page_size(), block->size);
    if (!block->address) {
        free(block);
        return NULL;
    }
    memset(block->address, 0, block->size);
    atomic_init(&block->n_devices, 0);
    return block;
}

void picture_block_destroy(PictureBlock *block)
{
    if (!block)
        return;
    if (atomic_load(&block->n_devices))
        block->forget(block);
    vmaf_aligned_free(block->address);
    free(block);
}

PictureBlock *picture_block_for(const PictureFormat *format, void *data[3], ptrdiff_t stride[3])
{
    size_t offset[3], size;
    if (!picture_planes_layout(format, offset, stride, &size))
        return NULL;
    PictureBlock *block = picture_block_create(size);
    for (unsigned p = 0; p < 3 && block; p++)
        data[p] = p < picture_format_planes(format->pix_fmt)
                      ? (unsigned char *)block->address + offset[p]
                      : NULL;
    return block;
}

static void release_block(void *cookie)
{
    picture_block_destroy(cookie);
}

int picture_alloc_in_block(VmafPicture *pic, const PictureFormat *format)
{
    void *data[3];
    ptrdiff_t stride[3];
    PictureBlock *block = picture_block_for(format, data, stride);
    if (!block)
        return -ENOMEM;
    int err = picture_wrap(pic, format, data, stride, release_block, block);
    if (err)
        picture_block_destroy(block);
    else
        picture_set_block(pic, block);
    return err;
}
