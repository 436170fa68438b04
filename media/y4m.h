/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_Y4M_H
#define MEDIA_Y4M_H

/* Video files without a container: YUV4MPEG2, and frames without any header. */

#include "common/messages.h"
#include "media/input.h"
#include "media/video_format.h"

#include <stdbool.h>

/*
 * YUV4MPEG2 is a text line that describes the stream, then frames, each a text line and the planes.
 */
enum { Y4M_SHORT_HEADER = 128 };

/* What a stream header says besides the format. */
typedef struct Y4mTold {
    bool interlacing_unknown; /* it does not say that it is progressive */
    bool is_full_range;
} Y4mTold;

/*
 * Reads the stream header. 0; -EINVAL with the reason; -ENOTSUP or -EPROTONOSUPPORT if it is no Y4M
 * at all, with what it seems to be (see foreign_file.h); another negative errno if reading failed.
 */
int y4m_read_header(Input *input, VideoFormat *format, Y4mTold *told, Message *why);

/* A stream header that says the same, line feed included. */
void y4m_print_header(char line[Y4M_SHORT_HEADER], const VideoFormat *format, bool is_full_range);

/* Reads a frame header. 1 if a frame follows, 0 at the end of the stream; negative errno. */
int y4m_begin_frame(Input *input, Message *why);

/* Raw planar video has no headers: a frame begins wherever a byte is left. As y4m_begin_frame. */
int raw_yuv_begin_frame(Input *input, Message *why);

#endif
