/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/session/feature_limits.h"

#include <errno.h>

uint32_t backend_pixel_format(enum VmafPixelFormat pix_fmt)
{
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV422P:
        return VMAF_BACKEND_PIXEL_422;
    case VMAF_PIX_FMT_YUV444P:
        return VMAF_BACKEND_PIXEL_444;
    case VMAF_PIX_FMT_YUV400P:
        return VMAF_BACKEND_PIXEL_400;
    default:
        return VMAF_BACKEND_PIXEL_420;
    }
}

int feature_limits_check(const VmafBackendFeature *spec, const PictureFormat *format, Reason *why)
{
    const unsigned w = format->w[0], h = format->h[0];
    if (!(spec->pixel_formats >> backend_pixel_format(format->pix_fmt) & 1))
        return refuse(why, -ENOTSUP, "it does not take %s pictures",
                      picture_format_name(format->pix_fmt));
    if (format->bpc < spec->depth_min || format->bpc > spec->depth_max)
        return refuse(why, -ENOTSUP, "it takes %u to %u bits per sample, not %u", spec->depth_min,
                      spec->depth_max, format->bpc);
    if (w < spec->width_min || h < spec->height_min)
        return refuse(why, -ENOTSUP, "it takes pictures of at least %ux%u, not %ux%u",
                      spec->width_min, spec->height_min, w, h);
    if ((spec->width_max && w > spec->width_max) || (spec->height_max && h > spec->height_max))
        return refuse(why, -ENOTSUP, "it takes pictures of at most %ux%u, not %ux%u",
                      spec->width_max, spec->height_max, w, h);
    return 0;
}
