/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_RECORDS_RECORD_KEEPING_H
#define CORE_ENGINE_RECORDS_RECORD_KEEPING_H

/* What a context does with stored frames: it hands out those of its own, and reads others. */

#include "engine/records/stored_layout.h"

typedef int (*RecordKeep)(void *cookie, const VmafStoredFrame *frame);

typedef struct RecordKeeping {
    /* Handed out. */
    RecordKeep keep; /* NULL: nothing is */
    void *cookie;
    bool only;           /* and frames are not finished */
    RecordLayout layout; /* of frames of the context; from its start on, if it keeps them */
    unsigned char *data; /* of the frame that is handed out */
    /* Read. */
    StoredLayout stored;
    unsigned char *records; /* of the frame that is read, as the work list says */
    uint64_t n_read;        /* frames */
    unsigned n_lead_in;     /* pairs that were remembered before the first frame with pictures */
    bool has_pictures;      /* such pairs or frames came, so no stored frames come any more */
} RecordKeeping;

void record_keeping_clear(RecordKeeping *records);

#endif
