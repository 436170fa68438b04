/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/prediction.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/backends/backend_manager.h"

static const ColumnRank after_features = {COLUMN_AFTER, 0, 0};

/* The four figures of a collection, in the order in which reports show them. */
enum { FIGURE_BAGGING, FIGURE_STDDEV, FIGURE_LOW, FIGURE_HIGH, N_FIGURES };

static const char *const figure_suffix[N_FIGURES] = {"_bagging", "_stddev", "_ci_p95_lo",
                                                     "_ci_p95_hi"};

static int figure_keys(const VmafModelCollection *collection, char *keys[N_FIGURES])
{
    for (int f = 0; f < N_FIGURES; f++)
        keys[f] = NULL;
    for (int f = 0; f < N_FIGURES; f++) {
        if (asprintf(&keys[f], "%s%s", model_collection_name(collection), figure_suffix[f]) < 0) {
            keys[f] = NULL;
            return -ENOMEM;
        }
    }
    return 0;
}

static void free_keys(char *keys[N_FIGURES])
{
    for (int f = 0; f < N_FIGURES; f++)
        free(keys[f]);
}

static void figures_to_score(const double figures[N_FIGURES], VmafModelCollectionScore *score)
{
    *score = (VmafModelCollectionScore){.type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP};
    score->bootstrap.bagging_score = figures[FIGURE_BAGGING];
    score->bootstrap.stddev = figures[FIGURE_STDDEV];
    score->bootstrap.ci.p95.lo = figures[FIGURE_LOW];
    score->bootstrap.ci.p95.hi = figures[FIGURE_HIGH];
}

static int predict(VmafContext *context, const VmafModel *model, unsigned index, double *raw,
                   double *score)
{
    double features[MODEL_MAX_FEATURES];
    for (unsigned i = 0; i < model_feature_count(model); i++) {
        Reason why;
        const char *key = model_feature_key(model, i, &why);
        if (!key) {
            log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "model \"%s\": %s",
                        model_name(model), why.text);
            return -EINVAL;
        }
        int err = context_score(context, key, index, &features[i]);
        if (err) {
            log_message(&context->logger, VMAF_LOG_LEVEL_ERROR,
                        "model \"%s\" needs feature \"%s\", which has no score at index %u",
                        model_name(model), key, index);
            return err;
        }
    }
    return model_predict(model, features, raw, score);
}

int predict_at(VmafContext *context, const VmafModel *model, unsigned index, double *score)
{
    if (backend_manager_scores_invalid(context->manager))
        return -EIO;
    if (!collector_get(&context->collector, model_name(model), index, score))
        return 0;
    double predicted;
    int err = predict(context, model, index, NULL, &predicted);
    if (!err)
        err = collector_keep_key(&context->collector, model_name(model), after_features, index,
                                 predicted);
    if (!err)
        *score = predicted;
    return err;
}

static int predict_members(VmafContext *context, const VmafModelCollection *collection,
                           unsigned index, double raw[])
{
    for (unsigned m = 0; m < model_collection_size(collection); m++) {
        const VmafModel *member = model_collection_member(collection, m);
        double score;
        int err = predict(context, member, index, &raw[m], &score);
        if (!err)
            err = collector_keep_key(&context->collector, model_name(member), after_features, index,
                                     score);
        if (err)
            return err;
    }
    return 0;
}

static int predict_figures(VmafContext *context, const VmafModelCollection *collection,
                           char *keys[N_FIGURES], unsigned index, VmafModelCollectionScore *score)
{
    double *raw = calloc(model_collection_size(collection) + 1, sizeof(*raw));
    if (!raw)
        return -ENOMEM;
    int err = predict_members(context, collection, index, raw);
    if (!err)
        err = model_collection_combine(collection, raw, score);
    free(raw);
    if (err)
        return err;
    const double figures[N_FIGURES] = {
        score->bootstrap.bagging_score,
        score->bootstrap.stddev,
        score->bootstrap.ci.p95.lo,
        score->bootstrap.ci.p95.hi,
    };
    for (int f = 0; f < N_FIGURES && !err; f++)
        err = collector_keep_key(&context->collector, keys[f], after_features, index, figures[f]);
    return err;
}

