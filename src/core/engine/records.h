/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef ENGINE_RECORDS_H
#define ENGINE_RECORDS_H

/*
 * Where things are in the data of a stored frame: a set of the records that it has, then the record
 * of each request of a work list, in their order, each from a multiple of eight bytes on.
 */

#include "engine/frame_queue.h"
#include "engine/work_list.h"

typedef enum RecordKind {
    RECORD_SUMS,
    RECORD_BYTES,
    RECORD_PRIVATE,
    RECORD_CONDENSED,
    RECORD_SCORES,
    N_RECORD_KINDS,
} RecordKind;

typedef struct RecordPlace {
    RecordKind kind;
    size_t offset, size;
} RecordPlace;

typedef struct RecordLayout {
    size_t n_bytes; /* of a frame */
    unsigned n_records;
    RecordPlace *places; /* by request */
} RecordLayout;

/* What the records of a request are when they are finished, and their size. */

/* Bytes of the set of so many records. */
static inline bool record_set_has(const unsigned char *set, unsigned record)
{
    return set[record / 8] >> record % 8 & 1;
}

/* `layout` is all zero before, and after an error. 0, -ENOMEM. */
int record_layout_create(RecordLayout *layout, const WorkList *work);

/*
 * A layout that somebody has stored, as far as a work list needs it. It comes from a file, so it
 * may be anything.
 */

typedef struct StoredRecord {
    bool found;
    RecordKind kind;
    unsigned number; /* in the set of a frame */
    size_t offset, size;
} StoredRecord;

typedef struct StoredLayout {
    size_t n_bytes;        /* of a frame */
    StoredRecord *records; /* by request; NULL: there is no layout yet */
} StoredLayout;

/* The records of a frame in the queue as data that is kept elsewhere, and back: the same bytes on
 * every machine. */

/* Packs a retired frame; `data` has room for layout->n_bytes, and is filled in completely. */
void stored_frame_pack(const RecordLayout *layout, const WorkList *work, const FrameQueue *queue,
                       const Frame *frame, unsigned char *data);

#endif
