/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_ENCODE_POINT_H
#define TUNE_ENGINE_ENCODE_POINT_H

/* An encode as the engine sees it: the quality parameter, bitrate and score. */

#include <stdbool.h>
#include <stddef.h>

/* The integer that an encoder has for quality (CRF, QP, CQ ...), called q. */
typedef struct Knob {
    int lowest, highest;
    bool higher_is_better;
} Knob;

/*
 * All searches are made in the compression index k: 0 is the best quality, and quality falls with
 * rising k whatever the direction of q.
 */
static inline int knob_index(const Knob *knob, int q)
{
    return knob->higher_is_better ? knob->highest - q : q - knob->lowest;
}

static inline int knob_value(const Knob *knob, int k)
{
    return knob->higher_is_better ? knob->highest - k : knob->lowest + k;
}

static inline int knob_last_index(const Knob *knob)
{
    return knob->highest - knob->lowest;
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
