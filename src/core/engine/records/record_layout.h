/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_RECORDS_RECORD_LAYOUT_H
#define CORE_ENGINE_RECORDS_RECORD_LAYOUT_H

/*
 * Where things are in the data of a stored frame: a set of the records that it has, then the record
 * of each request of a work list, in their order, each from a multiple of eight bytes on.
 */

#include "engine/requests/work_list.h"

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

#endif
