/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_ENCODE_POINT_H
#define TUNE_ENCODE_ENCODE_POINT_H

/* What is encoded and how, in numbers: windows of a video, the quality parameter, bitrate, score.
 */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct FrameRate {
    int numerator, denominator; /* frames, in seconds; both above 0 */
} FrameRate;

static inline double frames_seconds(FrameRate rate, double frames)
{
    return frames * rate.denominator / rate.numerator;
}

typedef struct SampleWindow {
    size_t first, frames;
    size_t stands_for; /* frames of the video: its weight */
} SampleWindow;

/* The number that an encoder has for quality (CRF, QP, CQ ...), called q: lowest, lowest + 1 /
 * per_unit, ... highest. */
typedef struct QualityRange {
    int lowest, highest;
    int per_unit; /* steps of each unit; 0 and 1: whole numbers */
    bool higher_is_better;
} QualityRange;

/*
 * All searches are made in the compression index k: 0 is the best quality, and quality falls with
 * rising k by a step each, whatever the direction of q.
 */
static inline int quality_steps(const QualityRange *qualities)
{
    return qualities->per_unit > 1 ? qualities->per_unit : 1;
}

/* The index of q, or of the value nearest to it. */
static inline int quality_index(const QualityRange *qualities, double q)
{
    const double units =
        qualities->higher_is_better ? qualities->highest - q : q - qualities->lowest;
    return (int)lround(units * quality_steps(qualities));
}

static inline double quality_value(const QualityRange *qualities, int k)
{
    const int steps = quality_steps(qualities);
    return (double)(qualities->higher_is_better ? qualities->highest * steps - k
                                                : qualities->lowest * steps + k) /
           steps;
}

static inline int quality_last_index(const QualityRange *qualities)
{
    return (qualities->highest - qualities->lowest) * quality_steps(qualities);
}

/* True if q is one of the values that `steps` for each unit make. */
static inline bool quality_is_step(double q, int steps)
{
    return fabs(q * steps - rint(q * steps)) < 1e-6;
}

/* Conditions at most that scores have to reach. */
enum { SEARCH_MAX_GATES = 8 };

/* One encode, as choices are made among them. */
typedef struct EncodePoint {
    int width, height; /* pixels, as encoded */
    double q;          /* the encoder's quality parameter */
    double kbps;
    double score;
    size_t source; /* the caller's: which row or file this is */
} EncodePoint;

#endif
