/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_Y4M_H
#define MEDIA_Y4M_H

/* Video files without a container: YUV4MPEG2, frames without any header, and what a file is that is
 * neither. */

#include "common/messages.h"
#include "media/input.h"
#include "media/video_format.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * YUV4MPEG2 is a text line that describes the stream, then frames, each a text line and the planes.
 */
enum { Y4M_SHORT_HEADER = 128 };

/* What a stream header says besides the format. */
typedef struct Y4mProperties {
    bool interlacing_unknown; /* it does not say that it is progressive */
    bool is_full_range;
} Y4mProperties;

/*
 * Reads the stream header. 0; -EINVAL with the reason; -ENOTSUP or -EPROTONOSUPPORT if it is no Y4M
 * at all, with what it seems to be (foreign_file_explain); another negative errno if reading
 * failed.
 */
int y4m_read_header(Input *input, VideoFormat *format, Y4mProperties *properties, Message *why);

/* A stream header that says the same, line feed included. */
void y4m_print_header(char line[Y4M_SHORT_HEADER], const VideoFormat *format, bool is_full_range);

/* Reads a frame header. 1 if a frame follows, 0 at the end of the stream; negative errno. */
int y4m_begin_frame(Input *input, Message *why);

/* Raw planar video has no headers: a frame begins wherever a byte is left. As y4m_begin_frame. */
int raw_yuv_begin_frame(Input *input, Message *why);

/* -- other files: foreign_file.c -- */

enum { FOREIGN_HEAD_SIZE = 512 }; /* bytes that tell what a file is */

/*
 * What a file that is not Y4M seems to be, judged by its first bytes, else by its name, and what to
 * do about it: one line. -ENOTSUP if the module may decode it; -EPROTONOSUPPORT if it cannot.
 */
int foreign_file_explain(const unsigned char *head, size_t size, const char *path, Message *what);

/* The same of a file that FFmpeg has rejected for that reason; `options` describe raw video.
 * -EPROTONOSUPPORT. */
int foreign_file_reject(const unsigned char *head, size_t size, const char *path,
                        const char *reason, const char *options, Message *what);

/*
 * Does the name stand for pictures with numbers ("frame_%04d.png"), and is there one? *first
 * receives the lowest number; 0 where the number is in the name of a folder, which nobody looks
 * into.
 */
bool picture_sequence_find(const char *path, unsigned *first);

/* Does a picture lack from this number on, with others behind it? *missing receives its number. */
bool picture_sequence_has_gap(const char *path, unsigned first, unsigned *missing);

#endif
