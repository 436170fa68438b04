/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_LAYOUT_H
#define MEDIA_FFMPEG_LAYOUT_H

/* What becomes of FFmpeg's pixel formats, of which there are hundreds. */

#include "media/video_format.h"

#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>

typedef struct Layout {
    enum VmafPixelFormat pixel_format; /* the nearest planar one */
    unsigned bit_depth;
    bool is_planar;    /* it is that format already, as this machine stores it */
    bool is_exact;     /* it has the same samples, somehow packed */
    bool is_rgb;       /* colours have to be computed */
    bool is_full;      /* the format itself says that it has the full range */
    const char *other; /* "4:1:1" if chroma has to be resampled, else "" */
} Layout;

/* 0; -ENOTSUP if it is no format of pictures in memory. */
int layout_describe(enum AVPixelFormat format, Layout *layout);

/* FFmpeg's planar format; AV_PIX_FMT_NONE: it has none of that depth. */
enum AVPixelFormat layout_planar(enum VmafPixelFormat pixel_format, unsigned bit_depth);

/* The same without saying the range: yuvj420p is yuv420p. */
enum AVPixelFormat layout_without_range(enum AVPixelFormat format);

/*
 * Takes the components of an exact layout apart, samples times 2^shift, into planar `to`, which is
 * allocated. Planes without their bit in `planes` are left alone.
 */
void layout_gather(AVFrame *to, const AVFrame *from, unsigned shift, unsigned planes);

#endif
