/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: pictures and pools of pictures. */
#include "picture/picture.h"

#include <errno.h>
#include <stdint.h>

#include "api/export.h"
#include "engine/context.h"
#include "libvmaf/libvmaf_ext.h"
#include "picture/picture_block.h"

VMAF_API int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc,
                                unsigned w, unsigned h)
{
    if (!pic)
        return -EINVAL;
    return picture_alloc(pic, pix_fmt, bpc, w, h);
}

VMAF_API int vmaf_picture_unref(VmafPicture *pic)
{
    return picture_unref(pic);
}

VMAF_API int vmaf_picture_wrap(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc,
                               unsigned w, unsigned h, void *const data[3],
                               const ptrdiff_t stride[3], void (*release)(void *cookie),
                               void *cookie)
{
    PictureFormat format;
    if (!pic || !data || !stride || picture_format_init(&format, pix_fmt, bpc, w, h))
        return -EINVAL;
    return picture_wrap(pic, &format, data, stride, release, cookie);
}

/* VmafFrameMemory is the public name of a PictureBlock. */

VMAF_API int vmaf_frame_memory_alloc(VmafFrameMemory **memory, size_t size, void **address)
{
    if (!memory || !address || !size)
        return -EINVAL;
    PictureBlock *block = picture_block_create(size);
    *memory = (VmafFrameMemory *)block;
    *address = block ? block->address : NULL;
    return block ? 0 : -ENOMEM;
}

VMAF_API void vmaf_frame_memory_free(VmafFrameMemory *memory)
{
    picture_block_destroy((PictureBlock *)memory);
}

static bool is_inside(const PictureBlock *block, const void *address)
{
    const uintptr_t begin = (uintptr_t)block->address, at = (uintptr_t)address;
    return at >= begin && at - begin < block->size;
}

VMAF_API int vmaf_picture_in_frame_memory(const VmafPicture *pic, VmafFrameMemory *memory)
{
    PictureBlock *block = (PictureBlock *)memory;
    if (!pic || !pic->ref || !block)
        return -EINVAL;
    for (unsigned p = 0; p < 3; p++) {
        if (pic->data[p] && !is_inside(block, pic->data[p]))
            return -EINVAL;
    }
    picture_set_block(pic, block);
    return 0;
}

VMAF_API int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg)
{
    PictureFormat format;
    if (!vmaf || !cfg.pic_params.w || !cfg.pic_params.h || !cfg.pic_cnt ||
        picture_format_init(&format, cfg.pic_params.pix_fmt, cfg.pic_params.bpc, cfg.pic_params.w,
                            cfg.pic_params.h))
        return -EINVAL;
    if (vmaf->pool)
        return -EBUSY;
    return picture_pool_create(&vmaf->pool, &format, cfg.pic_cnt);
}

VMAF_API int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    if (!vmaf || !pic || !vmaf->pool)
        return -EINVAL;
    TRACE_CALL(vmaf->trace, "fetch a picture");
    return picture_pool_fetch(vmaf->pool, pic);
}
