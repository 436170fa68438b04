/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_WINDOW_READER_H
#define TUNE_MEASURE_WINDOW_READER_H

/* Reads windows of a video as pictures, ahead of whoever takes them. */

#include "media/read_ahead.h"
#include "tune/engine/sampling.h"

typedef struct WindowReader {
    VideoReader *reader;
    ReadAheadConfig config;
    const SampleWindow *windows;
    size_t n_windows;
    size_t window;     /* that is read */
    size_t position;   /* frame of the video that is next */
    size_t left;       /* frames of the window */
    ReadAhead **ahead; /* of each window so far: its pictures may still be in use */
} WindowReader;

/* The reader is at its first frame, and is used until window_reader_close. `windows` stay the
 * caller's. 0; -ENOMEM. */
int window_reader_open(WindowReader *windows, VideoReader *reader, const ReadAheadConfig *config,
                       const SampleWindow *window, size_t n_windows);
/* 1; 0 behind the last window or at the end of the video; negative errno and why. */
int window_reader_next(WindowReader *windows, VmafPicture *picture, Message *why);
/* After all pictures were released. */
void window_reader_close(WindowReader *windows);

#endif
