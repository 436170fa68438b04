/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_ROW_WORKER_H
#define CORE_ENGINE_QUEUE_ROW_WORKER_H

/*
 * The queue as workers of the CPU see it. Each takes a unit of the oldest frame that has one to
 * offer. Where no later frame offers the same work the unit is divided into bands of rows
 * (unit_rows.h), and a worker that finds nothing to claim joins.
 */

#include "engine/queue/frame.h"

/* What a worker has to do: requests of one unit of a frame, in a band of its rows. */
typedef struct WorkItem {
    Frame *frame;
    unsigned unit;
    RequestMask requests;
    RowBand rows;
    bool divided; /* others may be at other rows */
    bool arrived; /* the records are there, and are only to be condensed */
} WorkItem;

typedef struct RowWorkers {
    const RequestMask *groups; /* what is claimed together, of one unit each; outlive the workers */
    unsigned n_groups;
    unsigned n_workers;
    /* For whom there are processors. Units are not divided among more workers than that, and no
     * more are awake at a time, unless some wait for a device. */
    unsigned n_processors;
} RowWorkers;

/* Once, before the first of them takes anything. 0, -ENOMEM. */
int frame_queue_set_row_workers(FrameQueue *queue, const RowWorkers *workers);

/*
 * Waits for something to do for a worker, whose number is less than n_workers; false: the queue has
 * stopped. What is not divided is accumulated into the records of the frame, which are zeroed,
 * condensed if the unit does that, and completed. Of a divided unit a worker accumulates into
 * records of its own (zeroed by it, laid out as in the frame from the unit's first request on),
 * takes more rows until there are none, and hands its records in, which completes the unit if
 * nobody else is at it.
 */
bool frame_queue_take(FrameQueue *queue, unsigned worker, WorkItem *item);
/* With the status of the rows just done. False: no more rows. */
bool frame_queue_take_more(FrameQueue *queue, int status, WorkItem *item);
void frame_queue_hand_in(FrameQueue *queue, const WorkItem *item, const unsigned char *records,
                         int64_t microseconds);
/* Hands claimed requests back as done, with the same status for each. */
void frame_queue_complete(FrameQueue *queue, Frame *frame, const RequestMask *requests, int status);

/*
 * For a thread that works when it likes to: claims requests of the oldest frame that has some to
 * offer, those of the first of the n groups that are unclaimed, and zeroes their records. False:
 * there is nothing now.
 */
bool frame_queue_claim(FrameQueue *queue, const RequestMask groups[], unsigned n_groups,
                       Frame **frame, RequestMask *claimed);

/*
 * For a thread that has claimed requests of a frame of another queue: claims the `wanted` ones,
 * which are all that a frame here offers of the group. It must have the same reference picture, and
 * as many of the same earlier ones; zeroes the records. NULL: there is none.
 */
Frame *frame_queue_claim_same(FrameQueue *queue, const RequestMask *group,
                              const RequestMask *wanted, const Frame *like, unsigned n_earlier);

/* The same for records of one unit that a backend has computed, and that are to be condensed. */
bool frame_queue_take_arrived(FrameQueue *queue, Frame **frame, RequestMask *taken);

/* What a unit took that was not divided, for the balance at the end. */
void frame_queue_note_work(FrameQueue *queue, unsigned unit, int64_t microseconds);
/* Bands that divided units were given out in. */
uint64_t frame_queue_band_count(FrameQueue *queue);
/* All waiting and future takes and claims return false, those of whole frames too. */
void frame_queue_stop(FrameQueue *queue);

#endif
