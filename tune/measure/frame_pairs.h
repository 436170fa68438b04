/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_FRAME_PAIRS_H
#define TUNE_MEASURE_FRAME_PAIRS_H

/* Frames of a reference, each with that of an encode, which looks like it. */

#include "media/read_ahead.h"
#include "tune/measure/reference.h"

typedef struct FramePairs {
    TuneReference *reference;
    VideoReader reader; /* of the encode */
    bool is_open;
    ReadAhead *ahead;
    ReferenceCursor *cursor;
    bool allows_mismatch; /* the longer one is cut off */
    size_t taken;
} FramePairs;

/* `planes`: bit p: plane p is looked at. 0; negative errno and why. Close in either case. */
int frame_pairs_open(FramePairs *pairs, TuneReference *reference, const char *encode,
                     unsigned planes, bool allows_mismatch, Message *why);
/* The next pair, both references of the caller's. 1; 0 at the end; -ERANGE: one ends before the
 * other; another negative errno; and why. */
int frame_pairs_next(FramePairs *pairs, VmafPicture *reference, VmafPicture *distorted,
                     Message *why);
/* Nothing is read any more. */
void frame_pairs_stop(FramePairs *pairs);
/* After frame_pairs_stop, when all pictures were released. */
void frame_pairs_close(FramePairs *pairs);

#endif
