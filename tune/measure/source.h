/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SOURCE_H
#define TUNE_MEASURE_SOURCE_H

/* The video that is to be encoded, which is also the reference of all scores. */

#include "common/hash.h"
#include "media/video_reader.h"
#include "tune/encode/encode_request.h"
#include "tune/measure/shots.h"

#include <stdbool.h>
#include <stddef.h>

/* The times at which a container shows its frames, and the rate that they follow, whatever its
 * header states. */
typedef struct SourceTimes {
    int64_t *ticks; /* ascending, each once; NULL: not known */
    size_t n;
    int num, den;        /* a tick is num / den seconds */
    bool has_false_keys; /* see MediaPackets */
} SourceTimes;

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
    const char *const *input_options;      /* see EncodeSource */
    size_t n_input_options;
} SourceOptions;

enum { PIXEL_FORMAT_SIZE = 32 };

/*
 * The one view of a video that encodes and the reference of their scores have: its stream, its
 * orientation, its filters, and with them its frames. Format, rate, times, number of frames,
 * colours are what the filters make. Texts are never NULL. Not changed once it is open, so any
 * thread may read it.
 */
typedef struct TuneSource {
    char *path;
    char *encoded_path; /* what ffmpeg reads: the same, or a copy, which goes with the source */
    bool is_raw;
    const char *raw_options;              /* as in SourceOptions */
    int stream;                           /* of its video streams */
    unsigned index;                       /* of that among all streams, as ffmpeg counts */
    bool is_sequence;                     /* pictures with numbers in their names */
    unsigned first_picture;               /* of these; 0: any that FFmpeg finds */
    bool ignores_errors;                  /* damaged frames are what one thread decodes */
    VideoFormat format;                   /* of frames that are not converted */
    char pixel_format[PIXEL_FORMAT_SIZE]; /* FFmpeg's name */
    FrameRate rate;                       /* the average of those that vary */
    bool is_variable;                     /* frames keep their times, since they follow no rate */
    SourceTimes times;                    /* of a container; those of --framerate are its own */
    size_t frames;                        /* of the part */
    SampleWindow part;   /* that counts, of the frames of the file; none: all of them */
    double part_begin;   /* seconds from the start of a container to its first frame */
    double part_seconds; /* until the frame behind it */
    bool is_irregular;   /* frames are not found by their times, which are not those of the rate, or
                          * seeking is not exact */
    double seconds;      /* frames / rate */
    double first_frame_time;       /* seconds from the start of a container to the first frame */
    char sha256[SHA256_TEXT_SIZE]; /* of the file, or of what a list of files makes; "" if nobody
                                    * looked */
    char transfer[32], primaries[32], matrix[32],
        range[32]; /* "unknown" if the file does not have it */
    MediaLight light;
    OtherStreams others; /* beside the video */
    bool is_interlaced;
    bool has_plain_base; /* without Dolby Vision it looks as it should */
    int dolby_vision;    /* its profile; 0: none */
    VideoFilters filters;
    VideoFormat stored; /* before the filters, as the rest */
    FrameRate stored_rate;
    bool stored_varies;
    const char *const *input_options; /* of ffmpeg */
    size_t n_input_options;
} TuneSource;

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
