/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/rows.h"

#include <errno.h>

#include "engine/backends/backend_manager.h"
#include "engine/queue/producer.h"

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
static int plan_columns(VmafContext *context)
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
    const int err = flushed ? 0 : plan_columns(context);
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
    int err = context_find_frame(context, index, &position);
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
