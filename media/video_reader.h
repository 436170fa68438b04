/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_VIDEO_READER_H
#define MEDIA_VIDEO_READER_H

/* Frames of a video, whatever kind of file or pipe it comes from. */

#include "common/messages.h"
#include "libvmaf/libvmaf_ext.h"
#include "media/alignment/signature.h"
#include "media/input.h"
#include "media/module_interface.h"
#include "media/video_format.h"
#include "media/y4m.h"
#include "platform/file.h"

#include <stdbool.h>
#include <stddef.h>

/* A reusable place for a frame: memory, or a window on a file. */
typedef struct FrameBuffer {
    VmafFileWindow window; /* closed when the buffer is given back */
    void *planes[3];     /* of the frame that is in the buffer; NULL for those that nobody wants */
    ptrdiff_t stride[3]; /* bytes */
    VmafFrameMemory *frame_memory; /* NULL: it has none yet */
    void *held; /* a frame of a decoder that the planes belong to, instead of memory; NULL: none */
    void (*let_go)(void *held); /* when the buffer is given back */
    bool is_on_device;          /* the planes are addresses there */
    Signature signature;        /* of such a frame, if it is wanted */
    double time;                /* of the frame, see video_reader_time */

    /* Private to the pool of read_ahead. */
    struct FramePool *pool;
    struct FrameBuffer *next_free;
    void *memory;
} FrameBuffer;

/* The frames of a video that are shown at the times at which another one shows its frames. */
typedef struct FrameTimes FrameTimes;

/* Reads the times of all frames of `other`, since its first one. 0; -ENOTSUP if the file does not
 * have them; another negative errno. */
int frame_times_create(FrameTimes **times, const MediaModule *module, MediaVideo *other,
                       Message *why);

/* Frames that were given out before, and those that never were, until now. */
void frame_times_count(const FrameTimes *times, unsigned long long *repeated,
                       unsigned long long *unused);

/* Constant borders of a media file, see autocrop.h. */
typedef struct FoundBorders {
    bool was_sought;
    MediaCrop inside; /* what they leave; width 0: there are none */
    bool is_shared;   /* a distorted video shows the same as its reference, borders included */
} FoundBorders;

/*
 * Frames of a video file, where the system keeps the file or straight into the caller's memory:
 * each plane as the file has it, with the file's row length as stride. Only planes that somebody
 * wants are read.
 */
typedef struct VideoReader {
    Input input;
    bool raw;
    const char *raw_options; /* that describe raw video to the program, for messages */
    bool is_pattern;         /* the name stands for many files, and none of it exists */
    unsigned first_picture;  /* the lowest number of these files */
    bool has_gap;            /* a number between others is missing */
    unsigned missing;        /* the first of these */
    VideoFormat format;      /* of the file; of a media file: of what is made of its frames */
    FileLayout layout;
    bool is_full_range;                  /* as in the header of a Y4M file */
    char short_header[Y4M_SHORT_HEADER]; /* that takes the place of a file's own; "": none does */

    /* Set by video_reader_prepare. */
    unsigned output_depth; /* samples are raised to this depth */
    unsigned wanted;       /* bit p: plane p is read; only planes that there are */
    size_t offset[3];      /* of the planes in a frame buffer */
    ptrdiff_t stride[3];   /* in a frame buffer, bytes */
    size_t buffer_bytes;   /* size of a frame buffer */
    size_t file_offset[3]; /* of the planes in a frame of the file */
    size_t window_begin;   /* of the piece with all wanted planes in a frame of the file */
    size_t window_bytes;   /* its size; 0: windows are impossible, or do not pay */
    int64_t first_frame;   /* where it begins in a file */
    Message error;         /* why the last call failed */

    /* A media file, which a module reads; else NULL. */
    const MediaModule *module;
    MediaVideo *media;
    MediaConversion conversion; /* its format has the file's depth, planes are left out */
    bool stays_on_device;       /* frames are given out there; see device_frames_can_stay */
    MediaFrame frame;           /* the one that is to be read or skipped */
    FoundBorders borders;
    double duration; /* seconds that are read; 0: all */
    double begin;    /* time of the first frame that was read; negative: none was */
    bool ended;
    uint64_t went_to;  /* index of the frame that the last skip has found */
    FrameTimes *times; /* frames are given out for these times; NULL: as they come */
} VideoReader;

/* Opens the file, or the first of those that the name stands for ("%04d"). 0; negative errno. */
int video_reader_open(VideoReader *reader, const char *path);

/*
 * Reads the stream header. 0; -ENOTSUP or -EPROTONOSUPPORT if it is no Y4M, with what it is in
 * reader->error (foreign_file_explain); another negative errno, with reader->error. Warnings are on
 * stderr, unless it is to be quiet.
 */
