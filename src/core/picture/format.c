/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "picture/format.h"

#include <errno.h>
#include <string.h>

int picture_format_init(PictureFormat *format, enum VmafPixelFormat pix_fmt, unsigned bpc,
                        unsigned w, unsigned h)
{
    if (bpc < 8 || bpc > 16)
        return -EINVAL;

    unsigned chroma_w = w, chroma_h = h;
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV420P:
        chroma_w = w / 2;
        chroma_h = h / 2;
        break;
    case VMAF_PIX_FMT_YUV422P:
        chroma_w = w / 2;
        break;
    case VMAF_PIX_FMT_YUV444P:
        break;
    case VMAF_PIX_FMT_YUV400P:
        chroma_w = chroma_h = 0;
        break;
    default:
        return -EINVAL;
    }
    *format = (PictureFormat){
        .pix_fmt = pix_fmt,
        .bpc = bpc,
        .w = {w, chroma_w, chroma_w},
        .h = {h, chroma_h, chroma_h},
    };
    return 0;
}

PictureFormat picture_format_of(const VmafPicture *pic)
{
    PictureFormat format = {.pix_fmt = pic->pix_fmt, .bpc = pic->bpc};
    memcpy(format.w, pic->w, sizeof(format.w));
    memcpy(format.h, pic->h, sizeof(format.h));
    return format;
}

bool picture_format_equal(const PictureFormat *a, const PictureFormat *b)
{
    return a->pix_fmt == b->pix_fmt && a->bpc == b->bpc && !memcmp(a->w, b->w, sizeof(a->w)) &&
           !memcmp(a->h, b->h, sizeof(a->h));
}

unsigned picture_format_planes(enum VmafPixelFormat pix_fmt)
{
    return pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : 3;
}

const char *picture_format_name(enum VmafPixelFormat pix_fmt)
{
    switch (pix_fmt) {
    case VMAF_PIX_FMT_YUV420P:
        return "4:2:0";
    case VMAF_PIX_FMT_YUV422P:
        return "4:2:2";
    case VMAF_PIX_FMT_YUV444P:
        return "4:4:4";
    case VMAF_PIX_FMT_YUV400P:
        return "4:0:0";
    default:
        return "unknown";
    }
}
