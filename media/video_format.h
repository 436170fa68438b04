/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_VIDEO_FORMAT_H
#define MEDIA_VIDEO_FORMAT_H

#include "common/messages.h"

#include "libvmaf/picture.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    VIDEO_MAX_SIDE = 32768,    /* larger sizes are taken for damaged headers */
    VIDEO_MAX_FILE_PLANES = 4, /* Y, Cb, Cr, alpha */
};

/* What the frames of a file look like. */
typedef struct VideoFormat {
    enum VmafPixelFormat pixel_format;
    unsigned width, height; /* of the luma plane */
    unsigned bit_depth;
    bool has_alpha;              /* a fourth plane follows, which is never used */
    unsigned rate_num, rate_den; /* frames a second; 0/0: unknown */
} VideoFormat;

/* One plane as a file stores it: rows without gaps, chroma sizes rounded up. */
typedef struct FilePlane {
    size_t row_bytes;
    size_t rows;
    size_t bytes;
} FilePlane;

/* Planes of one frame, in file order. */
typedef struct FileLayout {
    unsigned n_planes;
    FilePlane plane[VIDEO_MAX_FILE_PLANES];
    size_t frame_bytes;
} FileLayout;

/* Layout of frames. -EINVAL with a reason for a size that no video has. */
int video_format_layout(const VideoFormat *format, FileLayout *layout, Message *why);

/* "4:2:0" and so on. */
const char *video_format_name(enum VmafPixelFormat format);

/*
 * Can the two be compared? Prints a line per problem to stderr and returns the number of problems.
 */
unsigned video_format_compare(const VideoFormat *reference, const VideoFormat *distorted,
                              bool mixed_depths);

#endif
