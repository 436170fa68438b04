/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How scores are made of records, and what is made of scores: rows of reports, and scores of
 * models. */
#include "engine/scores.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/backend_manager.h"
#include "metrics/framework/extractor.h"

/* ---- finishing ---- */

/* Takes the scores of one instance to the collector. */
typedef struct InstanceSink {
    FeatureSink sink;
    VmafContext *context;
    FeatureInstance *instance;
    ColumnRank rank; /* of columns that this call makes */
} InstanceSink;

static int make_column(InstanceSink *target, unsigned output)
{
    const FeatureInstance *instance = target->instance;
    const FeatureOutput *spec = &instance->extractor->outputs[output];
    ColumnRank rank = target->rank;
    if (spec->flags & OUTPUT_LATE)
        rank = (ColumnRank){COLUMN_FLUSH, 0, instance->ordinal};
    char key[FEATURE_KEY_SIZE];
    feature_instance_output_key(instance, output, key);
    return collector_column(&target->context->collector, key, rank, &instance->columns[output]);
}

static void write_score(FeatureSink *sink, unsigned output, unsigned index, double value)
{
    InstanceSink *target = (InstanceSink *)sink;
    Column **column = &target->instance->columns[output];
    if (!*column)
        sink->status = make_column(target, output);
    if (!sink->status)
        sink->status = collector_put(&target->context->collector, *column, index, value);
}

static void write_aggregate(FeatureSink *sink, const char *name, double value)
{
    InstanceSink *target = (InstanceSink *)sink;
    char key[FEATURE_KEY_SIZE];
    if (target->instance->key_owner)
        feature_instance_key(target->instance, name, key);
    sink->status = collector_set_aggregate(&target->context->collector,
                                           target->instance->key_owner ? key : name, value);
}

static InstanceSink sink_for(VmafContext *context, FeatureInstance *instance, ColumnRank rank,
                             unsigned index)
{
    rank.ordinal = instance->ordinal;
    return (InstanceSink){
        .sink = {.write = write_score, .aggregate = write_aggregate, .index = index},
        .context = context,
        .instance = instance,
        .rank = rank,
    };
}

static void fail(VmafContext *context, const FeatureInstance *instance, unsigned index,
                 const Reason *why, int err)
{
    if (why->text[0])
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "%s", why->text);
    log_message(&context->logger, VMAF_LOG_LEVEL_WARNING,
                "problem with feature extractor \"%s\" at index %u", instance->extractor->name,
                index);
    atomic_store(&context->error, err);
}

/* Scores that a backend has finished itself. */
static int write_finished(const FeatureInstance *instance, const double *scores, FeatureSink *sink)
{
    for (unsigned i = 0; i < feature_output_count(instance->extractor); i++) {
        if (!isnan(scores[i]))
            feature_sink_write(sink, i, scores[i]);
    }
    return 0;
}

/* Writes the scores of a frame, as far as they are known with it. */
static void write_scores(VmafContext *context, const Frame *frame)
{
    for (unsigned i = 0; i < context->features.count && !atomic_load(&context->error); i++) {
        FeatureInstance *instance = context->features.instances[i];
        if (instance->request < 0 || !mask_has(&frame->wanted, (unsigned)instance->request))
            continue;
        int err = frame->status[instance->request];
        Reason why = {{0}};
        if (!err && !context->records.only) {
            ColumnRank rank = {COLUMN_FRAME, 2 * frame->position + 1, 0};
            InstanceSink target = sink_for(context, instance, rank, frame->index);
            FinishInput input = {
                .state = instance->state,
                .options = instance->options,
                .format = &context->work.format,
                .record = frame_record(context->queue, frame, (unsigned)instance->request),
                .position = frame->position,
                .index = frame->index,
                .why = &why,
            };
            err = context->work.requests[instance->request].scores
                      ? write_finished(instance, input.record, &target.sink)
                      : instance->extractor->finish(&input, &target.sink);
            if (!err)
                err = target.sink.status;
        }
        if (err)
            fail(context, instance, frame->index, &why, err);
    }
    if (!atomic_load(&context->error))
        atomic_store(&context->n_finished, frame->position + 1);
}

