/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_ENCODE_REQUEST_H
#define TUNE_ENCODE_ENCODE_REQUEST_H

/* What is to be encoded, and the command lines for it. Nothing here starts anything. */

#include "common/hash.h"
#include "common/messages.h"
#include "media/module_interface.h"
#include "tune/encode/arguments.h"
#include "tune/encode/encode_point.h"
#include "tune/encode/encoder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What encoders are told of the colours of a video. Primaries of HDR are those of BT.2020. */
typedef enum HdrTransfer { HDR_NONE, HDR_PQ, HDR_HLG } HdrTransfer;

/* What a source has beside its video. */
typedef struct OtherStream {
    MediaStreamKind kind;
    char codec[32]; /* FFmpeg's name */
} OtherStream;

typedef struct OtherStreams {
    const OtherStream *stream; /* in the order of the file */
    size_t n;
    /* What becomes of them: "copy", which NULL means as well; "none"; or arguments such as
     * "-c:a libopus -b:a 96k". */
    const char *audio, *subs;
} OtherStreams;

/* Checks both. 0; -EINVAL and why. */
int other_streams_check(const OtherStreams *others, Message *why);

/*
 * Maps those of an input that the output takes, and copies them; subtitles that are text become
 * what its container has for text. The extension of the output decides.
 */
void other_streams_keep(const OtherStreams *others, int input, const char *output,
                        ArgumentList *list);

/* What a container wants of streams of that codec, and the arguments in its metadata, where it has
 * any. `settings` NULL: none. */
void output_add_tags(const char *output, const char *codec, const char *settings,
                     ArgumentList *list);

/* What is left out, and what is converted; "" if nothing is. */
void other_streams_explain(const OtherStreams *others, const char *output, Message *text);

/* -- filters: video_filter.c -- */

/*
 * Filters of libavfilter that an encode gets, and those of them that the reference of its scores
 * gets as well: croppers, transposers, deinterlacers, rates, tone mapping. What changes pictures
 * otherwise is a loss that scores are to show, unless the user has another chain for the reference.
 */

typedef struct VideoFilters {
    char *encode;    /* a chain as ffmpeg takes it; NULL: there is none */
    char *reference; /* likewise */
    MediaReach reach;
    unsigned per_frame;
    bool is_unsteady; /* frames at one rate may have another or none afterwards, whatever the
                       * filters say */
} VideoFilters;

/*
 * Reads chains of the user; NULL: none. `reference` NULL: what is known of the first one. 0;
 * -EINVAL and why: they are no chains, or the reference is to be said; -ENOMEM. Free in either
 * case.
 */
int video_filters_open(VideoFilters *filters, const char *encode, const char *reference,
                       Message *why);
void video_filters_close(VideoFilters *filters);

/* Are all filters of a chain for encodes in the list that ffmpeg prints? 0; -EINVAL and why. */
int filter_chain_check(const char *chain, const char *list, Message *why);

/* What was done to the reference, for people; "" if there are no filters. */
void video_filters_explain(const VideoFilters *filters, Message *text);

/* -- sources -- */

typedef struct SourcePacket {
    uint64_t bytes;
    double time; /* seconds since the first one shown; 0 if not all of them have one */
} SourcePacket;

/* The times at which a container shows its frames, and the rate that they follow, whatever its
 * header states. */
typedef struct SourceTimes {
    int64_t *ticks; /* ascending, each once; NULL: not known */
    size_t n;
    int num, den;        /* a tick is num / den seconds */
    bool has_false_keys; /* see MediaPackets */
} SourceTimes;

enum { PIXEL_FORMAT_SIZE = 32 };

/*
 * The one view of a video that encodes and the reference of their scores have: its stream, its
 * orientation, its filters, and with them its frames. Format, rate, times, number of frames,
 * colours are what the filters make. Texts are never NULL. Not changed once it is open, so any
 * thread may read it.
 */
typedef struct TuneSource {
    char *path;
    /* What ffmpeg reads: the same, or a copy, which goes with the source. */
    const char *encoded_path;
    bool is_raw;             /* frames without a header; the rest describes them */
    const char *raw_options; /* as in SourceOptions */
    int64_t raw_bytes;       /* of each frame of these, and of Y4M */
    int stream;              /* of its video streams */
    unsigned index;          /* of that among all streams, as ffmpeg counts */
    bool is_sequence;        /* pictures with numbers, which have the rate that they are given */
    unsigned first_picture;  /* of these; 0: any that FFmpeg finds */
    bool ignores_errors;     /* damaged frames are what one thread decodes */
    VideoFormat format;      /* of frames that are not converted */
    char pixel_format[PIXEL_FORMAT_SIZE]; /* FFmpeg's name */
    FrameRate rate;                       /* exact; the average of those that vary */
    bool is_variable;                     /* frames keep their times, since they follow no rate */
    SourceTimes times;                    /* of a container; those of --framerate are its own */
    size_t frames;                        /* of the part */
    SampleWindow part;   /* that counts, of the frames of the file; none: all of them */
    double part_begin;   /* seconds from the start of a container to its first frame */
    double part_seconds; /* until the frame behind it */
    /* Windows are found by counting frames from the start instead of by time. Slower, and right
     * where times are not those of the rate, or seeking is not exact (MPEG-TS). */
    bool is_irregular;
    double seconds;                /* frames / rate */
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
    SourcePacket *packets;            /* of a container, in the order in which they are shown */
    size_t n_packets;                 /* 0: they are not known */
    const char *const *input_options; /* of ffmpeg, without the dash: "hwaccel=cuda" */
    size_t n_input_options;
} TuneSource;

