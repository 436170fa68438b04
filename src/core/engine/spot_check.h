/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_SPOT_CHECK_H
#define CORE_ENGINE_SPOT_CHECK_H

/*
 * Now and then computes on the CPU what a backend has computed of a frame, and compares the records
 * byte for byte. One frame at a time, on a thread of its own, which is started when it is first
 * needed. The backend cannot know.
 */

#include <stdbool.h>
#include <stdint.h>

#include "engine/frame_queue.h"

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
    int64_t since;   /* when it began, by vmaf_steady_us: it is checked more often at first */
} SpotSubject;

typedef struct SpotCheckParams {
    const WorkList *work; /* outlives the check */
    unsigned every;       /* see SpotSchedule; not 0 */
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
 * called before it is returned to the queue. May take references to its pictures, and copies of
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

/* ---- the schedule ---- */

/*
 * Decides which frames of a backend are computed on the CPU as well: one in so many, at random, so
 * that a backend cannot know; more often in the first seconds. Their cost is limited: the next
 * check waits until the processor time of the last one is a small part of the time since, so that
 * expensive checks are rare. The schedule reads no clock: callers pass the time.
 */

enum { SPOT_EVERY_DEFAULT = 128, SPOT_EARLY_FACTOR = 8, SPOT_EARLY_US = 3 * 1000 * 1000 };

/* Microseconds: on the clock, and of processor time of the whole process. */
typedef struct SpotTime {
    int64_t clock, process;
} SpotTime;

typedef struct SpotSchedule {
    unsigned every; /* one frame in so many; 1: all of them, at any cost; 0: none */
    unsigned n_processors;
    uint64_t random; /* state of the generator */
    int64_t began;   /* on the clock */
    SpotTime last;   /* when the last check began */
    bool was_idle;   /* during it a processor had nothing else to do */
    /* No check before: on the clock; in processor time, when no processor is idle; and on the clock
     * again, when the pictures that it holds are waited for. */
    int64_t next_by_clock, next_by_process, next_by_hold;
} SpotSchedule;

/* `likely_us` is what the first check may take. */
void spot_schedule_init(SpotSchedule *schedule, unsigned every, uint64_t seed,
                        unsigned n_processors, int64_t likely_us, SpotTime now);
/* Draws lots: true if the next frame is to be checked. `age`: microseconds since its device
 * began. */
bool spot_schedule_draws(SpotSchedule *schedule, int64_t age);
/* True if the check of a drawn frame can be afforded. `scarce`: its pictures are waited for. */
bool spot_schedule_affords(const SpotSchedule *schedule, bool scarce, SpotTime now);
/* Notes what a check took: processor time, and how long it held its pictures. */
void spot_schedule_note(SpotSchedule *schedule, SpotTime began, int64_t processor_us,
                        int64_t held_us);
/* How long the end of a run may wait for the check in progress; -1: until it is done. */
int64_t spot_schedule_time_limit(const SpotSchedule *schedule, int64_t clock);

#endif
