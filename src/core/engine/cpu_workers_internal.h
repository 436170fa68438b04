/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_CPU_WORKERS_INTERNAL_H
#define CORE_ENGINE_CPU_WORKERS_INTERNAL_H

/* What workers of the CPU claim, and do. */

#include "engine/frame_queue.h"

enum { BATCH_MAX = 16 };

typedef struct BatchPart {
    const WorkList *work;
    FrameQueue *queue;
    Frame *frame;
    const WorkUnit *unit;
    RequestMask claimed; /* the same requests of the unit in all parts */
} BatchPart;

/* The same unit of several frames with the same reference pictures, to be done together: each of a
 * queue of its own. */
typedef struct Batch {
    BatchPart parts[BATCH_MAX];
    unsigned n;
    bool arrived;       /* the records of the only part are there, and are only to be condensed */
    const void *params; /* of the unit, for all parts */
    void **scratch;     /* made if it is NULL */
    /* Work space. */
    FrameViews views[BATCH_MAX];
    FrameInput inputs[BATCH_MAX];
    void *records[BATCH_MAX][REQUESTS_MAX];
    RequestMask groups[REQUESTS_MAX];
} Batch;

/* Does the work, and completes the requests of each part. */
void batch_do(Batch *batch);
/* Accumulates bands of a divided unit, the only part, into a block of its records, as long as there
 * are any, and returns it to the queue. */
void batch_do_bands(Batch *batch, WorkItem *item, unsigned char *block);

#endif
