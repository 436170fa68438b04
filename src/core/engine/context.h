/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_CONTEXT_H
#define CORE_ENGINE_CONTEXT_H

/*
 * A scoring context: registered features, the frames in work, and the scores.
 *
 * Data flows one way: pictures are submitted to the queue, executors turn them into records, the
 * retirement of a frame finishes its records into scores in the collector, predictions and reports
 * read the collector.
 */

#include <stdatomic.h>

#include "engine/executors/cpu_executor.h"
#include "engine/records/record_keeping.h"
#include "engine/still_frames.h"
#include "metrics/framework/instance.h"
#include "model/model.h"
#include "picture/picture_pool.h"
#include "platform/thread.h"
#include "report/report.h"
#include "trace/trace.h"

struct VmafContext {
    VmafConfiguration cfg;
    Logger logger;
    FeatureSet features;
    Collector collector;
    struct BackendManager *manager;
    TraceContext *trace; /* NULL: nobody listens */

    PicturePool *pool;
    struct VmafGroup *group; /* that it is a member of; NULL: of none, or that was closed */
    CpuTeam *team;           /* of its group; NULL: it has workers of its own */

    /* From the first pair on, or once the format is known. One thread reads pictures; others may
     * ask meanwhile: what they look at is atomic, or written before `started` is, or locked. */
    atomic_bool started;
    WorkList work;
    FrameQueue *queue;
    CpuExecutor *cpu;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
    StillFrames still;
    bool repeats; /* the pair that was accepted, and is to be submitted, that before */
    RecordKeeping records;
    VmafMutex positions_lock;
    Series positions; /* by index: place in the order of calls */
    _Atomic uint64_t n_frames;
    _Atomic uint64_t n_finished; /* frames from the first on that have all their scores */
    atomic_uint n_downloads;     /* pictures copied from a device */

    _Atomic uint32_t picture_count; /* pairs that were offered, refused ones included */
    int process;                    /* that has the worker threads */

    /* What functions above the engine keep with the context; destroyed last. */
    void *attachment;
    void (*attachment_destroy)(void *attachment);
    unsigned width, height; /* of the first reference picture that was accepted */
    atomic_bool flushed;
    StatisticList statistics; /* that reports have besides */
    atomic_int error;         /* of the first extractor that failed; nothing is finished after it */
};

int context_create(VmafContext **context, VmafConfiguration cfg);
void context_destroy(VmafContext *context);

/* Registration; -EINVAL, -ENOMEM, logged. After the first pair: -EINVAL. */
int context_use_extractor(VmafContext *context, const FeatureExtractor *extractor,
                          const Dictionary *dict, bool is_explicit);
int context_use_model(VmafContext *context, const VmafModel *model);

/* See vmaf_read_pictures. */
int context_read(VmafContext *context, VmafPicture *ref, VmafPicture *dist, unsigned index);
int context_flush(VmafContext *context);

/* See vmaf_keep_last_pair. */
int context_keep_last_pair(VmafContext *context);

/* The steps of context_read, for a context in a group. The pair is checked, and what it needs is
 * there: 0, or the error, logged. */
int context_accept(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                   unsigned index);
/* Waits until the pair can be submitted without waiting. */
void context_wait_for_room(VmafContext *context, unsigned index);
/* Takes references. In a team, after context_wait_for_room. `with_ref` is what the contexts that
 * read the reference share of it, or NULL. */
void context_submit(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                    unsigned index, PictureCompanion *with_ref);
/* Waits for all frames, and gives up the pictures that later ones would have needed. */
void context_end_reading(VmafContext *context);

/* See vmaf_read_context. */
int context_read_context(VmafContext *context, VmafPicture *ref, VmafPicture *dist);

/* For frames without pictures. Whether the context belongs to the process that this one was forked
 * from; which requests are wanted of a frame; the frame at the next position has this index, which
 * had none before: 0, or -ENOMEM. */
bool context_is_inherited(const VmafContext *context);
RequestMask context_wanted(const VmafContext *context, unsigned index);
int context_count_frame(VmafContext *context, unsigned index);

/* Waits until all frames that were read are done; the error of the first that failed, or 0. */
int context_wait(VmafContext *context);

int context_import(VmafContext *context, const char *key, unsigned index, double value);
/* A score that is there or will be when frames in work are done; else -EINVAL. */
int context_score(VmafContext *context, const char *key, unsigned index, double *score);

/* Where a frame is in the order of calls. 0; -EINVAL if it was not read; -ENODEV, -EIO if there are
 * no scores. */
int context_find_frame(VmafContext *context, unsigned index, uint64_t *position);

/* Fills in what the context knows; `view` keeps the columns until collector_view_end, `members`
 * (free) the rest. */
int context_report(VmafContext *context, Report *report, CollectorView *view, void **members);

#endif
