/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/video_format.h"

#include "common/messages.h"

#include <errno.h>
#include <stdio.h>

static size_t half_rounded_up(size_t n)
{
    return n / 2 + n % 2;
}

int video_format_layout(const VideoFormat *format, FileLayout *layout, Message *why)
{
    if (!format->width || !format->height || format->width > VIDEO_MAX_SIDE ||
        format->height > VIDEO_MAX_SIDE) {
        return message_set(why, -EINVAL, "frame size %ux%u is not between 1x1 and %dx%d",
                           format->width, format->height, VIDEO_MAX_SIDE, VIDEO_MAX_SIDE);
    }
    if (format->bit_depth < 8 || format->bit_depth > 16)
        return message_set(why, -EINVAL, "unsupported bitdepth: %u", format->bit_depth);

    size_t sample_bytes = format->bit_depth > 8 ? 2 : 1;
    size_t chroma_width = format->width, chroma_height = format->height;
    if (format->pixel_format != VMAF_PIX_FMT_YUV444P)
        chroma_width = half_rounded_up(chroma_width);
    if (format->pixel_format == VMAF_PIX_FMT_YUV420P)
        chroma_height = half_rounded_up(chroma_height);

    *layout = (FileLayout){.n_planes = format->pixel_format == VMAF_PIX_FMT_YUV400P ? 1 : 3};
    layout->n_planes += format->has_alpha;
    for (unsigned p = 0; p < layout->n_planes; p++) {
        FilePlane *plane = &layout->plane[p];
        bool chroma = p == 1 || p == 2;
        plane->row_bytes = (chroma ? chroma_width : format->width) * sample_bytes;
        plane->rows = chroma ? chroma_height : format->height;
        /* At most 2^16 * 2^15 bytes a plane: only a 32-bit machine can get too much. */
        if (__builtin_mul_overflow(plane->row_bytes, plane->rows, &plane->bytes) ||
            __builtin_add_overflow(layout->frame_bytes, plane->bytes, &layout->frame_bytes)) {
            return message_set(why, -EINVAL, "frame size %ux%u does not fit into memory",
                               format->width, format->height);
        }
    }
    return 0;
}

const char *video_format_name(enum VmafPixelFormat format)
{
    switch (format) {
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

unsigned video_format_compare(const VideoFormat *reference, const VideoFormat *distorted,
                              bool mixed_depths)
{
    unsigned problems = 0;
    if (reference->width != distorted->width || reference->height != distorted->height) {
        print_error("dimensions do not match: %ux%u, %ux%u", reference->width, reference->height,
                    distorted->width, distorted->height);
        problems++;
    }
    if (reference->pixel_format != distorted->pixel_format) {
        print_error("pixel formats do not match: %s, %s",
                    video_format_name(reference->pixel_format),
                    video_format_name(distorted->pixel_format));
        problems++;
    }
    if (reference->bit_depth != distorted->bit_depth && !mixed_depths) {
        print_error("bitdepths do not match: %u, %u", reference->bit_depth, distorted->bit_depth);
        problems++;
    }
    return problems;
}
