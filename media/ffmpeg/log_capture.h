/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_LOG_CAPTURE_H
#define MEDIA_FFMPEG_LOG_CAPTURE_H

/*
 * What FFmpeg says of a file and its decoder. Many decoders conceal damage, and tell it nowhere
 * else. The members `opaque` of AVFormatContext and AVCodecContext point to the capture.
 */

#include "common/messages.h"
#include "platform/thread.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct LogCapture {
    VmafMutex lock;
    bool has_error;
    char first[256]; /* the first error since it was taken */
} LogCapture;

void log_capture_init(LogCapture *log);
void log_capture_destroy(LogCapture *log);
/* From now on nothing goes to stderr. */
void log_capture_start(void);
/* Was there an error since the last call? Then `text` receives the first. */
bool log_capture_take(LogCapture *log, char *text, size_t size);

#endif
