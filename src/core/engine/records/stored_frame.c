/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/records/stored_frame.h"

#include <errno.h>
#include <string.h>

int stored_frame_check_order(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : -ENOTSUP;
}

void stored_frame_pack(const RecordLayout *layout, const FrameQueue *queue, const Frame *frame,
                       unsigned char *data)
{
    memset(data, 0, layout->n_bytes);
    for (unsigned r = 0; r < layout->n_records; r++) {
        const RecordPlace *place = &layout->places[r];
        if (!mask_has(&frame->wanted, r))
            continue;
        data[r / 8] |= (unsigned char)(1u << r % 8);
        memcpy(data + place->offset, frame_record(queue, frame, r), place->size);
    }
}

static bool is_possible(const WorkList *work, unsigned request, RecordKind kind, const void *record)
{
    const WorkRequest *r = &work->requests[request];
    const FeatureExtractor *extractor = work->units[r->unit].extractor;
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
        const char *name = work->units[work->requests[r].unit].extractor->name;
        unsigned char *record = records + work->requests[r].record_offset;
        if (!mask_has(wanted, r))
            continue;
        if (!record_set_has(data, from->number))
            return refuse(why, -ENODATA, "there is no record of %s", name);
        memcpy(record, data + from->offset, from->size); /* where it is aligned */
        if (!is_possible(work, r, from->kind, record))
            return refuse(why, -EBADMSG, "no pair of frames has such a record of %s", name);
    }
    return 0;
}
