/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_EXECUTORS_SPOT_CHECK_H
#define CORE_ENGINE_EXECUTORS_SPOT_CHECK_H

/*
 * Now and then computes on the CPU what a backend has computed of a frame, and compares the records
 * byte for byte. One frame at a time, on a thread of its own, which is started when it is first
 * needed. The backend cannot know.
 */

#include "engine/queue/frame.h"

typedef struct SpotCheck SpotCheck;

/* A record that is not the CPU's. */
typedef struct SpotDifference {
    const char *backend, *extractor;
    unsigned device; /* number in the queue */
    unsigned frame;  /* index */
    bool any_good;   /* an earlier frame of this device was right; the last of them is */
    unsigned last_good;
} SpotDifference;

/* Who has computed a frame. */
typedef struct SpotSubject {
    const char *backend;
    unsigned device; /* number in the queue */
    int64_t since;   /* when it began, as vmaf_steady_us tells: it is checked more often at first */
} SpotSubject;

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
/* Waits for the thread, which stops after the unit that it is at. NULL allowed. */
void spot_check_destroy(SpotCheck *check);

/*
 * For a frame of which a backend has computed these requests, and promises the CPU's records;
 * called before it is handed back to the queue. May take references to its pictures, and copies of
 * its records. Does not wait, unless every frame is to be checked.
 */
void spot_check_offer(SpotCheck *check, const FrameQueue *queue, const Frame *frame,
                      const RequestMask *requests, const SpotSubject *subject);
/*
 * When no more frames come: waits for the check in progress, for 2 % of the time that has passed at
 * most, unless every frame is to be checked. A check that takes longer does not count.
 */
void spot_check_settle(SpotCheck *check);
SpotCheckCounts spot_check_counts(SpotCheck *check);

#endif
