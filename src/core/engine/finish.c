/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/finish.h"

#include <errno.h>
#include <math.h>

#include "engine/backends/backend_manager.h"
#include "engine/records/stored_frame.h"
#include "metrics/framework/sink.h"

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

/* Hands the records of a frame out, unless one has failed, which write_scores tells. */
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
