/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_ENCODE_REQUEST_H
#define TUNE_ENCODE_ENCODE_REQUEST_H

/* What is to be encoded, and the command lines for it. Nothing here starts anything. */

#include "common/messages.h"
#include "media/module_interface.h"
#include "tune/encode/arguments.h"
#include "tune/encode/encode_point.h"
#include "tune/encode/encoder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of the colours of an HDR video. Primaries are always those of BT.2020. */
typedef enum HdrTransfer { HDR_PQ, HDR_HLG } HdrTransfer;

typedef struct HdrTags {
    HdrTransfer transfer;
    bool constant_luminance; /* bt2020c; else bt2020nc */
    bool full_range;
    MediaLight light;
} HdrTags;

/* What a source has beside its video. */
typedef enum OtherKind {
    OTHER_AUDIO,
    OTHER_TEXT,   /* subtitles that are text */
    OTHER_BITMAP, /* subtitles that are pictures */
    OTHER_ATTACHMENT,
    OTHER_COVER,
    OTHER_VIDEO,
    OTHER_DATA,
    N_OTHER_KINDS
} OtherKind;

typedef struct OtherStream {
    OtherKind kind;
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

/* How many frames it takes to make one. */
typedef enum FilterReach {
    FILTER_EACH, /* each makes one, by itself */
    FILTER_NEAR, /* each makes `per_frame`, with its neighbours */
    FILTER_ALL,  /* anything else: frames are counted from the first one on */
} FilterReach;

typedef struct VideoFilters {
    char *encode;    /* a chain as ffmpeg takes it; NULL: there is none */
    char *reference; /* likewise */
    FilterReach reach;
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

typedef struct EncodeSource {
    const char *path;
    unsigned index; /* of the stream in the file */
    FrameRate rate; /* exact, of what its filters make of it */
    bool is_raw;    /* frames without a header; the rest describes them */
    int width, height;
    int64_t frame_bytes;
    const char *pixel_format; /* FFmpeg's name */
    /* Containers only: seconds from their start to the first frame. */
    double first_frame_time;
    /* The same for the first frame of the window that is encoded with the other streams, and its
     * length until the next frame. */
    double part_begin, part_seconds;
    /*
     * Containers only: windows are found by counting frames from the start instead of by time.
     * Slower, and right where times are irregular or seeking is not exact (MPEG-TS).
     */
    bool count_frames;
    /*
     * Containers only: frames keep their times, multiples of tick_num / tick_den seconds, since
     * they do not follow each other at one rate. tick_den 0: they do.
     */
    int tick_num, tick_den;
    bool is_sequence;       /* pictures with numbers, which have the rate that they are given */
    unsigned first_picture; /* of these; 0: any that ffmpeg finds */
    bool ignores_errors;    /* damaged frames are encoded as a single thread decodes them */
    OtherStreams others;    /* beside the video */
    /* All frames that are counted are those behind its filters. Before them it has that rate, or,
     * if its times vary there, none; 0/0: the same. */
    const VideoFilters *filters; /* NULL: none */
    FrameRate stored_rate;
    bool stored_varies;
    const char *const *input_options; /* of ffmpeg, without the dash: "hwaccel=cuda" */
    size_t n_input_options;
} EncodeSource;

typedef struct Keyframes {
    int interval;         /* frames between keyframes at most; 0: the encoder's choice */
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

typedef struct EncodeRequest {
    const char *ffmpeg; /* program */
    const Encoder *encoder;
    const char *preset; /* NULL: the default */
    double q;
    EncodeSource source;
    const SampleWindow *windows; /* ascending; encoded one after another */
    size_t n_windows;            /* 0: the whole video */
    int width, height;           /* to scale to; 0: as the source */
    const char *pixel_format;    /* to encode; NULL: as the source */
    const HdrTags *hdr;          /* NULL: no colour tags are set */
    Keyframes keyframes;
    bool two_pass;
    bool stats;               /* keep what the encoder reports of each frame */
    int threads;              /* 0: ffmpeg's choice */
    const char *const *extra; /* the user's arguments, before the output */
    size_t n_extra;
    const char *const *options; /* the user's for the encoder, "name=value" each */
    size_t n_options;
    int film_grain; /* strength that the encoder describes instead of coding it; 0: none */
    EncodeStreams streams;
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
int encode_passes(const EncodeRequest *request);

/* The command line of one pass. 0; -ENOMEM; -EINVAL and why. */
int encode_command(const EncodeRequest *request, const EncodePass *pass, ArgumentList *command,
                   Message *message);

/*
 * What decides about the content of the encode, for keys of caches: the arguments behind the
 * inputs, of all passes, without names of files and bitrates that are a result. 0;
 * -ENOMEM; -EINVAL and why.
 */
int encode_key_arguments(const EncodeRequest *request, ArgumentList *arguments, Message *message);

/* What is encoded where nobody says it: AV1 with 10 bits, since it loses less with them and all of
 * its decoders have them. NULL: as the source, as far as the encoder takes that. */
const char *encode_default_pixel_format(const Encoder *encoder, const char *of_source);

/* The arguments that describe HDR to an encoder. 0; -ENOMEM. */
int encode_hdr_arguments(const Encoder *encoder, const HdrTags *hdr, ArgumentList *list);

enum { RATE_CONTROL_SIZE = 16 };

/* How the bitrate is found: "crf"; "crf2pass" where the second pass has the bitrate of the first;
 * "crf_2pass". */
void encode_rate_control(const EncodeRequest *request, char name[RATE_CONTROL_SIZE]);

/* What the user should know before the encode, such as HDR that the encoder has no option for; ""
 * if there is nothing. */
void encode_warning(const EncodeRequest *request, Message *warning);

/* Frames of the encode; 0 if the whole video is encoded, whose length the request does not know. */
size_t encode_frames(const EncodeRequest *request);

/* -- parts of a command line -- */

/* Does this option of ffmpeg, without its dash, say which frames or pixels are encoded, and how? */
bool encode_option_is_ours(const char *name);

/* A source that has a header, all of it. */
void encode_add_source(const EncodeSource *source, ArgumentList *list);

#endif
