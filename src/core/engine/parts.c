/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/parts.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/queue/producer.h"
#include "engine/records/stored_frame.h"
#include "engine/start.h"
#include "support/memory.h"

unsigned context_lead_in(const VmafContext *context)
{
    const FeatureNeeds needs = feature_set_needs(&context->features, VMAF_PIX_FMT_YUV420P);
    return needs_history(&needs);
}

void record_keeping_clear(RecordKeeping *records)
{
    record_layout_destroy(&records->layout);
    stored_layout_clear(&records->stored);
    free(records->data);
    memory_free(records->records);
    records->data = records->records = NULL;
}

int context_keep_records(VmafContext *context, RecordKeep keep, void *cookie, bool only)
{
    if (context->started || context->flushed)
        return -EBUSY;
    context->records.keep = keep;
    context->records.cookie = cookie;
    context->records.only = only;
    return 0;
}

int context_records_format(VmafContext *context, const PictureFormat *format)
{
    TRACE_CALL(context->trace, "state the format");
    if (context->flushed)
        return -EBUSY;
    if (context_is_inherited(context))
        return -ENODEV;
    const int err = atomic_load(&context->error);
    if (err || !context->started)
        return err ? err : context_start(context, format, context->records.keep != NULL);
    return picture_format_equal(format, &context->work.format) ? 0 : -EINVAL;
}

int context_records_layout(VmafContext *context, char **json)
{
    if (!context->started)
        return -EINVAL;
    RecordLayout layout;
    int err = record_layout_create(&layout, &context->work);
    if (err)
        return err;
    err = record_layout_print(&layout, &context->work, json);
    record_layout_destroy(&layout);
    return err;
}

/* Pictures have come, or nothing more does; or others read pictures for the context. */
static int check_open(const VmafContext *context)
{
    if (context->flushed || context->records.has_pictures || context->group)
        return -EBUSY;
    if (context_is_inherited(context))
        return -ENODEV;
    const int err = atomic_load(&context->error);
    return err || context->started ? err : -EINVAL;
}

/* From then on a request has what stored frames have. */
static void set_scores(VmafContext *context, const StoredLayout *stored)
{
    for (unsigned r = 0; r < context->work.n_requests; r++)
        context->work.requests[r].scores = stored && stored->records[r].kind == RECORD_SCORES;
}

int context_read_records_from(VmafContext *context, const char *layout, char **missing)
{
    RecordKeeping *records = &context->records;
    int err = check_open(context);
    if (err)
        return err;
    const bool begins = !context->n_frames && !context->cpu;
    stored_layout_clear(&records->stored);
    if (!records->records)
        records->records = memory_alloc_zeroed(1, context->work.records_size + 1);
    if (!records->records)
        return -ENOMEM;
    if (begins)
        set_scores(context, NULL);
    err = stored_layout_find(&records->stored, &context->work, layout, begins, missing);
    if (!err && begins)
        set_scores(context, &records->stored);
    return err;
}

static int unpack(VmafContext *context, const VmafStoredFrame *frame, const RequestMask *wanted,
                  Reason *why)
{
    const StoredLayout *stored = &context->records.stored;
    if (series_get(&context->positions, frame->index, NULL))
        return refuse(why, -EINVAL, "the index was read before");
    if (!frame->data)
        return mask_empty(wanted) ? 0 : refuse(why, -ENODATA, "there are no records");
    if (!stored->records)
        return refuse(why, -EINVAL, "nobody has said what stored frames are like");
    if (frame->n_bytes != stored->n_bytes)
        return refuse(why, -EBADMSG, "it has %zu bytes instead of %zu", frame->n_bytes,
                      stored->n_bytes);
    return stored_frame_unpack(stored, &context->work, wanted, frame->data,
                               context->records.records, why);
}

int context_read_record(VmafContext *context, const VmafStoredFrame *stored)
{
    TRACE_CALL(context->trace, "read record", TRACE_INDEX(stored->index));
    int err = check_open(context);
    if (err)
        return err;
    Reason why;
    Frame frame = {
        .index = stored->index, .wanted = context_wanted(context, stored->index), .stored = true};
    err = unpack(context, stored, &frame.wanted, &why);
    if (err)
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "stored frame at index %u: %s",
                    stored->index, why.text);
    if (!err)
        err = context_count_frame(context, stored->index);
    if (err)
        return err;
    context->picture_count++;
    context->records.n_read++;
    frame.trace = trace_frame_begin(stored->index);
    frame_queue_submit_stored(context->queue, &frame, context->records.records);
    return atomic_load(&context->error);
}