int video_reader_start_y4m(VideoReader *reader, bool quiet);

/*
 * A media file instead, through the module: `settings` but for path and source, and the lowest
 * number of pictures where that is 0. 0; -ENODATA if nothing of it can be decoded; another negative
 * errno, with reader->error. Frames come as they are stored, unless reader->conversion and
 * reader->format are changed before video_reader_prepare.
 */
int video_reader_start_media(VideoReader *reader, const MediaSettings *settings);

/* Takes a Y4M header back, which has been read. The video can then be started as a media file,
 * which begins with an equivalent short header. */
void video_reader_unread_header(VideoReader *reader);

/* The properties of a media file. */
const MediaProperties *video_reader_properties(const VideoReader *reader);

/* Starts raw video instead: the caller describes what is in the file. As above. */
int video_reader_start_raw(VideoReader *reader, const VideoFormat *format);

/*
 * Decides what frame buffers look like. Planes start at multiples of `alignment`, a power of two.
 * 0; -EINVAL if that does not fit into memory.
 */
int video_reader_prepare(VideoReader *reader, unsigned wanted_planes, unsigned output_depth,
                         size_t alignment);

/*
 * Goes to the next frame, which is then to be read or skipped. 1; 0 at the end; negative errno
 * with reader->error.
 */
int video_reader_next(VideoReader *reader);

/*
 * The frame's wanted planes, in a window on the file (leaves_pages: see input_open_window). False
 * if that is impossible or not worth while (pipes, samples of another depth, small frames): then
 * read the frame instead.
 */
bool video_reader_map(VideoReader *reader, bool leaves_pages, VmafFileWindow *window,
                      void *planes[3]);

/* The frame's wanted planes, in a buffer of buffer_bytes. 0; negative errno, reader->error. */
int video_reader_read(VideoReader *reader, void *buffer);

/* When the frame is shown, by a media file's timestamps, in seconds since its first one; NaN: it
 * has none. */
double video_reader_time(const VideoReader *reader);

/* A media file's frame, whose memory the buffer then holds. 0; negative errno, reader->error. */
int video_reader_take(VideoReader *reader, FrameBuffer *buffer);

/* The next frame of a media file is that of this index, or the first at or after that time since
 * its first frame. 1; 0: there is none; negative errno with reader->error. */
int video_reader_skip_to(VideoReader *reader, unsigned frame);
int video_reader_skip_to_time(VideoReader *reader, double seconds);

/* Frames of a file without a module that have the size of the first, header included; 0: it is no
 * file, or its first frame has a header of another size than usual. *rest: bytes behind them. */
unsigned long long video_reader_plain_frames(const VideoReader *reader, unsigned long long *rest);
/* The next frame of such a file is that of this index. */
void video_reader_go_to_plain(VideoReader *reader, unsigned long long frame);
/* The index of the frame that such a file is at; false: it is between two. */
bool video_reader_is_at_plain(const VideoReader *reader, unsigned long long frame);

/* Goes back to the first frame, of a file. 0; negative errno with reader->error. */
int video_reader_rewind(VideoReader *reader);

/* Frames of the whole file, as far as that is known without decoding; 0 if not. */
unsigned long long video_reader_count(VideoReader *reader);

/* Passes over the frame. 0; negative errno with reader->error. */
int video_reader_skip(VideoReader *reader);
/* The same for the next frame, as video_reader_next; -EINVAL: it cannot be passed over. */
int video_reader_pass_over(VideoReader *reader);

/* Frames that are left, judged by the size of the file; 0 if that is not known. */
unsigned long long video_reader_frames_left(const VideoReader *reader);

/* Bytes of a raw file behind its last whole frame, judged by its size; 0 if that is not known. */
unsigned long long video_reader_bytes_after_frames(const VideoReader *reader);

/* True if a file that is to be read as raw video begins with the magic of Y4M. False for pipes. */
bool video_reader_begins_like_y4m(const VideoReader *reader);

/* Ends waiting for a pipe, for good. From any thread. */
void video_reader_interrupt(VideoReader *reader);

void video_reader_close(VideoReader *reader);

/* -- the module: media_module.c -- */

/*
 * The module that decodes media files, loaded when it is first asked for, for good. 0; -ENOENT if
 * it is not installed; another negative errno if it is no good here. Then `why` says so, and what
 * to do. From any thread.
 */
int media_module_load(const MediaModule **module, Message *why);

/* "auto", or a kind of device that decodes, as a constant; NULL: it is none. */
const char *media_decoder_name(const char *name);

#endif
