/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/records/stored_frame.h"

#include <errno.h>
#include <string.h>

#include "platform/machine.h"

/* Makes a record as it is in memory the stored one, or the other way round. */
static void swap_numbers(const FeatureExtractor *extractor, RecordKind kind, unsigned char *record,
                         size_t size)
{
    static const RecordNumbers scores = {0};
    const RecordNumbers *numbers = kind == RECORD_SCORES      ? &scores
                                   : kind == RECORD_CONDENSED ? &extractor->condensed.numbers
                                                              : &extractor->record.numbers;
    const size_t head = numbers->rest && numbers->rest < size ? numbers->rest : size;
    vmaf_swap_for_files(record, head, numbers->size ? numbers->size : sizeof(uint64_t));
    if (head < size)
        vmaf_swap_for_files(record + head, size - head, numbers->rest_size);
}

void stored_frame_pack(const RecordLayout *layout, const WorkList *work, const FrameQueue *queue,
                       const Frame *frame, unsigned char *data)
{
    memset(data, 0, layout->n_bytes);
    for (unsigned r = 0; r < layout->n_records; r++) {
        const RecordPlace *place = &layout->places[r];
        if (!mask_has(&frame->wanted, r))
            continue;
        data[r / 8] |= (unsigned char)(1u << r % 8);
        memcpy(data + place->offset, frame_record(queue, frame, r), place->size);
        swap_numbers(work_extractor(work, r), place->kind, data + place->offset, place->size);
    }
}

static bool is_possible(const WorkList *work, unsigned request, RecordKind kind, const void *record)
{
    const WorkRequest *r = &work->requests[request];
    const FeatureExtractor *extractor = work_extractor(work, request);
    switch (kind) {
    case RECORD_SUMS:
    case RECORD_BYTES:
        return extractor->record.is_possible(record, r->options, &work->format);
    case RECORD_CONDENSED:
        return extractor->condensed.is_possible(record);
    default: /* numbers of any value */
        return true;
    }
}

int stored_frame_unpack(const StoredLayout *stored, const WorkList *work, const RequestMask *wanted,
                        const unsigned char *data, unsigned char *records, Reason *why)
{
    for (unsigned r = 0; r < work->n_requests; r++) {
        const StoredRecord *from = &stored->records[r];
        const FeatureExtractor *extractor = work_extractor(work, r);
        unsigned char *record = records + work->requests[r].record_offset;
        if (!mask_has(wanted, r))
            continue;
        if (!record_set_has(data, from->number))
            return refuse(why, -ENODATA, "there is no record of %s", extractor->name);
        memcpy(record, data + from->offset, from->size); /* where it is aligned */
        swap_numbers(extractor, from->kind, record, from->size);
        if (!is_possible(work, r, from->kind, record))
            return refuse(why, -EBADMSG, "no pair of frames has such a record of %s",
                          extractor->name);
    }
    return 0;
}
