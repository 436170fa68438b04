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

#include "backend/device.h"
#include "backend/session/buffers.h"
#include "engine/cpu_workers.h"
#include "engine/records.h"
#include "metrics/framework/instance.h"
#include "model/model.h"
#include "picture/picture_pool.h"
#include "platform/thread.h"
#include "report/report.h"
#include "trace/trace.h"

/* More threads than any machine has processors would only take memory. */
enum { CONTEXT_THREADS_MAX = 4096 };

/*
 * Frames that equal the one before, in both pictures: slides, titles, a stream that has stopped.
 *
 * A record depends on the pixels of its frame and of as many earlier frames as its extractor asks
 * for. If all of them equal the frames one earlier, all records of the frame are those of the frame
 * before, and nothing need be computed.
 */
typedef struct StillFrames {
    bool keeps_wrapped;   /* pictures in memory of the program may be kept, too */
    unsigned planes;      /* that are compared; 0: none, there is nothing to gain */
    unsigned history;     /* earlier frames on which records depend */
    VmafPicture last[2];  /* reference and distorted picture of the last frame, or zeros */
    RequestMask computed; /* what was wanted of it */
    uint64_t run;         /* frames, up to the last one, that equal the one before */
} StillFrames;

typedef int (*RecordKeep)(void *cookie, const VmafStoredFrame *frame);

/* What a context does with stored frames: it returns those of its own, and reads others. */
typedef struct RecordKeeping {
    /* Returned. */
    RecordKeep keep; /* NULL: nothing is */
    void *cookie;
    bool only;           /* and frames are not finished */
    RecordLayout layout; /* of frames of the context; from its start on, if it keeps them */
    unsigned char *data; /* of the frame that is returned */
    /* Read. */
    StoredLayout stored;
    unsigned char *records; /* of the frame that is read, as the work list says */
    uint64_t n_read;        /* frames */
    unsigned n_lead_in;     /* pairs that were remembered before the first frame with pictures */
    bool has_pictures;      /* such pairs or frames came, so no stored frames come any more */
} RecordKeeping;

typedef struct VmafGroup VmafGroup;

struct VmafContext {
    VmafConfiguration cfg;
    Logger logger;
    FeatureSet features;
    Collector collector;
    struct BackendManager *manager;
    TraceContext *trace; /* NULL: nobody listens */

    PicturePool *pool;
    struct VmafGroup *group; /* that it is a member of; NULL: of none, or that was closed */
    CpuPool *group_workers;  /* of its group; NULL: it has workers of its own */

    /* From the first pair on, or once the format is known. One thread reads pictures; others may
     * ask meanwhile: what they look at is atomic, or written before `started` is, or locked. */
    atomic_bool started;
    WorkList work;
    FrameQueue *queue;
    CpuClient *cpu;
    VmafPicture earlier_ref[FEATURE_MAX_HISTORY], earlier_dist[FEATURE_MAX_HISTORY];
    StillFrames still;
    bool repeats; /* the pair that was accepted last equals the one before it */
    RecordKeeping records;
    VmafMutex positions_lock;
    Series positions; /* by index: place in the order of calls */
    _Atomic uint64_t n_frames;
    _Atomic uint64_t n_finished; /* frames from the first on that have all their scores */
    atomic_uint n_downloads;     /* pictures copied from a device */

