/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Exported functions: pictures and pools of pictures. */
#include "picture/picture.h"

#include <errno.h>

#include "api/export.h"
#include "engine/context.h"
#include "libvmaf/libvmaf_ext.h"

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
