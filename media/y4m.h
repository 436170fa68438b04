/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_Y4M_H
#define MEDIA_Y4M_H

#include "media/input.h"
#include "media/video_format.h"
#include "text/message.h"

#include <stdbool.h>

/*
 * YUV4MPEG2: a text line that describes the stream, then frames, each a text line and the planes.
 */

/*
 * Reads the stream header. *interlacing_unknown: the header does not say that it is progressive.
 * 0; -EINVAL with the reason; -ENOTSUP or -EPROTONOSUPPORT if it is no Y4M at all, with what it
 * seems to be (see foreign_file.h); another
 * negative errno if reading failed.
 */
int y4m_read_header(Input *input, VideoFormat *format, bool *interlacing_unknown, Message *why);

/* Reads a frame header. 1 if a frame follows, 0 at the end of the stream; negative errno. */
int y4m_begin_frame(Input *input, Message *why);

#endif
