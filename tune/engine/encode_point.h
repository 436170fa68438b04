/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_ENCODE_POINT_H
#define TUNE_ENGINE_ENCODE_POINT_H

#include <stdbool.h>
#include <stddef.h>

/* One encode, measured or hypothetical, as choices are made among them. */
typedef struct EncodePoint {
    int width, height; /* pixels, as encoded */
    int q;             /* the encoder's quality knob */
    double kbps;
    double score;
    double low, high;  /* the interval that the score is in; NAN if nobody knows */
    bool hypothetical; /* computed from others: measure it before you rely on it */
    size_t source;     /* the caller's: which row or file this is */
} EncodePoint;

#endif