/* Returns the records of a frame, unless one has failed, which write_scores reports. */
static void keep_frame(VmafContext *context, const Frame *frame)
{
    const RecordKeeping *records = &context->records;
    for (unsigned r = 0; r < context->work.n_requests; r++)
        if (mask_has(&frame->wanted, r) && frame->status[r])
            return;
    if (mask_empty(&frame->wanted) || atomic_load(&context->error))
        return;
    stored_frame_pack(&records->layout, &context->work, context->queue, frame, records->data);
    const VmafStoredFrame stored = {sizeof(stored), frame->index, records->data,
                                    records->layout.n_bytes};
    const int err = records->keep(records->cookie, &stored);
    if (err)
        atomic_store(&context->error, err < 0 ? err : -EIO);
}

void finish_frame(void *cookie, const Frame *frame)
{
    VmafContext *context = cookie;
    TRACE_SCOPE(TRACE_WORK, "finish", TRACE_INDEX(frame->index));
    if (context->records.keep && !frame->stored)
        keep_frame(context, frame);
    write_scores(context, frame);
    /* To ask for the time takes longer than to finish a stored frame. */
    if (!frame->stored || frame->position % 64 == 0)
        collector_stamp(&context->collector);
    if (!frame->stored)
        backend_manager_count_frame(context->manager, frame);
    frame_trace_end(frame, false);
}

int finish_stream(VmafContext *context)
{
    if (context->records.only)
        return 0;
    for (unsigned i = 0; i < context->features.count; i++) {
        FeatureInstance *instance = context->features.instances[i];
        bool finished_elsewhere =
            instance->request >= 0 && context->work.requests[instance->request].scores;
        if (!instance->extractor->flush || finished_elsewhere)
            continue;
        InstanceSink target = sink_for(context, instance, (ColumnRank){COLUMN_FLUSH, 0, 0}, 0);
        const FinishInput input = {
            .state = instance->state,
            .options = instance->options,
            .format = &context->work.format,
        };
        int err = instance->extractor->flush(&input, &target.sink);
        if (!err)
            err = target.sink.status;
        if (err) {
            log_message(&context->logger, VMAF_LOG_LEVEL_WARNING,
                        "problem with feature extractor \"%s\" at the end of the stream",
                        instance->extractor->name);
            atomic_store(&context->error, err);
            return err;
        }
    }
    return 0;
}

/* ---- scores that there are ---- */

static bool find_position(VmafContext *context, unsigned index, double *position)
{
    vmaf_mutex_lock(&context->positions_lock);
    bool found = series_get(&context->positions, index, position);
    vmaf_mutex_unlock(&context->positions_lock);
    return found;
}

int context_import(VmafContext *context, const char *key, unsigned index, double value)
{
    ColumnRank rank = {COLUMN_FRAME, 2 * context->n_frames, 0};
    if (context->flushed)
        rank = (ColumnRank){COLUMN_AFTER, 0, 0};
    int err = collector_put_key(&context->collector, key, rank, index, value);
    if (!err)
        collector_stamp(&context->collector);
    return err;
}

/* Where a frame is in the order of calls. 0; -EINVAL if it was not read; -ENODEV, -EIO if there are
 * no scores. */
static int find_frame(VmafContext *context, unsigned index, uint64_t *position)
{
    double found;
    if (context_is_inherited(context))
        return -ENODEV;
    if (backend_manager_scores_invalid(context->manager))
        return -EIO;
    if (!find_position(context, index, &found))
        return -EINVAL;
    *position = (uint64_t)found;
    return 0;
}

int context_score(VmafContext *context, const char *key, unsigned index, double *score)
{
    if (context_is_inherited(context))
        return -ENODEV;
    if (backend_manager_scores_invalid(context->manager))
        return -EIO;
    if (!collector_get(&context->collector, key, index, score))
        return 0;

    const FeatureInstance *instance;
    unsigned output;
    double position;
    if (!find_position(context, index, &position) ||
        !feature_set_find_key(&context->features, key, &instance, &output))
        return -EINVAL;
    uint64_t last = (uint64_t)position;
    if (instance->extractor->determined_by)
        last = instance->extractor->determined_by(instance->options, output, last);
    if (last >= context->n_frames)
        return -EINVAL;
    frame_queue_wait(context->queue, last);
    return collector_get(&context->collector, key, index, score);
}

