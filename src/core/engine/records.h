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

const char *record_kind_name(RecordKind kind);
/* What the records of a request are when they are finished, and their size. */
RecordKind record_kind_of(const WorkList *work, unsigned request);
size_t record_stored_size(const WorkList *work, unsigned request, RecordKind kind);
/* True if a record of that kind depends on an option. */
bool record_depends_on(RecordKind kind, const OptionSpec *spec);

/* Bytes of the set of so many records. */
size_t record_set_size(unsigned n_records);
static inline bool record_set_has(const unsigned char *set, unsigned record)
{
    return set[record / 8] >> record % 8 & 1;
}

/* `layout` is all zero before, and after an error. 0, -ENOMEM. */
int record_layout_create(RecordLayout *layout, const WorkList *work);
void record_layout_destroy(RecordLayout *layout);
/* Prints the layout as a text, to be freed: see vmaf_records_layout. 0, -ENOMEM. */
int record_layout_print(const RecordLayout *layout, const WorkList *work, char **json);

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

/*
 * Finds the records of a work list in the text of a layout. `begins`: scores of a backend will do
 * where there are no records; else only what finished them before.
 * 0; -ENOENT with the missing features as a text (free) unless `missing` is NULL; -EBADMSG for a
 * text that is no layout; -ENOMEM.
 */
int stored_layout_find(StoredLayout *stored, const WorkList *work, const char *text, bool begins,
                       char **missing);
void stored_layout_clear(StoredLayout *stored);

/* The records of a frame in the queue as data that is kept elsewhere, and back: the same bytes on
 * every machine. */

/* Packs a retired frame; `data` has room for layout->n_bytes, and is filled in completely. */
void stored_frame_pack(const RecordLayout *layout, const WorkList *work, const FrameQueue *queue,
                       const Frame *frame, unsigned char *data);

/*
 * Takes the wanted records out of the data of a frame, which has stored->n_bytes and may be
 * anything, into a block of records as the work list has it. 0; with a reason -EBADMSG for a record
 * that no frame pair can have, -ENODATA if there is none.
 */
int stored_frame_unpack(const StoredLayout *stored, const WorkList *work, const RequestMask *wanted,
                        const unsigned char *data, unsigned char *records, Reason *why);

#endif
