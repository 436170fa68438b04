/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_SHOTS_H
#define TUNE_ENGINE_SHOTS_H

/* Parts of a video: shots, found from luma alone one frame after another, and windows that stand
 * for all of it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHOT_HISTOGRAM_BINS = 64, SHOT_GRID_WIDTH = 32, SHOT_GRID_HEIGHT = 18 };

/* What is kept of a frame. Samples are normalised to [0, 1]. */
typedef struct FrameSignature {
    double complexity; /* variance of luma */
    double motion;     /* mean absolute difference to the frame before; 0 for the first */
    double mean;       /* of luma */
    uint32_t histogram[SHOT_HISTOGRAM_BINS];
    uint64_t samples;
    float grid[SHOT_GRID_HEIGHT][SHOT_GRID_WIDTH]; /* means of the cells of the picture */
} FrameSignature;

/* Luma of a frame; samples of more than 8 bits are of 16-bit words in the machine's byte order. */
typedef struct LumaPlane {
    const void *samples;
    ptrdiff_t stride; /* bytes */
    int width, height;
    int bit_depth; /* 8 to 16 */
} LumaPlane;

/* `before` is the frame before, of the same format, or NULL. 0; -EINVAL. */
int frame_signature(const LumaPlane *frame, const LumaPlane *before, FrameSignature *signature);

typedef struct Shot {
    size_t first, end; /* frames [first, end) */
    double complexity; /* means of its frames */
    double motion;
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
    size_t join_below; /* of the shots that were found, those with fewer frames join a neighbour */
} ShotOptions;

#define SHOT_DEFAULT_THRESHOLD 12.0
#define SHOT_CONTENT_THRESHOLD 30.0
enum { SHOT_DEFAULT_MIN_FRAMES = 4, MAX_SHOTS = 4096 };
/* Shorter ones are not worth an encode of their own: motion is often taken for a cut, and each
 * encode begins with a keyframe. */
enum { SHOT_ENCODED_MIN_FRAMES = 24 };

enum { SHOT_FLASH_FRAMES = 4 }; /* longer ones are shots */

/* What is kept of each frame until all are known. */
typedef struct FrameChange {
    double complexity, motion;
    float step;  /* 1 - correlation with the frame before */
    float reach; /* the same with the frame SHOT_FLASH_FRAMES before */
    bool is_flat;
    bool is_difference; /* by the rules of differences and histograms it may be a cut */
} FrameChange;

/* State of a detector; its members are its own. Set to {0} and give it options. */
typedef struct ShotDetector {
    ShotOptions options;
    FrameChange *changes; /* of all frames */
    size_t frames, capacity;
    Shot *shots;
    FrameSignature before[SHOT_FLASH_FRAMES]; /* number i is at i modulo their number */
} ShotDetector;

/* The next frame. 0; -ENOMEM. */
int shot_detector_put(ShotDetector *detector, const FrameSignature *signature);
/* Finds the shots, which belong to the detector. Their number; -ENOMEM; -E2BIG: more than
 * MAX_SHOTS. */
int shot_detector_finish(ShotDetector *detector, const Shot **shots);
void shot_detector_free(ShotDetector *detector);

/*
 * Cuts shots of more than max_frames, which need not be whole, into equal parts, as few as are
 * needed, but none without a frame. *parts is to be freed; means are those of the shots. Their
 * number; -ENOMEM; -EINVAL if max_frames is not above 0.
 */
int shots_split(const Shot *shots, size_t n, double max_frames, Shot **parts);

/*
 * Joins shots of fewer than min_frames that follow each other, and then those that are left with
 * the neighbour that is most like them, the earlier of equals. In place; the number that is left,
 * at least 1 if n was.
 */
size_t shots_join_short(Shot *shots, size_t n, size_t min_frames);

/* What a quality parameter is likely to need whose higher values mean worse quality. */
typedef struct ShotPlan {
    double target; /* score, 0 to 100 */
    double lowest, highest;
} ShotPlan;

/* A guess from motion and complexity alone, within [lowest, highest]. */
double shot_predicted_q(const Shot *shot, const ShotPlan *plan);

/* -- windows -- */

typedef struct FrameRate {
    int numerator, denominator; /* frames, in seconds; both above 0 */
} FrameRate;

typedef struct SampleWindow {
    size_t first, frames;
    size_t stands_for; /* frames of the video: its weight */
} SampleWindow;

/*
 * n_windows windows of together `seconds`, of a video of `frames` frames: one is in the middle,
 * more are in the middles of as many parts. All frames are one window if seconds is 0 or the video
 * is no longer. Windows are ascending and do not overlap; windows has room for n_windows. Their
 * number; -EINVAL if there are no frames, no windows or the rate is not positive.
 */
int sample_by_time(size_t frames, FrameRate rate, double seconds, size_t n_windows,
                   SampleWindow *windows);

/*
 * The same budget, by content: shots are put in order of what they are likely to need (their motion
 * and complexity), and n_windows of them are taken at equal distances in frames of that order. A
 * window is in the middle of its shot, or of its part of a long one, and never crosses a cut.
 * Ascending, without overlap. Their number, which is smaller where shots are few and short;
 * -EINVAL; -ENOMEM.
 */
int sample_by_shots(const Shot *shots, size_t n_shots, FrameRate rate, double seconds,
                    size_t n_windows, SampleWindow *windows);

#endif
