/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_FFMPEG_PROGRESS_H
#define TUNE_ENCODERS_FFMPEG_PROGRESS_H

/* What ffmpeg prints with "-progress": key=value, "progress=continue" or "progress=end" as the last
 * of each report. */

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. */
typedef struct FfmpegProgress {
    size_t frames;
    double fps;
    bool ended;
    char line[256];
    size_t used;
    unsigned long long most_frames, most_bytes; /* what goes to and fro is no progress */
} FfmpegProgress;

typedef struct ProgressNews {
    bool reported; /* a report is complete */
    bool advanced; /* something has been done since the last one */
} ProgressNews;

/* Text as it comes. */
ProgressNews ffmpeg_progress_add(FfmpegProgress *progress, const char *text, size_t size);

#endif
