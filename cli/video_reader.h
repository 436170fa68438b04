/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_VIDEO_READER_H
#define CLI_VIDEO_READER_H

#include "input.h"
#include "message.h"
#include "video_format.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Frames of a video file, straight into the caller's memory: each plane as the file has it, with
 * the file's row length as stride. Only planes that somebody wants are read.
 */
typedef struct VideoReader {
    Input input;
    bool raw;
    VideoFormat format; /* of the file */
    FileLayout layout;

    /* Set by video_reader_prepare. */
    unsigned output_depth; /* samples are raised to this depth */
    unsigned wanted;       /* bit p: plane p is read */
    size_t offset[3];      /* of the planes in a frame buffer */
    ptrdiff_t stride[3];   /* in a frame buffer, bytes */
    size_t buffer_bytes;   /* size of a frame buffer */
    Message error;         /* why the last call failed */
} VideoReader;

/* Opens the file. 0; negative errno. */
int video_reader_open(VideoReader *reader, const char *path);

/* Reads the stream header. 0; negative errno, and the reader's own messages are on stderr. */
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

/* The frame's wanted planes, into a buffer of buffer_bytes. 0; negative errno, reader->error. */
int video_reader_read(VideoReader *reader, void *buffer);

/* Passes over the frame. 0; negative errno with reader->error. */
int video_reader_skip(VideoReader *reader);

/* Frames that are left, judged by the size of the file; 0 if that is not known. */
unsigned long long video_reader_frames_left(const VideoReader *reader);

void video_reader_close(VideoReader *reader);

#endif
