/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_PREDICT_INTERNAL_H
#define TUNE_COMMANDS_PREDICT_INTERNAL_H

/* vmaf-tune predict: qualities of shots from one quick encode of each, and whether that holds. */

#include "tune/engine/prediction.h"
#include "tune/engine/score_statistics.h"
#include "tune/measure/source_shots.h"
#include "tune/session/search.h"

#include <jansson.h>

typedef struct PredictSettings {
    SearchChoice search;
    const char *output, *report;
    double threshold;
    int validate_k;
    int format; /* 0: JSON, 1: text */
} PredictSettings;

/* What the quality of a shot rests on. */
typedef enum PredictionBasis { PREDICTED, MEASURED, SEARCHED } PredictionBasis;

typedef struct PredictedShot {
    Shot shot;
    PredictionFeatures features;
    int q;
    double predicted; /* score at q; NAN: it was searched for, not predicted */
    double kbps;      /* expected, or measured */
    bool reachable;
    PredictionBasis basis;
    double measured; /* score at q; NAN: it was not measured */
    /* The result of validation. */
    bool is_validated;
    int validated_q;
    double validated_score, residual; /* measured, and that minus predicted */
    MeasuredEncode encode;
} PredictedShot;

typedef struct PredictRun {
    const PredictSettings *settings;
    const TuneSource *source;
    SessionEncoder encoder;
    const char *vmaf_model, *pool; /* what its scores are */
    PredictedShot *shots;
    size_t n;
    ScoreModel model; /* that predicts now */
    bool is_refitted;
    Validation validation;
    size_t n_validated;
} PredictRun;

/* All of the work, a status. Free in either case. */
int predict_all(Session *session, PredictRun *run);
void predict_free(PredictRun *run);

#endif
