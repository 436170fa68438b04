/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_ENCODE_POINT_H
#define TUNE_ENGINE_ENCODE_POINT_H

/* An encode as the engine sees it: the quality parameter, bitrate and score. */

#include <stdbool.h>
#include <stddef.h>

/* The integer that an encoder has for quality (CRF, QP, CQ ...), called q. */
typedef struct QualityRange {
    int lowest, highest;
    bool higher_is_better;
} QualityRange;

/*
 * All searches are made in the compression index k: 0 is the best quality, and quality falls with
 * rising k whatever the direction of q.
 */
static inline int quality_index(const QualityRange *qualities, int q)
{
    return qualities->higher_is_better ? qualities->highest - q : q - qualities->lowest;
}

static inline int quality_value(const QualityRange *qualities, int k)
{
    return qualities->higher_is_better ? qualities->highest - k : qualities->lowest + k;
}

static inline int quality_last_index(const QualityRange *qualities)
{
    return qualities->highest - qualities->lowest;
}

/* One encode, measured or hypothetical, as choices are made among them. */
typedef struct EncodePoint {
    int width, height; /* pixels, as encoded */
    int q;             /* the encoder's quality parameter */
    double kbps;
    double score;
    double low, high;  /* the interval that the score is in; NAN if nobody knows */
    bool hypothetical; /* computed from others: measure it before you rely on it */
    size_t source;     /* the caller's: which row or file this is */
} EncodePoint;

#endif
