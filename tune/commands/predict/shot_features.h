/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_PREDICT_SHOT_FEATURES_H
#define TUNE_COMMANDS_PREDICT_SHOT_FEATURES_H

/* Features of a shot in documents of predict, which others read as well. */

#include "tune/engine/prediction.h"

#include <jansson.h>

/* A new reference; NULL without memory. */
json_t *shot_features_to_json(const PredictionFeatures *features);

/* 0; -EINVAL: one that always has to be there is no number, or none that a video can have. */
int shot_features_from_json(PredictionFeatures *features, const json_t *json);

#endif