static int stored_or_predicted(VmafContext *context, const VmafModelCollection *collection,
                               char *keys[N_FIGURES], unsigned index,
                               VmafModelCollectionScore *score)
{
    double figures[N_FIGURES];
    if (backend_manager_scores_invalid(context->manager))
        return -EIO;
    for (int f = 0; f < N_FIGURES; f++) {
        if (collector_get(&context->collector, keys[f], index, &figures[f]))
            return predict_figures(context, collection, keys, index, score);
    }
    figures_to_score(figures, score);
    return 0;
}

int predict_collection_at(VmafContext *context, const VmafModelCollection *collection,
                          unsigned index, VmafModelCollectionScore *score)
{
    char *keys[N_FIGURES];
    int err = figure_keys(collection, keys);
    if (!err)
        err = stored_or_predicted(context, collection, keys, index, score);
    free_keys(keys);
    return err;
}

/* First index >= low that sub-sampling leaves; beyond the 32-bit range if there is none. */
static uint64_t first_sampled(const VmafContext *context, unsigned low, unsigned *step)
{
    *step = context->cfg.n_subsample > 1 ? context->cfg.n_subsample : 1;
    return ((uint64_t)low + *step - 1) / *step * *step;
}

static int wait_for_scores(VmafContext *context, const char *key, unsigned low, unsigned high)
{
    unsigned step;
    double ignored;
    int err = 0;
    for (uint64_t i = first_sampled(context, low, &step); i <= high && !err; i += step)
        err = context_score(context, key, (unsigned)i, &ignored);
    return err;
}

int feature_statistic(VmafContext *context, const char *key, const Statistic *statistic,
                      unsigned low, unsigned high, double *value)
{
    if (low > high)
        return -EINVAL;
    const int err = wait_for_scores(context, key, low, high);
    return err ? err
               : collector_pool_statistic(&context->collector, key, low, high,
                                          context->cfg.n_subsample, statistic, value);
}

int feature_pooled(VmafContext *context, const char *key, enum VmafPoolingMethod method,
                   unsigned low, unsigned high, double *score)
{
    if (low > high || method == VMAF_POOL_METHOD_UNKNOWN)
        return -EINVAL;
    int err = wait_for_scores(context, key, low, high);
    if (err)
        return err;
    Pooled pooled;
    err = collector_pool(&context->collector, key, low, high, context->cfg.n_subsample, &pooled);
    return err ? err : pooled_by_method(&pooled, method, score);
}

int predict_pooled(VmafContext *context, const VmafModel *model, enum VmafPoolingMethod method,
                   unsigned low, unsigned high, double *score)
{
    if (low > high || method == VMAF_POOL_METHOD_UNKNOWN)
        return -EINVAL;
    unsigned step;
    double ignored;
    for (uint64_t i = first_sampled(context, low, &step); i <= high; i += step) {
        int err = predict_at(context, model, (unsigned)i, &ignored);
        if (err)
            return err;
    }
    return feature_pooled(context, model_name(model), method, low, high, score);
}

static int pool_figures(VmafContext *context, char *keys[N_FIGURES], enum VmafPoolingMethod method,
                        unsigned low, unsigned high, VmafModelCollectionScore *score)
{
    double figures[N_FIGURES];
    for (int f = 0; f < N_FIGURES; f++) {
        int err = feature_pooled(context, keys[f], method, low, high, &figures[f]);
        if (err)
            return err;
    }
    figures_to_score(figures, score);
    return 0;
}

int predict_collection_pooled(VmafContext *context, const VmafModelCollection *collection,
                              enum VmafPoolingMethod method, unsigned low, unsigned high,
                              VmafModelCollectionScore *score)
{
    if (low > high || method == VMAF_POOL_METHOD_UNKNOWN)
        return -EINVAL;
    char *keys[N_FIGURES];
    int err = figure_keys(collection, keys);
    unsigned step;
    for (uint64_t i = first_sampled(context, low, &step); i <= high && !err; i += step)
        err = stored_or_predicted(context, collection, keys, (unsigned)i, score);
    if (!err)
        err = pool_figures(context, keys, method, low, high, score);
    free_keys(keys);
    return err;
}
