/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_RECORDS_H
#define CORE_ENGINE_RECORDS_H

/* The records of frames as data that is kept elsewhere: the same bytes on every machine. */

#include "engine/frame_queue.h"

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

/*
 * Where things are in the data of a stored frame: a set of the records that it has, then the record
 * of each request of a work list, in their order, each from a multiple of eight bytes on.
 */
typedef struct RecordLayout {
    size_t n_bytes; /* of a frame */
    unsigned n_records;
    RecordPlace *places; /* by request */
} RecordLayout;

/* `layout` is all zero before, and after an error. 0, -ENOMEM. */
int record_layout_create(RecordLayout *layout, const WorkList *work);
/* Packs a retired frame; `data` has room for layout->n_bytes, and is filled in completely. */
void stored_frame_pack(const RecordLayout *layout, const WorkList *work, const FrameQueue *queue,
                       const Frame *frame, unsigned char *data);

typedef struct StoredRecord {
    bool found;
    RecordKind kind;
    unsigned number; /* in the set of a frame */
    size_t offset, size;
} StoredRecord;

/* A layout that somebody has stored, as far as a work list needs it. It comes from a file, so it
 * may be anything. */
typedef struct StoredLayout {
    size_t n_bytes;        /* of a frame */
    StoredRecord *records; /* by request; NULL: there is no layout yet */
} StoredLayout;

#endif
