/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_READ_AHEAD_H
#define MEDIA_READ_AHEAD_H

/* Frames ahead of whoever takes them, in memory or on the device that has decoded them. */

#include "common/messages.h"
#include "libvmaf/libvmaf.h"
#include "media/video_reader.h"

/*
 * Reads a video on a thread of its own, a few frames ahead of whoever takes them. Each file has
 * its own thread, so that two pipes fed by one program cannot wait for each other.
 *
 * Small frames are read several at a time, up to READ_AHEAD_BYTES, since waking a thread takes
 * longer than such a frame. Max_buffers grows by twice as many.
 *
 * To use a file in place, its pages have to be entered into the tables of this process, which takes
 * as long as some features do. The thread that reads does it if it has a processor of its own and
 * keeps up; else those who score do, of whom there are more.
 */
typedef struct ReadAhead ReadAhead;

enum { READ_AHEAD_BYTES = 256 * 1024, READ_AHEAD_FRAMES = 32 };

typedef struct ReadAheadConfig {
    unsigned depth;         /* frames that wait at most; of small ones more do, see below */
    unsigned max_buffers;   /* frames in memory at most, those in use included; more than depth */
    unsigned n_scorers;     /* threads that use the frames; 0: as 1 */
    unsigned n_processors;  /* for them and for those that read; 0: unknown, but enough */
    unsigned skip;          /* frames to pass over first */
    unsigned limit;         /* frames to deliver at most; 0: all */
    unsigned wanted_planes; /* see vmaf_planes_needed */
    unsigned output_depth;  /* bit depth of the pictures, at least that of the file */
    VmafContext *vmaf;      /* that the frames are for, until read_ahead_stop; NULL: unknown */
    bool takes_signatures;  /* of frames that stay on a device */
    bool never_maps;        /* files are read, not used in place: who shortens one then ends this
                               reading, not the program */
} ReadAheadConfig;

/* `reader` is used by the thread until read_ahead_stop. 0; negative errno. */
int read_ahead_start(ReadAhead **read_ahead, VideoReader *reader, const ReadAheadConfig *config);

/*
 * Takes the next frame as a picture that refers to the memory or file that holds it; releasing the
 * picture gives the frame back. 1; 0 at the end of the file; -EAGAIN if there was none for
 * `limit_ms`; another negative errno with the reason. The end and errors follow the frames
 * before them, and every later call returns them again.
 */
int read_ahead_next(ReadAhead *read_ahead, unsigned limit_ms, VmafPicture *picture, Message *why);

/* When the frame that was taken last is shown, see video_reader_time. By who takes frames. */
double read_ahead_time(const ReadAhead *read_ahead);

/* What it looks like if it is on a device and that was asked for, else NULL; until the next one is
 * taken. By who takes frames. */
const Signature *read_ahead_signature(const ReadAhead *read_ahead);

/* Raises the number of frames in memory, for those that will never be released. */
void read_ahead_allow_more(ReadAhead *read_ahead, unsigned frames);

/* Ends the thread, even one that waits for a pipe. NULL is allowed. The reader can be used again if
 * all frames, and the end, were taken. */
void read_ahead_stop(ReadAhead *read_ahead);

/* After read_ahead_stop, and after all pictures were released. NULL is allowed. */
void read_ahead_destroy(ReadAhead *read_ahead);

/* -- frames that are scored on the device that has decoded them -- */

/* Are the frames of this video, as they come from its decoder, pictures of that depth? Then
 * reader->stays_on_device may be set before video_reader_prepare; else `why` says what is to be
 * done to them, such as "is scaled". */
bool device_frames_can_stay(const VideoReader *reader, unsigned output_depth, Message *why);

/* Fills in the signature of such a frame. 0; negative errno with reader->error. */
int device_frames_take_signature(VideoReader *reader, FrameBuffer *buffer);

#endif
