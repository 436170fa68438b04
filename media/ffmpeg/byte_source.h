/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_BYTE_SOURCE_H
#define MEDIA_FFMPEG_BYTE_SOURCE_H

/* Bytes that the program reads, as input of FFmpeg. */

#include "media/module_interface.h"

#include <libavformat/avio.h>

/* From their beginning; the source has to outlive it. NULL: no memory. */
AVIOContext *byte_source_open(const MediaSource *source);
/* NULL is allowed. */
void byte_source_close(AVIOContext *context);

#endif
