/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_QUEUE_FRAME_H
#define CORE_ENGINE_QUEUE_FRAME_H

/*
 * A frame in the queue, as all see it who have to do with the queue: its producer (producer.h), the
 * row workers, who take one unit of a frame or bands of its rows (row_worker.h), and executors of
 * whole frames, such as a backend (whole_frame.h).
 */

#include "engine/requests/work_list.h"
#include "picture/picture_companion.h"
#include "trace/trace.h"

typedef struct FrameQueue FrameQueue;

typedef struct Frame {
    uint64_t position; /* in the order of submission, from 0 */
    unsigned index;    /* number that the caller gave it */
    unsigned lead_in;  /* pairs before the first frame that are only neighbours */
    bool stored;       /* it has come with its records, not with pictures */
    /* References that the frame holds; zeroed when its last request is computed. */
    VmafPicture ref, dist;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
    PictureCompanion *with_ref; /* what executors of several frames share of `ref`; may be NULL */
    RequestMask wanted;
    bool repeats; /* its records are those of the frame before */
    /* Backend that has computed a part of it, which part, and number of the device among those
     * of the run. */
    const char *backend;
    unsigned device;
    RequestMask by_backend;
    /* Private to the queue. */
    RequestMask claimed, done;
    RequestMask computed; /* their records are there, condensed or not */
    RequestMask arrived;  /* of them those that nobody has begun to condense */
    int64_t claimed_at;   /* as a whole */
    struct FrameMemory *memory;
    unsigned char *records;
    int *status; /* by request: 0 or the error of its accumulation */
    TraceFrame trace;
} Frame;

/* Its number among all pairs of the stream, so that those before it have numbers too. */
static inline uint64_t frame_sequence(const Frame *frame)
{
    return frame->position + frame->lead_in;
}

/* Pictures were copied from a device for a frame; any thread. */
void frame_queue_note_downloads(FrameQueue *queue, unsigned n);

/* Gives up the references that a frame, or a copy of one, holds. */
void frame_release_pictures(Frame *frame);
/* It is scored, or dropped. */
static inline void frame_trace_end(const Frame *frame, bool dropped)
{
    trace_frame_end(&frame->trace, &(TraceFrameEnd){frame->position, frame->index,
                                                    frame->wanted.word, frame->backend, dropped});
}
/* Record of a request of a frame: writable for who has claimed it, readable when retired. */
void *frame_record(const FrameQueue *queue, const Frame *frame, unsigned request);

#endif
