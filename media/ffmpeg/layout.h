/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_LAYOUT_H
#define MEDIA_FFMPEG_LAYOUT_H

/* What becomes of FFmpeg's pixel formats, of which there are hundreds, and of frames that players
 * are to turn. */

#include "media/video_format.h"

#include <libavutil/frame.h>
#include <libavutil/pixdesc.h>
#include <stdbool.h>
#include <stdint.h>

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

/* The rotation and mirroring that a file asks players for. */

/* Rows become columns; then columns, then rows change their order. */
typedef struct Orientation {
    bool transpose, flip_columns, flip_rows;
    bool is_oblique; /* no multiple of 90 degrees, which is not done */
} Orientation;

/* The orientation for a display matrix as files store it; NULL: none. */
Orientation orientation_of(const int32_t *matrix);
bool orientation_is_plain(Orientation orientation);
/* Clockwise: 0, 90, 180, 270, for people. */
int orientation_degrees(Orientation orientation);

/* Turns planes of 8 or 16-bit samples. `to` is allocated, in its size. */
void orientation_apply(AVFrame *to, const AVFrame *from, Orientation orientation, unsigned planes);

#endif
