/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_MODULE_INTERFACE_H
#define MEDIA_MODULE_INTERFACE_H

/*
 * The interface between the program and a module that decodes media files. Both belong to one
 * version of the program: the number is compared exactly, and nothing of it is a public interface.
 *
 * A video is used by one thread at a time; videos are independent of each other. Functions return
 * 0, or negative errno and why.
 */

#include "common/messages.h"
#include "libvmaf/libvmaf_ext.h"
#include "media/video_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEDIA_INTERFACE = 6 }; /* also in the name of the folder of modules */
#define MEDIA_MODULE_ENTRY "vmaf_media_entry"

typedef struct MediaVideo MediaVideo;

/* A point in time: `ticks` of `num` / `den` seconds. */
typedef struct MediaTime {
    int64_t ticks;
    int num, den; /* den 0: unknown */
} MediaTime;

/* Bytes that come from somewhere else than a file of that name. */
typedef struct MediaSource {
    void *cookie; /* NULL: the module opens the file */
    int64_t size; /* of what can be read anywhere; -1: a pipe, which is read in order */
    /* Up to `size` bytes from a position on; 0 at the end; negative errno. */
    int (*read)(void *cookie, int64_t position, uint8_t *buffer, int size);
} MediaSource;

/* How many frames the filters need to make one. */
typedef enum MediaReach {
    MEDIA_REACH_FRAME, /* each makes one, by itself */
    MEDIA_REACH_NEAR,  /* each makes `per_frame`, with its neighbours */
    MEDIA_REACH_ALL,   /* anything else: frames are counted from the first one on */
} MediaReach;

/* What libavfilter does to decoded frames, once they are rotated. Properties but for the codec and
 * the container, and indices of frames, are then those of what it makes. */
typedef struct MediaFilter {
    const char *chain; /* as FFmpeg writes filters; NULL: there are none */
    MediaReach reach;
    unsigned per_frame;
    int rate_num, rate_den; /* at which frames go in, whatever their times; 0/0: as they are */
} MediaFilter;

/* Frames without a header. */
typedef struct MediaRaw {
    const char *layout; /* FFmpeg's name; NULL: it has a header */
    unsigned width, height;
    int rate_num, rate_den;
} MediaRaw;

typedef struct MediaSettings {
    const char *path;
    MediaSource source;
    MediaRaw raw;
    MediaFilter filter;
    int stream;             /* which of the video streams, from 0; -1: as ffmpeg chooses */
    unsigned first_picture; /* the number of a sequence of pictures where it begins; 0: any that
                             * FFmpeg finds */
    const char *hwaccel;    /* NULL: none; "auto" or a kind of device that decodes */
    unsigned device;        /* of CUDA */
    bool ignore_errors;     /* damage is counted, not reported as a failure */
    bool no_film_grain;     /* grain that the stream describes is not made */
    unsigned threads;       /* of the decoder */
} MediaSettings;

/* SMPTE ST 2086, in cd/m2 and chromaticity coordinates, and CTA-861.3 in cd/m2. */
typedef struct MediaLight {
    bool has_display, has_content;
    double red[2], green[2], blue[2], white[2], min_luminance, max_luminance;
    unsigned max_content, max_frame_average;
} MediaLight;

/* Frames where a device has decoded them, as vmaf_picture_import takes them. */
typedef struct MediaDevice {
    const char *backend; /* that reads them there; NULL: none does */
    unsigned index;      /* of the device */
    enum VmafImportKind kind;
    enum VmafImportLayout layout;
    VmafSync ready; /* to be waited for before one is read */
} MediaDevice;

typedef enum MediaStreamKind {
    MEDIA_AUDIO,
    MEDIA_TEXT,   /* subtitles that are text */
    MEDIA_BITMAP, /* subtitles that are pictures */
    MEDIA_ATTACHMENT,
    MEDIA_COVER,
    MEDIA_VIDEO, /* another one */
    MEDIA_DATA,
} MediaStreamKind;

typedef struct MediaStream {
    MediaStreamKind kind;
    const char *codec; /* FFmpeg's name */
} MediaStream;

/* Texts are never NULL and live as long as the video. */
typedef struct MediaProperties {
    VideoFormat format; /* of frames without conversion: rotated, in the nearest planar layout */
    bool is_full_range;
    bool is_rgb;
    bool is_interlaced;
    bool has_plain_base; /* without Dolby Vision it looks as it should */
    bool is_hdr;         /* its transfer is PQ or HLG */
    bool is_cropped_by_codec;
    bool is_for_editing;        /* its codec loses nothing, or makes nothing but key frames */
    int rotation;               /* degrees, clockwise: 0, 90, 180, 270 */
    bool is_oblique;            /* it asks for another angle, which is ignored */
    const char *stored_layout;  /* as FFmpeg calls it: "yuv420p10le" */
    const char *resampled_from; /* "4:1:1" and so on if `format` has other chroma; else "" */
    const char *container, *codec, *profile;
    const char *range, *matrix, *primaries, *transfer; /* "unknown" if the file does not have it */
    const char *decoder;                               /* what decodes: "software", "cuda", ... */
    int level;                                         /* -99: unknown */
    unsigned rate_num, rate_den;                       /* frames a second; 0/0: unknown */
    unsigned aspect_num, aspect_den;                   /* of a sample; 0/0: unknown */
    uint64_t frame_count;                              /* 0: unknown */
    bool is_count_exact;
    double duration;            /* seconds; 0: unknown */
    double begin;               /* seconds from the start of the container to the first frame */
    unsigned stream, n_streams; /* of the video streams */
    unsigned index;             /* of the stream among all of the file, as ffmpeg counts */
    const MediaStream *others;  /* the file's other streams, in their order */
    size_t n_others;
    MediaLight light;
    int dolby_vision; /* its profile; 0: none */
    MediaDevice device;
} MediaProperties;

