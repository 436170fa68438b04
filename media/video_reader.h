/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_VIDEO_READER_H
#define MEDIA_VIDEO_READER_H

#include "media/input.h"
#include "media/video_format.h"
#include "text/message.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Frames of a video file, where the system keeps the file or straight into the caller's memory:
 * each plane as the file has it, with the file's row length as stride. Only planes that somebody
 * wants are read.
 */
typedef struct VideoReader {
    Input input;
    bool raw;
    VideoFormat format; /* of the file */
    FileLayout layout;

    /* Set by video_reader_prepare. */
    unsigned output_depth; /* samples are raised to this depth */
    unsigned wanted;       /* bit p: plane p is read; only planes that there are */
    size_t offset[3];      /* of the planes in a frame buffer */
    ptrdiff_t stride[3];   /* in a frame buffer, bytes */
    size_t buffer_bytes;   /* size of a frame buffer */
    size_t file_offset[3]; /* of the planes in a frame of the file */
    size_t window_begin;   /* of the piece with all wanted planes in a frame of the file */
    size_t window_bytes;   /* its size; 0: windows are impossible, or do not pay */
    Message error;         /* why the last call failed */
} VideoReader;

/* Opens the file. 0; negative errno. */
int video_reader_open(VideoReader *reader, const char *path);

/*
 * Reads the stream header. 0; -ENOTSUP if it is no Y4M, with what it is in reader->error; another
 * negative errno, and the reader's own messages are on stderr.
 */
int video_reader_start_y4m(VideoReader *reader, bool quiet);

/* Raw video instead: the caller says what is in the file. As above. */
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
 * The frame's wanted planes, in a window on the file. False if that is impossible or not worth
 * while (pipes, samples of another depth, small frames): then read the frame instead.
 */
bool video_reader_map(VideoReader *reader, VmafFileWindow *window, void *planes[3]);

/* The frame's wanted planes, in a buffer of buffer_bytes. 0; negative errno, reader->error. */
int video_reader_read(VideoReader *reader, void *buffer);

/* Passes over the frame. 0; negative errno with reader->error. */
int video_reader_skip(VideoReader *reader);

/* Frames that are left, judged by the size of the file; 0 if that is not known. */
unsigned long long video_reader_frames_left(const VideoReader *reader);

/* Bytes of a raw file behind its last whole frame, judged by its size; 0 if that is not known. */
unsigned long long video_reader_bytes_after_frames(const VideoReader *reader);

/* Does a file that is to be read as raw video begin with the magic of Y4M? False for pipes. */
bool video_reader_begins_like_y4m(const VideoReader *reader);

void video_reader_close(VideoReader *reader);

#endif
