/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_RECORDS_STORED_LAYOUT_H
#define CORE_ENGINE_RECORDS_STORED_LAYOUT_H

/*
 * A layout that somebody has stored, as far as a work list needs it. It comes from a file, so it
 * may be anything.
 */

#include "engine/records/record_layout.h"

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

#endif
