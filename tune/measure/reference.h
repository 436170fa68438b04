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
    unsigned planes;   /* bit p: somebody looks at plane p */
    size_t memory;     /* bytes that may be kept */
    unsigned decoders; /* threads of a decoder */
} ReferenceOptions;

/* The source has to outlive it. 0; negative errno and why. */
int reference_open(TuneReference **reference, const TuneSource *source,
                   const ReferenceOptions *options, Message *why);
/* After all cursors are closed. NULL is allowed. */
void reference_close(TuneReference *reference);

/* Frames there are. */
size_t reference_frames(const TuneReference *reference);

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

/* -- frames of a reference, each with that of an encode, which looks like it -- */

typedef struct FramePairs {
    TuneReference *reference;
    VideoReader reader; /* of the encode */
    bool is_open;
    ReadAhead *ahead;
    ReferenceCursor *cursor;
    bool allows_mismatch; /* the longer one is cut off */
    size_t taken;
} FramePairs;

/* `planes`: bit p: plane p is looked at. `no_film_grain`: none is made for the encode. 0; negative
 * errno and why. Close in either case. */
int frame_pairs_open(FramePairs *pairs, TuneReference *reference, const char *encode,
                     unsigned planes, bool allows_mismatch, bool no_film_grain, Message *why);
/* The next pair, both references of the caller's. 1; 0 at the end; -ERANGE: one ends before the
 * other; another negative errno; and why. */
int frame_pairs_next(FramePairs *pairs, VmafPicture *reference, VmafPicture *distorted,
                     Message *why);
/* Nothing is read any more. */
void frame_pairs_stop(FramePairs *pairs);
/* After frame_pairs_stop, when all pictures were released. */
void frame_pairs_close(FramePairs *pairs);

#endif
