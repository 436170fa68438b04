/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_FFMPEG_OUTPUT_H
#define TUNE_ENCODE_FFMPEG_OUTPUT_H

/* What ffmpeg and its encoders report: on stderr, as progress, and of each frame. */

#include "tune/encode/encoder.h"

#include <stdbool.h>
#include <stddef.h>

/* What is on stderr, with "-loglevel level+info". Starts as {.encoder = ...}. */
typedef struct FfmpegLog {
    const Encoder *encoder; /* whose version is looked for; NULL: none */
    char line[1024];
    size_t used;
    char cause[320]; /* the first error, or that the disk is full; "" */
    bool disk_full;
    char complaint[320]; /* of settings that the encoder ignores; "" */
    char last[320];      /* the last line that is not empty */
    char version[128];
    const char *number; /* that is looked for; NULL: none */
    bool has_number;    /* a line has it, as a number of its own */
} FfmpegLog;

/* Text as it comes. */
void ffmpeg_log_add(FfmpegLog *log, const char *text, size_t size);
/* No more will come. The version is known or "unknown" from now on, or the name of hardware. */
void ffmpeg_log_end(FfmpegLog *log);

/* What ffmpeg prints with "-progress": key=value, "progress=continue" or "progress=end" as the last
 * of each report. Starts as {0}. */
typedef struct FfmpegProgress {
    size_t frames;
    bool ended;
    bool reports;  /* the text that was added last completes a report, */
    bool advances; /* and something has been done since the one before */
    char line[256];
    size_t used;
    unsigned long long most_frames, most_bytes;
} FfmpegProgress;

/* Text as it comes. */
void ffmpeg_progress_add(FfmpegProgress *progress, const char *text, size_t size);

/* What x264 and x265 tell of each frame in the file of their first pass. */

/* Standard deviations are those of the population, 0 for fewer than two frames; all is 0 without
 * frames. */
typedef struct EncoderStats {
    size_t frames;
    double qp_mean, qp_std;
    double bits_mean, bits_std;     /* of texture, motion and the rest */
    double mv_mean, mv_std;         /* of motion */
    double itex_mean;               /* bits of texture in intra frames, */
    double ptex_mean;               /* in others */
    double intra_ratio, skip_ratio; /* of blocks */
    double total_bits;
} EncoderStats;

/* Lines that are not about a frame are skipped, numbers that cannot be read are 0. 0; a negative
 * errno of reading the file. */
int encoder_stats_load(const char *path, EncoderStats *stats);

#endif
