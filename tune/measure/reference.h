/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_REFERENCE_H
#define TUNE_MEASURE_REFERENCE_H

/*
 * The frames of a source, or of windows of it, that encodes are compared with. Those of the depth
 * and matrix that are asked for first are decoded once and kept if they fit into the memory that is
 * allowed; else each comparison decodes them again. Any number of comparisons may run at once, each
 * on a thread of its own.
 */

#include "libvmaf/picture.h"
#include "media/read_ahead.h"
#include "tune/measure/source.h"

typedef struct TuneReference TuneReference;

typedef struct ReferenceOptions {
    const SampleWindow *windows; /* ascending; NULL: the whole source */
    size_t n_windows;
    unsigned planes; /* bit p: somebody looks at plane p */
    size_t memory;   /* bytes that may be kept */
} ReferenceOptions;

/* The source has to outlive it. 0; negative errno and why. */
int reference_open(TuneReference **reference, const TuneSource *source,
                   const ReferenceOptions *options, Message *why);
/* After all cursors are closed. NULL is allowed. */
void reference_close(TuneReference *reference);

/* Frames there are, and planes that somebody looks at. */
size_t reference_frames(const TuneReference *reference);
unsigned reference_planes(const TuneReference *reference);

/* What frames look like, for those that are to be made like them. It is not read from. */
const VideoReader *reference_format(const TuneReference *reference);

/* One pass through the frames. */
typedef struct ReferenceCursor ReferenceCursor;

/* Samples are raised to that depth; RGB becomes YUV by that matrix, which is match_rgb_matrix's. 0;
 * negative errno and why. */
int reference_cursor_open(TuneReference *reference, unsigned depth, const char *rgb_matrix,
                          ReferenceCursor **cursor, Message *why);
/* The next frame, a reference of its own (vmaf_picture_unref). 1; 0 at the end; negative errno and
 * why. */
int reference_cursor_next(ReferenceCursor *cursor, VmafPicture *picture, Message *why);
/* NULL is allowed. */
void reference_cursor_close(ReferenceCursor *cursor);

/* Frames that are read ahead, and in memory beside those that are kept, of references and of what
 * is compared with them. */
enum { REFERENCE_AHEAD = 2, REFERENCE_BUFFERS = 24 };

/* Waits for the next picture. 1; 0 at the end; negative errno and why. */
int next_picture(ReadAhead *ahead, VmafPicture *picture, Message *why);

#endif