    _Atomic uint32_t picture_count; /* pairs that were offered, rejected ones included */
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
/* True if the context belongs to the process that this one was forked from. */
bool context_is_inherited(const VmafContext *context);

/* Registration; -EINVAL, -ENOMEM, logged. After the first pair: -EINVAL. */
int context_use_extractor(VmafContext *context, const FeatureExtractor *extractor,
                          const Dictionary *dict, bool is_explicit);
int context_use_model(VmafContext *context, const VmafModel *model);
/*
 * For a name that is no extractor's: a feature that is pinned to a backend, which is selected if
 * none is. 0; -EINVAL if no such feature exists; -ENODEV if the backend cannot be used or another
 * one is chosen; all logged.
 */
int context_use_pinned(VmafContext *context, const char *name, const Dictionary *dict);

/*
 * Starts what was not started yet of a context, when the format of its pictures is known: the list
 * of work, the queue, and the states of features; and with `executors` who scores pictures, also a
 * backend that was chosen. 0, or the error, logged and kept by the context.
 */
int context_start(VmafContext *context, const PictureFormat *format, bool executors);

/* ---- pairs ---- */

/* See vmaf_read_pictures and vmaf_read_context. */
int context_read(VmafContext *context, VmafPicture *ref, VmafPicture *dist, unsigned index);
int context_flush(VmafContext *context);
int context_read_context(VmafContext *context, VmafPicture *ref, VmafPicture *dist);
/* Waits until all frames that were read are done; the error of the first that failed, or 0. */
int context_wait(VmafContext *context);

/* The steps of context_read, for a context in a group. The pair is checked, and what it needs is
 * there: 0, or the error, logged. */
int context_accept(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                   unsigned index);
/* Waits until the pair can be submitted without waiting. */
void context_wait_for_room(VmafContext *context, unsigned index);
/* Takes references. In a group, after context_wait_for_room. `with_ref` is what the contexts that
 * read the reference share of it, or NULL. */
void context_submit(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                    unsigned index, PictureAttachment *with_ref);
/* Waits for all frames, and gives up the pictures that later ones would have needed. */
void context_end_reading(VmafContext *context);
/* Gives up the pictures that later frames would have needed. */
void context_forget_pictures(VmafContext *context);

/* For frames without pictures, too. Which requests are wanted of a frame; the frame at the next
 * position has this index, which had none before: 0, or -ENOMEM. */
RequestMask context_wanted(const VmafContext *context, unsigned index);
int context_count_frame(VmafContext *context, unsigned index);

/* Prepares `still`, which is zero but for keeps_wrapped, for the first frame. */
void still_frames_start(StillFrames *still, const WorkList *work);
/* Gives up the pictures. */
void still_frames_clear(StillFrames *still);

/* The next frame, of which these requests are wanted: whether their records are those of the frame
 * before. Takes references to the pictures until the next call. */
bool still_frames_enter(StillFrames *still, const WorkList *work, const VmafPicture *ref,
                        const VmafPicture *dist, const RequestMask *wanted);

/* ---- backends ---- */

/* 0 if the choice of backends can be changed; -EBUSY after the first pair, -ENODEV in another
 * process than the one that has opened a device. */
int context_check_open(const VmafContext *context);
/* See vmaf_backend_select. `name` is not NULL; the device may be described in full, such as one
 * that the application opened. */
int context_backend_select(VmafContext *context, const char *name,
                           const BackendDeviceRequest *request);
void context_backend_status(VmafContext *context, VmafBackendStatus *status);
/* A picture on the device of the backend that was chosen by name. 0; -ENOTSUP, also without such a
 * backend, and the other errors of picture_import; all logged, and in the status. */
int context_import_picture(VmafContext *context, VmafPicture *pic, const PictureImport *import);

/* ---- runs in parts ---- */

/* What a context returns of its frames, and frames that come with their records: see the functions
 * of libvmaf_ext.h. */
int context_records_format(VmafContext *context, const PictureFormat *format);
int context_records_layout(VmafContext *context, char **json);
int context_read_records_from(VmafContext *context, const char *layout, char **missing);
/* `frame` has all members. */
int context_read_record(VmafContext *context, const VmafStoredFrame *frame);

void record_keeping_clear(RecordKeeping *records);

/* ---- groups ---- */

/*
 * Contexts that score distorted videos of the same reference together. Each keeps all that it has
 * alone: queue, backend, scores, errors. They share the workers of the CPU, which find the same
 * work on the same reference (cpu_workers.h), and what is uploaded of it to a device that several
 * of them use (backend/session/session.h).
 */

/* See libvmaf_ext.h. */
int group_create(VmafGroup **group, unsigned n_threads);
int group_add(VmafGroup *group, VmafContext *context);
int group_read(VmafGroup *group, VmafPicture *ref, VmafPicture dist[], int status[],
               unsigned index);
void group_destroy(VmafGroup *group);

/* A member is closed: the group still needs its memory, and ends it when it is closed itself. */
void group_keep(VmafContext *context);

#endif
