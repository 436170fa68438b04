/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_WHOLE_FRAME_H
#define CORE_ENGINE_QUEUE_WHOLE_FRAME_H

/*
 * The queue as an executor sees it that takes all that it can compute of a frame at once, such as a
 * backend.
 */

#include <stdatomic.h>

#include "engine/queue/frame.h"

/* What a device computes, which has a number from 0 to BALANCE_DEVICES_MAX - 1. Nothing: it is not
 * counted on any more, but may still have frames. */
void frame_queue_set_device(FrameQueue *queue, unsigned device, const RequestMask *requests);

/*
 * Claims the wanted requests of the oldest frame of which nobody has claimed any, and no other
 * device anything, for a device. Waits at most `milliseconds` (negative: no limit), and not after
 * `leave` is true; who sets it calls frame_queue_wake. False: nothing was claimed.
 */
bool frame_queue_claim_whole(FrameQueue *queue, unsigned device, const RequestMask *requests,
                             const atomic_bool *leave, int milliseconds, Frame **frame,
                             RequestMask *claimed);
void frame_queue_wake(FrameQueue *queue);

/* Hands what was claimed back: computed by a backend, or undone, for another executor. */
void frame_queue_complete_whole(FrameQueue *queue, Frame *frame, const RequestMask *requests,
                                const char *backend);
void frame_queue_give_back(FrameQueue *queue, Frame *frame, const RequestMask *requests);

/* Requests that a device and the CPU may both compute: at the end of a run they are balanced
 * between them. Empty: there are none, or no more. */
void frame_queue_balance(FrameQueue *queue, const RequestMask *requests);
/* Nobody will do these requests: from now on they are complete with that status, unless claimed. */
void frame_queue_refuse(FrameQueue *queue, const RequestMask *requests, int status);

#endif