/* What one frame is made of that is shown. */
typedef struct MediaPacket {
    uint64_t bytes;  /* also of frames before it that are decoded and never shown */
    MediaTime shown; /* den 0: the file does not have it */
    bool is_key;
} MediaPacket;

/* All frames of the stream that are shown, in the order of the file. */
typedef struct MediaPackets {
    MediaPacket *packet;
    size_t count;
    /* The container calls some of them key frames that are none, so whoever seeks by its flags
     * alone decodes garbage; is_key is right as far as the codec shows it. */
    bool has_false_keys;
    /* SHA-256 of what was read, of files that name others which make the video; else "". */
    char content[65];
} MediaPackets;

typedef enum MediaScaler {
    MEDIA_BICUBIC,
    MEDIA_LANCZOS,
    MEDIA_BILINEAR,
    MEDIA_SPLINE,
} MediaScaler;

/* A part of a frame; width 0: all of it. */
typedef struct MediaCrop {
    unsigned width, height, x, y;
} MediaCrop;

/* What frames are to become. */
typedef struct MediaConversion {
    VideoFormat format;
    bool is_full_range;
    const char *rgb_matrix; /* by which RGB becomes YUV, as properties name it; NULL: BT.709 */
    MediaCrop crop;         /* of the rotated frame, before it is scaled */
    /* The part of the scaled frame that is used, and the size that it is scaled to; all 0
     * without. */
    MediaCrop cut;
    unsigned whole_width, whole_height;
    MediaScaler scaler;
    unsigned planes; /* bit p: somebody looks at plane p */
    /* Frames stay where they are, on properties->device. */
    bool stays_on_device;
} MediaConversion;

typedef struct MediaFrame {
    void *planes[3]; /* NULL for those that nobody looks at; or addresses on a device */
    ptrdiff_t stride[3];
    MediaTime shown;
    void *held; /* to be given to release_frame, from any thread */
} MediaFrame;

/* Rows of luma: `first`, `first + step`, and so on. */
typedef struct MediaRows {
    unsigned first, step, count;
    size_t bytes; /* of each */
} MediaRows;

typedef struct MediaModule {
    unsigned interface; /* MEDIA_INTERFACE */
    const char *name;   /* "FFmpeg" and its libraries' versions */
    const char *scaler; /* name and version of what scales */
    const char *filter; /* and of what filters */

    /* -EPROTONOSUPPORT: it is nothing that FFmpeg knows; -ENODATA: the file is one, but there is no
     * frame that could be decoded. */
    int (*open)(MediaVideo **video, const MediaSettings *settings, Message *why);
    const MediaProperties *(*properties)(const MediaVideo *video);
    /* Reads the file once more, from its beginning, without filters. -ESPIPE if that is impossible.
     */
    int (*list_packets)(MediaVideo *video, MediaPackets *packets, Message *why);
    void (*free_packets)(MediaPackets *packets);
    /* To be called before the first frame. */
    int (*convert)(MediaVideo *video, const MediaConversion *conversion, Message *why);
    /* The next call of next_frame gives the frame of this index. 1; 0: there are not so many. */
    int (*skip_to)(MediaVideo *video, uint64_t frame, Message *why);
    /* The same for the first frame shown at or after a time since the first frame, in seconds.
     * *frame receives its index. -ENOTSUP with filters. */
    int (*skip_to_time)(MediaVideo *video, double seconds, uint64_t *frame, Message *why);
    /* 1; 0 at the end. -ENODEV, -EIO: the device may have failed on which frames stay. */
    int (*next_frame)(MediaVideo *video, MediaFrame *frame, Message *why);
    void (*release_frame)(void *held);
    void *(*share_frame)(void *held); /* the same frame, to be released as well; NULL: no memory */
    /* Copies rows of a frame on a device, one after the other. */
    int (*fetch_rows)(void *held, const MediaRows *rows, void *to, Message *why);
    uint64_t (*errors_ignored)(const MediaVideo *video);
    void (*interrupt)(MediaVideo *video); /* ends waiting for a pipe; from any thread */
    void (*close)(MediaVideo *video);
} MediaModule;

typedef const MediaModule *(*MediaModuleEntry)(void);

/* -- what both have: frames a second, judged by the times at which frames are shown, since headers
 * of containers may lie -- */

typedef struct FrameRateTimes {
    const int64_t *ticks; /* ascending */
    size_t n;
    int num, den; /* a tick is num / den seconds */
} FrameRateTimes;

typedef struct MediaRate {
    int num, den; /* 0/0: unknown */
} MediaRate;

/*
 * The rate that the times follow but for rounding: the one that is stated, a usual one, or the
 * average. False: they follow none, and the rate is the average, or, of less than two frames, what
 * is stated.
 */
bool frame_rate_judge(const FrameRateTimes *times, MediaRate stated, MediaRate *rate);

#endif
