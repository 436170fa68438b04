/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SCORES_H
#define TUNE_MEASURE_SCORES_H

/* Scores of all frames of an encode, of every model and feature. */

#include "tune/engine/pooled_scores.h"

#include <jansson.h>

typedef struct ScoreSeries {
    char *name;     /* as in reports: "vmaf", "integer_adm2", ... */
    double *values; /* of each frame */
} ScoreSeries;

typedef struct EncodeScores {
    size_t frames;
    ScoreSeries *series;
    size_t n_series;
    char *backend; /* that computed them: "cpu", "cuda", ... */
    char *device;  /* its name, or "" */
    double ms;     /* wall time of decoding and scoring */
} EncodeScores;

void encode_scores_free(EncodeScores *scores);

/* By its name, with or without the prefix "integer_"; NULL if there is none. */
const ScoreSeries *encode_scores_find(const EncodeScores *scores, const char *name);

/* A new reference; NULL without memory. Numbers read back to the same doubles. */
json_t *encode_scores_to_json(const EncodeScores *scores);
/* 0; -EINVAL if it is not what the function above writes; -ENOMEM; then there are no scores. */
int encode_scores_from_json(EncodeScores *scores, const json_t *json);

#endif
