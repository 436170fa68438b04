/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_EXECUTORS_SPOT_SCHEDULE_H
#define CORE_ENGINE_EXECUTORS_SPOT_SCHEDULE_H

/*
 * Decides which frames of a backend are computed on the CPU as well: one in so many, at random, so
 * that a backend cannot know; more often in the first seconds. Their cost is limited: the next
 * check waits until the processor time of the last one is a small part of the time since, so that
 * expensive checks are rare. The schedule reads no clock: callers pass the time.
 */

#include <stdbool.h>
#include <stdint.h>

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
int64_t spot_schedule_patience(const SpotSchedule *schedule, int64_t clock);

#endif
