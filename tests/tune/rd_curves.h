/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TUNE_RD_CURVES_H
#define TESTS_TUNE_RD_CURVES_H

/* Recorded curves of real encodes (rd_curves.txt and evaluation_curves.txt, made by
 * record_curves.py), for simulated searches. */

#include "tune/search/search.h"

enum { MAX_RD_CURVES = 64, MAX_RD_POINTS = 96, RD_NAME_SIZE = 32 };

typedef struct RdPoint {
    double q, kbps, mean, p1, min;
} RdPoint;

typedef struct RdCurve {
    char clip[RD_NAME_SIZE], encoder[RD_NAME_SIZE];
    int first_frame, frames;
    RdPoint points[MAX_RD_POINTS]; /* ascending q */
    size_t n;
} RdCurve;

typedef struct RdCurves {
    RdCurve curves[MAX_RD_CURVES];
    size_t n;
} RdCurves;

/* False, after a message, if the file cannot be read or has something else. */
bool rd_curves_read(RdCurves *curves, const char *path);

/* What an encode at q would have measured: recorded, or monotone cubic interpolation between
 * neighbours (of the logarithm of the bitrate). */
RdPoint rd_curve_at(const RdCurve *curve, double q);

/* The encoder's qualities, as far as the curve is recorded: by tenths if one of them is. */
QualityRange rd_curve_quality_range(const RdCurve *curve);

/*
 * The distribution of the lines of score over compression, of curves of one encoder: all, or (to
 * be fair) all but those of one clip. The position is that of the recordings' height.
 */
CurvePrior rd_curves_prior(const RdCurves *curves, const char *encoder, const char *without_clip);

#endif
