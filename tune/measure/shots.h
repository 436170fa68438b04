/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SHOTS_H
#define TUNE_MEASURE_SHOTS_H

/* Parts of a video: shots, found from luma alone one frame after another, and windows that stand
 * for all of it. */

#include "tune/encode/encode_point.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Luma of a frame; samples of more than 8 bits are of 16-bit words in the machine's byte order. */
typedef struct LumaPlane {
    const void *samples;
    ptrdiff_t stride; /* bytes */
    int width, height;
    int bit_depth; /* 8 to 16 */
} LumaPlane;

typedef struct Shot {
    size_t first, end; /* frames [first, end) */
    double complexity; /* mean variance of its frames' luma, of samples in [0, 1] */
    double motion;     /* mean absolute difference of each to the one before, likewise */
} Shot;

static inline size_t shot_frames(const Shot *shot)
{
    return shot->end - shot->first;
}

typedef enum ShotDetectorKind {
    SHOTS_BY_DIFFERENCE,
    SHOTS_BY_HISTOGRAM, /* and also where histograms differ, of frames of similar means */
    /* Where what is seen is replaced: frames on both sides of a cut do not correlate, even if one
     * is moved a little, and do so much less than their neighbours do. Flashes are no cuts; a fade
     * to one colour and from it has one in its middle. */
    SHOTS_BY_CONTENT,
} ShotDetectorKind;

typedef struct ShotOptions {
    ShotDetectorKind kind;
    double threshold;  /* of 255 * motion; by content: of 100 * (1 - correlation). Below 0:
                        * the default of the kind */
    size_t min_frames; /* no cut before a shot has that many */
    /* Shots that were found with fewer frames join each other where they follow each other, then
     * the neighbour that is most like them. */
    size_t join_below;
    double max_frames; /* longer ones are cut into equal parts, as few as are needed; 0: none */
} ShotOptions;

enum { SHOT_DEFAULT_MIN_FRAMES = 4, MAX_SHOTS = 4096 };
/* Shorter ones are not worth an encode of their own: motion is often taken for a cut, and each
 * encode begins with a keyframe. */
enum { SHOT_ENCODED_MIN_FRAMES = 24 };

typedef struct ShotDetector ShotDetector;

/* NULL without memory. */
ShotDetector *shot_detector_create(const ShotOptions *options);
/* NULL is allowed. */
void shot_detector_free(ShotDetector *detector);

/* The next frame, and the one before it, of the same format; NULL: there is none. 0; -ENOMEM. */
int shot_detector_put(ShotDetector *detector, const LumaPlane *frame, const LumaPlane *before);
/* Finds the shots of the frames so far, in order and without gaps; free. Their number; -ENOMEM;
 * -E2BIG: more than MAX_SHOTS; then there are none. */
int shot_detector_finish(const ShotDetector *detector, Shot **shots);

/* -- windows -- */

/*
 * n_windows windows of together `seconds`, of a video of `frames` frames: one is in the middle,
 * more are in the middles of as many parts. All frames are one window if seconds is 0 or the video
 * is no longer. Windows are ascending and do not overlap; windows has room for n_windows. Their
 * number, which is smaller where they would not fit; -EINVAL if there are no frames, no windows or
 * the rate is not positive.
 */
int sample_by_time(size_t frames, FrameRate rate, double seconds, size_t n_windows,
                   SampleWindow *windows);

#endif