int context_report(VmafContext *context, Report *report, CollectorView *view, void **members)
{
    if (context_is_inherited(context))
        return -ENODEV;
    *report = (Report){
        .version = vmaf_version(),
        .width = context->started ? context->width : 0,
        .height = context->started ? context->height : 0,
        .n_subsample = context->cfg.n_subsample,
        .picture_count = context->picture_count,
        .statistics = &context->statistics,
    };
    int err = backend_manager_report(context->manager, &context->features, report, members);
    if (err)
        return err;
    err = collector_view_begin(&context->collector, view);
    if (err) {
        free(*members);
        return err;
    }
    report->fps = report->picture_count / view->seconds;
    report->columns = view->columns;
    report->n_columns = view->n_columns;
    report->aggregates = view->aggregates;
    report->n_aggregates = view->n_aggregates;
    return 0;
}

/* ---- rows ---- */

static bool is_written(const FeatureInstance *instance, unsigned output)
{
    const FeatureExtractor *extractor = instance->extractor;
    for (const OutputCondition *c = extractor->conditions; c && c->option; c++) {
        const OptionSpec *spec = option_find(extractor->options, c->option);
        if (output >= c->first && output - c->first < c->count && spec &&
            option_number(instance->options, spec) == 0)
            return false;
    }
    return true;
}

static uint64_t last_frame(const FeatureInstance *instance, unsigned output, uint64_t position)
{
    return instance->extractor->determined_by
               ? instance->extractor->determined_by(instance->options, output, position)
               : position;
}

/* As a stream that begins with a frame that is scored will create the columns. */
static int params_columns(VmafContext *context)
{
    int err = 0;
    for (unsigned i = 0; i < context->features.count; i++) {
        const FeatureInstance *instance = context->features.instances[i];
        const FeatureOutput *outputs = instance->extractor->outputs;
        for (unsigned o = 0; outputs[o].name && !err; o++) {
            char key[FEATURE_KEY_SIZE];
            ColumnRank rank = {COLUMN_FRAME, 2 * last_frame(instance, o, 0) + 1, instance->ordinal};
            if (outputs[o].flags & OUTPUT_LATE)
                rank = (ColumnRank){COLUMN_FLUSH, 0, instance->ordinal};
            if (!is_written(instance, o))
                continue;
            feature_instance_output_key(instance, o, key);
            err = collector_plan(&context->collector, key, rank);
        }
    }
    return err;
}

int rows_column(VmafContext *context, size_t index, const char **key, const char **name)
{
    const bool flushed = context->flushed;
    const int err = flushed ? 0 : params_columns(context);
    return err ? err : collector_name(&context->collector, index, !flushed, key, name);
}

/* Position of the last frame on which a score of the frame depends. */
static uint64_t determined_by(const VmafContext *context, uint64_t position)
{
    uint64_t last = position;
    for (unsigned i = 0; i < context->features.count; i++) {
        const FeatureInstance *instance = context->features.instances[i];
        for (unsigned o = 0; instance->extractor->outputs[o].name; o++) {
            const uint64_t needed = last_frame(instance, o, position);
            last = needed > last ? needed : last;
        }
    }
    return last;
}

int rows_wait(VmafContext *context, unsigned index)
{
    const unsigned step = context->cfg.n_subsample;
    if (step > 1 && index % step)
        return -EINVAL;
    const bool flushed = context->flushed; /* before the frame is looked for */
    uint64_t position, last = UINT64_MAX;
    int err = find_frame(context, index, &position);
    if ((err && err != -EINVAL) || flushed)
        return err;
    if (!err)
        last = determined_by(context, position);
    if (last < context->n_frames)
        frame_queue_wait(context->queue, last);
    if (backend_manager_scores_invalid(context->manager))
        return -EIO;
    if (last < atomic_load(&context->n_finished))
        return 0;
    err = atomic_load(&context->error);
    return err ? err : -EAGAIN;
}

/* ---- models ---- */

static const ColumnRank after_features = {COLUMN_AFTER, 0, 0};

