/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_VIDEO_H
#define MEDIA_FFMPEG_VIDEO_H

/* What the parts of the module share: one open file and its decoder. */

#include "common/messages.h"
#include "media/ffmpeg/layout.h"
#include "media/ffmpeg/playlist.h"
#include "media/module_interface.h"
#include "platform/thread.h"

#include <libavcodec/avcodec.h>
#include <libavfilter/avfilter.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* -- convert.c -- */

/* Frames of a decoder become what is scored; see MediaConversion. */
typedef struct Converter Converter;

/* Makes a converter for frames like `first`. 0; negative errno, and why. */
int converter_create(Converter **converter, const AVFrame *first, Orientation orientation,
                     bool is_full_range, const MediaConversion *conversion, Message *why);
/* The planes that are used, as bits. */
unsigned converter_planes(const Converter *converter);
void converter_destroy(Converter *converter);

/* Takes `decoded` over, also if it fails. NULL planes of the result are not wanted. 0; negative
 * errno. */
int converter_apply(Converter *converter, AVFrame *decoded, AVFrame **result, Message *why);

/*
 * What FFmpeg says of a file and its decoder. Many decoders conceal damage, and tell it nowhere
 * else. The members `opaque` of AVFormatContext and AVCodecContext point to the capture.
 */
typedef struct LogCapture {
    VmafMutex lock;
    bool has_error;
    char first[256]; /* the first error since it was taken */
} LogCapture;

/* From now on nothing goes to stderr. */
void log_capture_init(LogCapture *log);
/* Was there an error since the last call? Then `text` receives the first. */
bool log_capture_take(LogCapture *log, char *text, size_t size);
/* What others than demuxers and decoders say on this thread goes there; NULL: nowhere. */
void log_capture_on_thread(LogCapture *log);

/* A shape of frames. */
typedef struct FrameShape {
    int width, height;
    enum AVPixelFormat layout;
} FrameShape;

/* Filters, and how far they are. */
typedef struct FilterStage {
    AVFilterGraph *graph;           /* NULL: the next frame makes it */
    AVFilterContext *source, *sink; /* of the graph */
    AVFrame *like;                  /* what goes in, without samples */
    Orientation turn;               /* which comes first */
    AVFrame *waiting;               /* filtered, but not yet delivered; NULL: none */
    AVRational clock;               /* of frames that come out */
    AVRational rate;                /* of these; 0/1: unknown */
    uint64_t n_in, n_out;           /* counted from the beginning */
    int64_t end;                    /* the time behind the last one that went in */
} FilterStage;

struct MediaVideo {
    char *url;
    MediaSettings settings;
    atomic_bool interrupted;

    AVFormatContext *container;
    Playlist playlist;
    int (*open_file)(AVFormatContext *, AVIOContext **, const char *, int, AVDictionary **);
    AVStream *stream;
    AVCodecContext *decoder;

    AVBufferRef *device;              /* that decodes; NULL: the processor does */
    enum AVPixelFormat device_format; /* of its frames */
    bool tries_device;                /* the decoder was last asked to use it */
    bool shares_context;              /* CUDA's with backends: frames are left on the device */
    AVBufferRef *copies;              /* room for frames that stay there; NULL: none yet */
    bool stays_on_device;             /* frames are given out there */

    AVPacket *packet;

    LogCapture log;
    bool saw_key;        /* packets before the first key packet cannot be decoded */
    bool at_end;         /* no packet is left */
    bool was_sought;     /* packets were passed over, so that n_packets says nothing */
    uint64_t n_packets;  /* read of the stream since its beginning */
    uint64_t n_listed;   /* of the stream, all that there are; 0: not known yet */
    uint64_t n_frames;   /* decoded, counted from the beginning */
    uint64_t n_errors;   /* ignored */
    AVFrame *waiting;    /* decoded, but not yet delivered; NULL: none */
    int64_t first_shown; /* time of the first frame */
    int64_t last_shown;

    FrameShape decoded;      /* the first one; one that differs is an error */
    FrameShape given;        /* what comes out of filters; else the same */
    Orientation orientation; /* to be applied to what is given */
    FilterStage filter;

    MediaPackets shown; /* all packets, as their frames are shown; empty until they are needed */

    MediaProperties properties;
    Converter *converter;
};

/* -- container.c -- */

int container_open(MediaVideo *video, Message *why);
void container_close(MediaVideo *video);
void container_close_context(AVFormatContext **context); /* with the bytes that it reads */
/* What the container tells of the stream; NULL: nothing, or less than `least` bytes. */
const uint8_t *container_data(const MediaVideo *video, enum AVPacketSideDataType type,
                              size_t least);
/* The next packet of the stream. 1; 0 at the end; negative errno. */
int container_read(MediaVideo *video, Message *why);
/* The same file and stream once more, for another look at the packets. container_close_context
 * closes it.
 */
int container_open_again(MediaVideo *video, AVFormatContext **context, Message *why);
/* Goes to a key packet at or before that time. */
int container_seek(MediaVideo *video, int64_t shown, Message *why);

/* The errno of an error of FFmpeg, -ENODEV if it may be one of a device; it is said in `text` if
 * that is not NULL. */
int ffmpeg_error(int error, char text[AV_ERROR_MAX_STRING_SIZE]);
double ffmpeg_seconds(const MediaVideo *video, int64_t ticks);

/* -- packet_list.c -- */

int packets_list(MediaVideo *video, MediaPackets *packets, Message *why);
void packets_free(MediaPackets *packets);
/* *rate is the stated one; if the times of the first frames deny it, it becomes theirs. */
void packets_judge_rate(MediaVideo *video, MediaRate *rate);

/* -- decoder.c -- */

int decoder_open(MediaVideo *video, Message *why);
/* The next frame, as it is shown, in memory or on a device. 1; 0 at the end; negative errno. */
int decoder_next(MediaVideo *video, AVFrame **frame, Message *why);
int decoder_skip_to(MediaVideo *video, uint64_t frame, Message *why);
int decoder_skip_to_time(MediaVideo *video, double seconds, uint64_t *frame, Message *why);

/* -- filter.c -- */

/* Begins to filter frames like this one. 0; negative errno, and says why. */
int filter_open(MediaVideo *video, const AVFrame *first, Message *why);
void filter_close(MediaVideo *video);
/* As decoder_next and decoder_skip_to, of what the filters make; without any, of decoded frames. */
int filter_next(MediaVideo *video, AVFrame **frame, Message *why);
int filter_skip_to(MediaVideo *video, uint64_t frame, Message *why);

/* -- devices that decode, and frames that are in their memory: decoder.c -- */

/* Brings up the first kind of device that decodes this and is wanted; without one the processor
 * decodes. */
void device_open(MediaVideo *video, const AVCodec *codec);

bool device_has(const AVFrame *frame);

/* A frame of the device becomes one in memory. 0; negative errno, and says why. */
int device_download(AVFrame **frame, Message *why);

/* Fills in whether frames like this can be given out where they are, and what they are there. */
void device_describe(const MediaVideo *video, const AVFrame *first, MediaDevice *device);

/* A frame of the decoder becomes one that may be kept for as long as its user wants. 0; negative
 * errno, and says why; the frame is gone then. */
int device_keep(MediaVideo *video, AVFrame **frame, Message *why);

/* See MediaModule. */
int device_fetch_rows(void *held, const MediaRows *rows, void *to, Message *why);

#endif
