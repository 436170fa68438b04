/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_PREDICTION_H
#define CORE_ENGINE_PREDICTION_H

#include "engine/context.h"

/*
 * Scores of models and collections, made from the scores of features when they are asked for and
 * kept in the collector under the model's name. 0; -EINVAL if a feature score is missing; -ENOMEM.
 */
int predict_at(VmafContext *context, const VmafModel *model, unsigned index, double *score);
int predict_collection_at(VmafContext *context, const VmafModelCollection *collection,
                          unsigned index, VmafModelCollectionScore *score);

/* Pooled over low..high, both included. -EINVAL also for an unknown method or low > high. */
int predict_pooled(VmafContext *context, const VmafModel *model, enum VmafPoolingMethod method,
                   unsigned low, unsigned high, double *score);
int predict_collection_pooled(VmafContext *context, const VmafModelCollection *collection,
                              enum VmafPoolingMethod method, unsigned low, unsigned high,
                              VmafModelCollectionScore *score);
/* The same for the score of a feature. */
int feature_pooled(VmafContext *context, const char *key, enum VmafPoolingMethod method,
                   unsigned low, unsigned high, double *score);
int feature_statistic(VmafContext *context, const char *key, const Statistic *statistic,
                      unsigned low, unsigned high, double *value);

#endif
