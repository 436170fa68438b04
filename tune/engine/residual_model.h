/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_RESIDUAL_MODEL_H
#define TUNE_ENGINE_RESIDUAL_MODEL_H

/*
 * What predicted scores miss by, learned from one measurement after another: ridge regression by
 * recursive least squares (Haykin, Adaptive Filter Theory, 4th edition, chapter 9). After n
 * measurements the weights are those that minimise the sum of squares of what is left, plus the
 * ridge times the squares of the weights, whatever the order in which they came.
 */

#include "tune/engine/prediction.h"

enum { RESIDUAL_INPUTS = 14 };

#define RESIDUAL_RIDGE 1.0

typedef struct ResidualModel {
    double weights[RESIDUAL_INPUTS];
    double inverse[RESIDUAL_INPUTS][RESIDUAL_INPUTS]; /* of ridge plus sum of squares of inputs */
    size_t n;                                         /* measurements that it learned from */
} ResidualModel;

/* The name of input i, for people and files: "constant", "crf", "probe_kbps", ... */
const char *residual_input_name(size_t i);

/*
 * Inputs of an encode at q: standardised by constants, so that all are of similar size and what was
 * learned stays valid. What is not known (0 bytes, no saliency) is as the mean.
 */
void residual_inputs(const PredictionFeatures *features, double q, double inputs[RESIDUAL_INPUTS]);

/* A model that has learned nothing: it expects 0. */
void residual_model_start(ResidualModel *model, double ridge);

/* What to expect of measured minus predicted score. */
double residual_expected(const ResidualModel *model, const double inputs[RESIDUAL_INPUTS]);

/* 0; -EINVAL if an input or the residual is not finite: then the model is as it was. */
int residual_model_learn(ResidualModel *model, const double inputs[RESIDUAL_INPUTS],
                         double residual);

/* False if a number is not finite or the inverse not symmetric with a positive diagonal: nothing
 * that the functions above have made. */
bool residual_model_is_sound(const ResidualModel *model);

/*
 * The highest q of lowest..highest at which the prediction with what is expected to be missing
 * reaches the target, among those from the lowest on of which all do: learned terms may rise.
 */
QPrediction q_corrected(const ScoreModel *score, const ResidualModel *residual,
                        const PredictionFeatures *features, double target, int lowest, int highest);

/* The prediction with what is expected to be missing, in [0, 100]. */
double score_corrected(const ScoreModel *score, const ResidualModel *residual,
                       const PredictionFeatures *features, double q);

#endif
