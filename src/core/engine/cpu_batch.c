/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "engine/cpu_workers_internal.h"
#include "engine/frame_queue.h"
#include "picture/picture.h"
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

/* Makes the pictures of all parts readable. A part whose pictures are not is completed with the
 * error, and leaves the batch. */
static void view_parts(Batch *batch)
{
    unsigned n = 0;
    for (unsigned i = 0; i < batch->n; i++) {
        const BatchPart part = batch->parts[i];
        const int downloads =
            frame_view(part.unit, part.frame, &batch->views[n], &batch->inputs[n]);
        if (downloads > 0)
            frame_queue_note_downloads(part.queue, (unsigned)downloads);
        if (downloads < 0) {
            frame_queue_complete(part.queue, part.frame, &part.claimed, downloads);
            continue;
        }
        find_records(&part, batch->records[n]);
        batch->parts[n++] = part;
    }
    batch->n = n;
}

static void complete(const Batch *batch, int status, int64_t microseconds)
{
    for (unsigned i = 0; i < batch->n; i++) {
        const BatchPart *part = &batch->parts[i];
        frame_queue_note_work(part->queue, (unsigned)(part->unit - part->work->units),
                              microseconds / batch->n);
        frame_queue_complete(part->queue, part->frame, &part->claimed, status);
    }
}

static void copy_records(const Batch *batch)
{
    const WorkUnit *unit = batch->parts[0].unit;
    for (unsigned i = 1; i < batch->n; i++)
        for (unsigned r = 0; r < unit->n_requests; r++)
            if (batch->records[i][r])
                memcpy(batch->records[i][r], batch->records[0][r],
                       batch->parts[0].work->requests[unit->first_request + r].record_size);
}

static int accumulate_each(Batch *batch, unsigned n)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    const RowBand all = {0, batch->parts[0].work->format.h[0]};
    int status = 0;
    for (unsigned i = 0; i < n && !status; i++) {
        status = extractor->accumulate(batch->plan, *batch->scratch, &batch->inputs[i], all,
                                       batch->records[i]);
        if (!status && extractor->condense)
            extractor->condense(batch->plan, *batch->scratch, batch->records[i]);
    }
    return status;
}

/* Band by band, so that what is kept of the reference stays in the cache. */
static int accumulate_shared(Batch *batch)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    const unsigned n_rows = batch->parts[0].work->format.h[0];
    int status = 0;
    for (RowBand band = {0, 0}; band.begin < n_rows && !status; band.begin = band.end) {
        const unsigned left = n_rows - band.begin;
        band.end = band.begin + (left < extractor->shared_rows ? left : extractor->shared_rows);
        for (unsigned i = 0; i < batch->n && !status; i++)
            status = extractor->accumulate_shared(batch->plan, *batch->scratch, &batch->inputs[i],
                                                  band, batch->records[i],
                                                  i ? REFERENCE_AGAIN : REFERENCE_KEEP);
    }
    return status;
}

/* An extractor fails for lack of memory only, which is nobody's fault: so all of the batch fail. */
static int accumulate(Batch *batch)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    if (batch->n > 1 && extractor->accumulate_shared)
        return accumulate_shared(batch);
    if (!(extractor->flags & EXTRACTOR_REFERENCE_ONLY))
        return accumulate_each(batch, batch->n);
    const int status = accumulate_each(batch, 1);
    if (!status)
        copy_records(batch);
    return status;
}

static void condense(Batch *batch, int status)
{
    const BatchPart *part = &batch->parts[0];
    find_records(part, batch->records[0]);
    if (!status)
        part->unit->extractor->condense(batch->plan, *batch->scratch, batch->records[0]);
    frame_queue_complete(part->queue, part->frame, &part->claimed, status);
}

void batch_do(Batch *batch)
{
    const FeatureExtractor *extractor = batch->parts[0].unit->extractor;
    const Frame *frame = batch->parts[0].frame;
    TRACE_SCOPE(TRACE_WORK, extractor->name,
                TRACE_REQUESTS(frame->index, batch->parts[0].claimed.word));
    int status =
        *batch->scratch ? 0 : extractor_scratch_create(extractor, batch->scratch, batch->plan);
    if (batch->arrived) {
        condense(batch, status);
        return;
    }
    view_parts(batch);
    if (!batch->n)
        return;
    const int64_t begin = vmaf_steady_us();
    if (!status)
        status = accumulate(batch);
    complete(batch, status, vmaf_steady_us() - begin);
}