typedef struct Keyframes {
    int interval;         /* frames between keyframes at most; 0: as the settings have it */
    const double *forced; /* seconds in the encode */
    size_t n_forced;
} Keyframes;

typedef enum EncodeStreams {
    /* The video alone: each frame of the source or its windows is one frame. */
    ENCODE_VIDEO_ONLY,
    /* For people: times as in the source; audio, subtitles and chapters are copied. Whole videos,
     * or one window of them. */
    ENCODE_WITH_ALL_STREAMS,
} EncodeStreams;

/* What all encodes of a run have. */
typedef struct EncodeSettings {
    const char *ffmpeg;       /* program */
    int threads;              /* 0: ffmpeg's choice */
    const char *const *extra; /* the user's arguments, before the output */
    size_t n_extra;
    const char *const *options; /* the user's for the encoder, "name=value" each */
    size_t n_options;
    const char *pixel_format; /* to encode; NULL: the encoder's usual one, or as the source */
    double keyint;            /* frames between keyframes at most; negative: seconds; 0: the
                               * encoder's choice */
    int film_grain;  /* strength that the encoder describes instead of coding it; 0: none */
    HdrTransfer hdr; /* HDR_NONE: no colour tags are set */
} EncodeSettings;

/* One encode among them. */
typedef struct EncodeSpec {
    const Encoder *encoder;
    const char *encoder_version; /* of encoder_probe, for keys */
    const char *preset;          /* NULL: the default */
    double q;
    int width, height; /* to scale to; 0: as the source */
    bool two_pass;
    bool stats; /* keep what the encoder reports of each frame */
    Keyframes keyframes;
    bool is_unscored;                    /* nobody wants to know its scores */
    bool keeps_file;                     /* it is to be there after it was measured */
    const char *ffmpeg, *ffmpeg_version; /* another program that encodes; NULL: that of the run */
    EncodeStreams streams;
} EncodeSpec;

/* It refers to all that it is made of. */
typedef struct EncodeRequest {
    const TuneSource *source;
    const SampleWindow *windows; /* ascending; encoded one after another */
    size_t n_windows;            /* 0: the whole video */
    EncodeSettings settings;
    EncodeSpec spec;
    const char *output; /* its extension decides the container */
    bool is_plain;      /* a command for people: without reports and metadata */
} EncodeRequest;

/* One of the encodes that a request takes. */
typedef struct EncodePass {
    int number;         /* 1 or 2 of two; 0: the only one */
    const char *output; /* NULL: the request's */
    const char *log;    /* where statistics of passes go: begin of names of files */
    double kbps;        /* of an anchored second pass; 0: not known yet, KBPS stands for it */
    bool is_key;        /* only what decides about the content, without names of files */
} EncodePass;

/* Checks that the request can be carried out: 0; -EINVAL and why. */
int encode_check(const EncodeRequest *request, Message *message);

/* 1 or 2. */
int encode_passes(const EncodeSpec *spec);

/* The command line of one pass. 0; -ENOMEM; -EINVAL and why. */
int encode_command(const EncodeRequest *request, const EncodePass *pass, ArgumentList *command,
                   Message *message);

/*
 * Adds what decides about the content of the encode, for keys of caches: the arguments behind the
 * inputs, of all passes, without names of files and bitrates that are a result. 0; -ENOMEM;
 * -EINVAL and why.
 */
int encode_key_arguments(const EncodeRequest *request, ArgumentList *arguments, Message *message);

/* What is encoded where nobody says it: AV1 with 10 bits, since it loses less with them and all of
 * its decoders have them. NULL: as the source, as far as the encoder takes that. `of_source`: ""
 * if it is not known. */
const char *encode_default_pixel_format(const Encoder *encoder, const char *of_source);

/* The arguments that describe HDR to an encoder. 0; -ENOMEM. */
int encode_hdr_arguments(const Encoder *encoder, const TuneSource *source, HdrTransfer hdr,
                         ArgumentList *list);

enum { RATE_CONTROL_SIZE = 16 };

/* How the bitrate is found: "crf"; "crf2pass" where the second pass has the bitrate of the first;
 * "crf_2pass". */
void encode_rate_control(const EncodeSpec *spec, char name[RATE_CONTROL_SIZE]);

/* What the user should know before the encode, such as HDR that the encoder has no option for; ""
 * if there is nothing. */
void encode_warning(const EncodeSpec *spec, bool is_hdr, Message *warning);

/* Frames of the encode; 0 if the whole video is encoded, whose length the request does not know. */
size_t encode_frames(const EncodeRequest *request);

/* -- parts of a command line -- */

/* Does this option of ffmpeg, without its dash, say which frames or pixels are encoded, and how? */
bool encode_option_is_ours(const char *name);

/* A source that has a header, all of it. */
void encode_add_source(const TuneSource *source, ArgumentList *list);

#endif
