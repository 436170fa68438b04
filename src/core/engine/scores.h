/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_SCORES_H
#define CORE_ENGINE_SCORES_H

#include "engine/context.h"

/* ---- finishing ---- */

/* FrameRetire: turns the records of a frame into scores. `cookie` is the context. */
void finish_frame(void *cookie, const Frame *frame);
/* At the end of the stream: writes the scores that sequences have held back. 0, or the error, which
 * the context keeps. */
int finish_stream(VmafContext *context);

/* ---- scores that there are ---- */

int context_import(VmafContext *context, const char *key, unsigned index, double value);
/* A score that is there or will be when frames in work are done; else -EINVAL. */
int context_score(VmafContext *context, const char *key, unsigned index, double *score);
/* Fills in what the context knows; `view` keeps the columns until collector_view_end, `members`
 * (free) the rest. */
int context_report(VmafContext *context, Report *report, CollectorView *view, void **members);

/* Key and report name of column `index`: of those that there are, and until the flush also of those
 * that the registered features will have. 0; -ERANGE; -ENOMEM. */
int rows_column(VmafContext *context, size_t index, const char **key, const char **name);

/* Waits until the scores of features of a frame are known. 0; -EAGAIN if they depend on frames that
 * were not read; -EINVAL if there will be none; the error that keeps them from being computed. */
int rows_wait(VmafContext *context, unsigned index);

/* ---- models ---- */

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