/* The four scores of a collection, in the order in which reports show them. */
enum { BOOTSTRAP_BAGGING, BOOTSTRAP_STDDEV, BOOTSTRAP_LOW, BOOTSTRAP_HIGH, N_BOOTSTRAP };

static const char *const bootstrap_suffix[N_BOOTSTRAP] = {"_bagging", "_stddev", "_ci_p95_lo",
                                                          "_ci_p95_hi"};

static int bootstrap_keys(const VmafModelCollection *collection, char *keys[N_BOOTSTRAP])
{
    for (int f = 0; f < N_BOOTSTRAP; f++)
        keys[f] = NULL;
    for (int f = 0; f < N_BOOTSTRAP; f++) {
        if (asprintf(&keys[f], "%s%s", model_collection_name(collection), bootstrap_suffix[f]) <
            0) {
            keys[f] = NULL;
            return -ENOMEM;
        }
    }
    return 0;
}

static void free_keys(char *keys[N_BOOTSTRAP])
{
    for (int f = 0; f < N_BOOTSTRAP; f++)
        free(keys[f]);
}

static void bootstrap_to_score(const double values[N_BOOTSTRAP], VmafModelCollectionScore *score)
{
    *score = (VmafModelCollectionScore){.type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP};
    score->bootstrap.bagging_score = values[BOOTSTRAP_BAGGING];
    score->bootstrap.stddev = values[BOOTSTRAP_STDDEV];
    score->bootstrap.ci.p95.lo = values[BOOTSTRAP_LOW];
    score->bootstrap.ci.p95.hi = values[BOOTSTRAP_HIGH];
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

static int predict_bootstrap(VmafContext *context, const VmafModelCollection *collection,
                             char *keys[N_BOOTSTRAP], unsigned index,
                             VmafModelCollectionScore *score)
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
    const double values[N_BOOTSTRAP] = {
        score->bootstrap.bagging_score,
        score->bootstrap.stddev,
        score->bootstrap.ci.p95.lo,
        score->bootstrap.ci.p95.hi,
    };
    for (int f = 0; f < N_BOOTSTRAP && !err; f++)
        err = collector_keep_key(&context->collector, keys[f], after_features, index, values[f]);
    return err;
}

static int stored_or_predicted(VmafContext *context, const VmafModelCollection *collection,
                               char *keys[N_BOOTSTRAP], unsigned index,
                               VmafModelCollectionScore *score)
{
    double values[N_BOOTSTRAP];
    if (backend_manager_scores_invalid(context->manager))
        return -EIO;
    for (int f = 0; f < N_BOOTSTRAP; f++) {
        if (collector_get(&context->collector, keys[f], index, &values[f]))
            return predict_bootstrap(context, collection, keys, index, score);
    }
    bootstrap_to_score(values, score);
    return 0;
}

int predict_collection_at(VmafContext *context, const VmafModelCollection *collection,
                          unsigned index, VmafModelCollectionScore *score)
{
    char *keys[N_BOOTSTRAP];
    int err = bootstrap_keys(collection, keys);
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

static int pool_bootstrap(VmafContext *context, char *keys[N_BOOTSTRAP],
                          enum VmafPoolingMethod method, unsigned low, unsigned high,
                          VmafModelCollectionScore *score)
{
    double values[N_BOOTSTRAP];
    for (int f = 0; f < N_BOOTSTRAP; f++) {
        int err = feature_pooled(context, keys[f], method, low, high, &values[f]);
        if (err)
            return err;
    }
    bootstrap_to_score(values, score);
    return 0;
}

int predict_collection_pooled(VmafContext *context, const VmafModelCollection *collection,
                              enum VmafPoolingMethod method, unsigned low, unsigned high,
                              VmafModelCollectionScore *score)
{
    if (low > high || method == VMAF_POOL_METHOD_UNKNOWN)
        return -EINVAL;
    char *keys[N_BOOTSTRAP];
    int err = bootstrap_keys(collection, keys);
    unsigned step;
    for (uint64_t i = first_sampled(context, low, &step); i <= high && !err; i += step)
        err = stored_or_predicted(context, collection, keys, (unsigned)i, score);
    if (!err)
        err = pool_bootstrap(context, keys, method, low, high, score);
    free_keys(keys);
    return err;
}
