/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_FFMPEG_LOG_H
#define TUNE_ENCODERS_FFMPEG_LOG_H

/* What ffmpeg and its encoders say on stderr, with "-loglevel level+info". */

#include "tune/encoders/encoder.h"

#include <stddef.h>

/* Starts as {.encoder = ...}. */
typedef struct FfmpegLog {
    const Encoder *encoder; /* whose version is looked for; NULL: none */
    char line[1024];
    size_t used;
    char cause[320]; /* the first error, or that the disk is full; "" */
    bool disk_full;
    char last[320]; /* the last line that is not empty */
    char version[128];
} FfmpegLog;

/* Text as it comes. */
void ffmpeg_log_add(FfmpegLog *log, const char *text, size_t size);
/* No more will come. The version is known or "unknown" from now on, or the name of hardware. */
void ffmpeg_log_end(FfmpegLog *log);

#endif
