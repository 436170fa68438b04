/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_EXECUTORS_SPOT_CHECK_H
#define CORE_ENGINE_EXECUTORS_SPOT_CHECK_H

/*
 * Computes a frame that a backend has computed on the CPU as well, now and then, and compares the
 * records byte for byte. One frame at a time, on a thread of its own, which is started when it is
 * first needed. The backend is told nothing of it.
 */

#include "engine/queue/frame.h"

typedef struct SpotCheck SpotCheck;

/* A record that is not the CPU's. */
typedef struct SpotDifference {
    const char *backend, *extractor;
    unsigned frame; /* index */
    bool any_good;  /* an earlier frame was right: the last one of them is */
    unsigned last_good;
} SpotDifference;

typedef struct SpotCheckParams {
    const WorkList *work; /* outlives the check */
    unsigned every;       /* spot_schedule.h; not 0 */
    uint64_t seed;
    /* Called on the thread of the check, at most once. */
    void (*report)(void *cookie, const SpotDifference *difference);
    void *cookie;
} SpotCheckParams;

typedef struct SpotCheckCounts {
    unsigned frames;    /* that were checked */
    unsigned downloads; /* pictures that had to be copied from a device for it */
} SpotCheckCounts;

/* 0, -ENOMEM. */
int spot_check_create(SpotCheck **check, const SpotCheckParams *params);
/* Waits for the thread, which does no further unit of a frame. NULL allowed. */
void spot_check_destroy(SpotCheck *check);

/*
 * A backend has computed these requests of a frame, of which it promises the CPU's records; before
 * the frame is handed back to the queue. May take references to its pictures and copies of the
 * records. Does not wait, unless every frame is to be checked.
 */
void spot_check_offer(SpotCheck *check, const FrameQueue *queue, const Frame *frame,
                      const RequestMask *requests, const char *backend);
/*
 * No more frames are offered: waits for the check in progress, but not longer than 2 % of the time
 * that has passed, unless every frame is to be checked; after that its outcome does not count.
 */
void spot_check_settle(SpotCheck *check);
SpotCheckCounts spot_check_counts(SpotCheck *check);

#endif
