/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a worker of the CPU does with what it has claimed. */
#include <string.h>

#include "engine/cpu_workers_internal.h"
#include "platform/time.h"

/* Where the records of a part are; NULL for those that are not wanted. */
static void find_records(const BatchPart *part, void *records[])
{
    for (unsigned i = 0; i < part->unit->n_requests; i++) {
        const unsigned request = part->unit->first_request + i;
        records[i] = mask_has(&part->claimed, request)
                         ? frame_record(part->queue, part->frame, request)
                         : NULL;
    }
}

static int make_scratch(const Batch *batch)
{
    return *batch->scratch ? 0
                           : extractor_scratch_create(batch->parts[0].unit->extractor,
                                                      batch->scratch, batch->params);
}

/* Makes the pictures of a part readable: 0 or a negative errno. */
static int view_part(const BatchPart *part, FrameViews *views, FrameInput *input)
{
    const int downloads = frame_view(part->unit, part->frame, views, input);
    if (downloads > 0)
        frame_queue_note_downloads(part->queue, (unsigned)downloads);
    return downloads < 0 ? downloads : 0;
}

/* A part whose pictures are not readable is completed with the error, and leaves the batch. */
static void view_parts(Batch *batch)
{
    unsigned n = 0;
    for (unsigned i = 0; i < batch->n; i++) {
        const BatchPart part = batch->parts[i];
        const int err = view_part(&part, &batch->views[n], &batch->inputs[n]);
        if (err) {
            frame_queue_complete(part.queue, part.frame, &part.claimed, err);
            continue;
        }
        find_records(&part, batch->records[n]);
        batch->parts[n++] = part;
    }
    batch->n = n;
}

static void copy_records(const Batch *batch)
{
    const BatchPart *first = &batch->parts[0];
    const WorkRequest *requests = &first->work->requests[first->unit->first_request];
    for (unsigned i = 1; i < batch->n; i++)
        for (unsigned r = 0; r < first->unit->n_requests; r++)
            if (batch->records[i][r])
                memcpy(batch->records[i][r], batch->records[0][r], requests[r].record_size);
}

static int accumulate_each(Batch *batch, unsigned n)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    const RowBand all = {0, batch->parts[0].work->format.h[0]};
    int status = 0;
    for (unsigned i = 0; i < n && !status; i++) {
        status = extractor->accumulate(batch->params, *batch->scratch, &batch->inputs[i], all,
                                       batch->records[i]);
        if (!status && extractor->condense)
            extractor->condense(batch->params, *batch->scratch, batch->records[i]);
    }
    return status;
}

/* Band by band, so that what is kept of the reference stays in the cache. */
static int accumulate_shared(Batch *batch)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    const unsigned n_rows = batch->parts[0].work->format.h[0];
    int status = 0;
    for (unsigned i = 0; i < batch->n; i++)
        batch->inputs[i].use = i ? REFERENCE_AGAIN : REFERENCE_KEEP;
    for (RowBand band = {0, 0}; band.begin < n_rows && !status; band.begin = band.end) {
        const unsigned left = n_rows - band.begin;
        band.end = band.begin + (left < extractor->shared_rows ? left : extractor->shared_rows);
        for (unsigned i = 0; i < batch->n && !status; i++)
            status = extractor->accumulate(batch->params, *batch->scratch, &batch->inputs[i], band,
                                           batch->records[i]);
    }
    return status;
}

/* An extractor fails for lack of memory only, which is nobody's fault: so all of the batch fail. */
static int accumulate(Batch *batch)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    if (batch->n > 1 && extractor->shared_rows)
        return accumulate_shared(batch);
    if (!(extractor->flags & EXTRACTOR_REFERENCE_ONLY))
        return accumulate_each(batch, batch->n);
    const int status = accumulate_each(batch, 1);
    if (!status)
        copy_records(batch);
    return status;
}

static int accumulate_parts(Batch *batch)
{
    const BatchPart *first = &batch->parts[0];
    TRACE_SCOPE(TRACE_WORK, first->unit->extractor->name,
                TRACE_REQUESTS(first->frame->index, first->claimed.word));
    int status = make_scratch(batch);
    view_parts(batch);
    if (!status && batch->n)
        status = accumulate(batch);
    return status;
}

/* Does the rest of what a backend has computed of a unit, and completes it. */
static void condense(Batch *batch)
{
    const BatchPart *part = &batch->parts[0];
    TRACE_SCOPE(TRACE_WORK, part->unit->extractor->name,
                TRACE_REQUESTS(part->frame->index, part->claimed.word));
    find_records(part, batch->records[0]);
    const int status = make_scratch(batch);
    if (!status)
        part->unit->extractor->condense(batch->params, *batch->scratch, batch->records[0]);
    frame_queue_complete(part->queue, part->frame, &part->claimed, status);
}

void batch_do(Batch *batch)
{
    if (batch->arrived) {
        condense(batch);
        return;
    }
    const int64_t begin = vmaf_steady_us();
    const int status = accumulate_parts(batch);
    const int64_t microseconds = vmaf_steady_us() - begin;
    for (unsigned i = 0; i < batch->n; i++) {
        const BatchPart *part = &batch->parts[i];
        frame_queue_note_work(part->queue, (unsigned)(part->unit - part->work->units),
                              microseconds / batch->n);
        frame_queue_complete(part->queue, part->frame, &part->claimed, status);
    }
}

static void accumulate_bands(Batch *batch, WorkItem *item, unsigned char *block)
{
    const BatchPart *part = &batch->parts[0];
    const WorkList *work = part->work;
    const WorkUnit *unit = part->unit;
    TRACE_SCOPE(TRACE_WORK, unit->extractor->name,
                TRACE_REQUESTS(part->frame->index, part->claimed.word));
    int status = make_scratch(batch);
    if (!status)
        status = view_part(part, &batch->views[0], &batch->inputs[0]);
    void **records = batch->records[0];
    memset(block, 0, work_unit_record_offset(work, unit, unit->n_requests));
    for (unsigned i = 0; i < unit->n_requests; i++) {
        const bool claimed = mask_has(&part->claimed, unit->first_request + i);
        records[i] = claimed ? block + work_unit_record_offset(work, unit, i) : NULL;
    }
    do {
        if (!status)
            status = unit->extractor->accumulate(batch->params, *batch->scratch, &batch->inputs[0],
                                                 item->rows, records);
    } while (frame_queue_take_rows(part->queue, status, item));
}

void batch_do_bands(Batch *batch, WorkItem *item, unsigned char *block)
{
    const int64_t begin = vmaf_steady_us();
    accumulate_bands(batch, item, block);
    frame_queue_return_rows(batch->parts[0].queue, item, block, vmaf_steady_us() - begin);
}
