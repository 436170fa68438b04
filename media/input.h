/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_INPUT_H
#define MEDIA_INPUT_H

#include "platform/file.h"

#include <stdbool.h>
#include <stddef.h>

enum { INPUT_UNREAD_SIZE = 512 };

/*
 * Bytes of a file or a pipe, in order. Skipping costs nothing in files. Another thread can
 * interrupt a wait for a pipe.
 */
typedef struct Input {
    const char *path;                        /* as given; "-" is standard input */
    VmafInput source;                        /* never changed, so that any thread may look at it */
    int64_t position;                        /* files: next byte to read */
    int64_t size;                            /* files: size when last looked at */
    int peeked;                              /* pipes: one byte read ahead, or -1 */
    unsigned char unread[INPUT_UNREAD_SIZE]; /* pipes: bytes given back, from unread_begin */
    size_t unread_begin, unread_end;
} Input;

/* 0 or negative errno. vmaf_input_close closes the source, also after a failure, and
 * vmaf_input_interrupt makes reads that wait for a pipe, now or later, return -ECANCELED. */
int input_open(Input *input, const char *path);

/* Reads until `size` bytes or the end. *got tells how many. 0; negative errno. */
int input_read(Input *input, void *buffer, size_t size, size_t *got);

/* Gives the first bytes back, up to INPUT_UNREAD_SIZE: they are read next. */
void input_unread(Input *input, const void *bytes, size_t size);

/*
 * Opens a window on `size` bytes of a file, which must have them, starting `offset` bytes after the
 * read position, which does not move. Its pages are brought in, unless they may be left to who
 * touches them first, and nobody would have to wait for a disk. 0; negative errno: read the bytes
 * instead.
 */
int input_open_window(const Input *input, size_t offset, size_t size, bool leaves_pages,
                      VmafFileWindow *window);

/* Passes over bytes; *got is less than `size` only at the end. 0; negative errno. */
int input_skip(Input *input, size_t size, size_t *got);

/* 1 if no byte is left, 0 if there is one; negative errno. Pipes: waits until that is known. */
int input_at_end(Input *input);

/* Does the file certainly hold less than `size` more bytes? Always false for pipes. */
bool input_falls_short(Input *input, size_t size);

/* Copies up to `size` bytes of a file without moving the read position; returns their number. 0
 * for pipes. */
size_t input_peek(const Input *input, void *buffer, size_t size);

/* Bytes left in a file; -1 for pipes. */
int64_t input_left(const Input *input);

/*
 * Has a file lost bytes since it was opened, or were bytes changed in it? It may have grown. False
 * for pipes. From any thread.
 */
bool input_was_changed(const Input *input);

#endif
