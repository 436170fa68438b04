/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SOURCE_H
#define TUNE_MEASURE_SOURCE_H

/* The video that is to be encoded, which is also the reference of all scores. */

#include "media/video_reader.h"
#include "tune/encode/encode_request.h"
#include "tune/measure/shots.h"

#include <stdbool.h>
#include <stddef.h>

/* Seconds from the first frame to another one; to the end, if there is no such frame. */
double source_times_at(const SourceTimes *times, size_t frame);

/* What the user specifies of it. */
typedef struct SourceOptions {
    const char *path;
    int width, height;        /* 0: not given */
    const char *pixel_format; /* FFmpeg's name; NULL: not given */
    const char
        *frame_rate;      /* "24000/1001", "25" or "23.976", against the file's; NULL: not given */
    double duration;      /* seconds; 0: not given */
    double start, length; /* seconds of the part that counts, from the first frame on; 0: all */
    int stream;           /* which of its video streams, from 0; -1: as ffmpeg chooses */
    unsigned first_picture;  /* the number where a sequence of pictures begins; 0: the lowest */
    bool ignores_errors;     /* damaged frames are what the decoder makes of them */
    bool force_raw;          /* frames without a header, whatever the file's name or content */
    const char *raw_options; /* that describe such a file, for people; NULL: those of vmaf */
    const char *copy;        /* a file to be made if ffmpeg cannot read this one; NULL: none is */
    bool no_hash;            /* the file's content is not looked at: nothing is cached */
    const char *filter, *reference_filter; /* see video_filters_open */
    const char *audio, *subs;              /* see OtherStreams */
    const char *const *input_options;      /* see TuneSource */
    size_t n_input_options;
} SourceOptions;

/* Bytes that are stored of the time that these frames take; NAN: unknown. */
double source_bytes(const TuneSource *source, size_t first, size_t frames);

/*
 * Looks at the file. 0; negative errno and why: a file that cannot be read, flags that contradict
 * it, no frames, an unknown rate. Free with source_close in either case.
 */
int source_open(TuneSource *source, const SourceOptions *options, Message *why);
void source_close(TuneSource *source);

/* Identifies the video in its file: its number among the video streams, and the number of the first
 * picture; -1 where nothing else could be meant. */
int64_t source_stream_choice(const TuneSource *source);
int64_t source_picture_choice(const TuneSource *source);

/* Opens the source for reading from its first frame on. 0; negative errno and why; close the
 * reader in either case. `decoders`: threads. */
int source_read(const TuneSource *source, VideoReader *reader, unsigned decoders, Message *why);

/* Says that a reader has failed with that error, which is returned, and why if it knows that. */
int video_failed(const VideoReader *reader, const char *path, int err, Message *why);

/* "yuv420p10le" and the like. False if it is none that can be scored. */
bool pixel_format_parse(const char *name, VideoFormat *format);
/* "" if FFmpeg has no such format. */
void pixel_format_name(const VideoFormat *format, char name[PIXEL_FORMAT_SIZE]);

/* "24000/1001", "25", "23.976": the usual fractions are recognised. False if it is none. */
bool frame_rate_parse(const char *text, FrameRate *rate);

#endif
