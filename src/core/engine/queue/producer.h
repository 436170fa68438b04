/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_PRODUCER_H
#define CORE_ENGINE_QUEUE_PRODUCER_H

/*
 * The bounded queue of frames between the caller and those who score them, as its owner sees it.
 *
 * The caller submits frames in order. Executors claim requests of a frame (whatever set of them
 * they can compute), fill in records, and complete them; one that cannot go on gives its claims
 * back, and another takes them. They may begin at any frame and stop after any. When all requests
 * of the oldest frame are complete it is retired, in order, one at a time, on the thread that
 * completed it; its pixels are released as soon as its last request is computed, even while older
 * frames are in work. Records of a backend may have to be condensed before their requests are
 * complete, which workers of the CPU do.
 */

#include "engine/queue/frame.h"
#include "engine/queue/load_balance.h"

enum { QUEUE_GROWTH = 128 };

/* Called for each frame in order, never for two at a time, and not with the queue locked. */
typedef void (*FrameRetire)(void *cookie, const Frame *frame);
/* Does a part of the work that is offered; false: there is none. */
typedef bool (*FrameHelp)(void *cookie);
/* Requests have become claimable. Not with the queue locked. */
typedef void (*FrameNotify)(void *cookie);

/* Holds `capacity` frames that are not retired. `work` must outlive the queue. 0, -ENOMEM. */
int frame_queue_create(FrameQueue **queue, const WorkList *work, unsigned capacity,
                       FrameRetire retire, void *cookie);
/* No executor may be using it any more. Frames that are not retired are dropped. NULL allowed. */
void frame_queue_destroy(FrameQueue *queue);

/* Makes room for as many frames, but not for more than QUEUE_GROWTH above the first capacity.
 * 0, -ENOMEM. */
int frame_queue_grow(FrameQueue *queue, unsigned capacity);
/* Limits how many of the frames that are not retired may be incomplete, and so hold pixels. The
 * limit is the capacity at first. */
void frame_queue_set_limit(FrameQueue *queue, unsigned frames);
/* Where the pictures are counted that are copied from a device; before there are executors. */
void frame_queue_count_downloads(FrameQueue *queue, atomic_uint *count);
/* Sets the clock, in microseconds, by which devices are timed; before there are executors. For
 * tests. */
void frame_queue_set_clock(FrameQueue *queue, int64_t (*clock)(void));
/* Threads that wait in submit and wait call `help` meanwhile. */
void frame_queue_set_help(FrameQueue *queue, FrameHelp help, void *cookie);
/* Work is announced by calling `notify`, too, besides waking the queue's own workers. Before the
 * first frame. */
void frame_queue_set_notify(FrameQueue *queue, FrameNotify notify, void *cookie);

/* Threads that wait for room are only woken when there is room for so many frames, or for the
 * limit; 1 at first. Before the first frame. */
void frame_queue_set_together(FrameQueue *queue, unsigned frames);

/* Waits until a frame can be submitted without waiting. By who submits. */
void frame_queue_wait_for_room(FrameQueue *queue, const RequestMask *wanted);
/*
 * Appends a frame, of which index, pictures and `wanted` are set; waits while the queue is full.
 * Takes over the references. One thread at a time.
 */
void frame_queue_submit(FrameQueue *queue, const Frame *frame);
/* The same after frame_queue_wait_for_room: does not wait, even if the limit was lowered since. */
void frame_queue_submit_into_room(FrameQueue *queue, const Frame *frame);
/* The same for a frame without pictures, but with a block of its records, which is copied; waits.
 */
void frame_queue_submit_stored(FrameQueue *queue, const Frame *frame, const void *records);
/* Waits until the frame at `position`, which must have been submitted, is retired. Any thread. */
void frame_queue_wait(FrameQueue *queue, uint64_t position);
/* No more frames will be submitted. */
void frame_queue_end(FrameQueue *queue);

RunProgress frame_queue_progress(FrameQueue *queue);

#endif
