/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_WORK_PLAN_H
#define CORE_ENGINE_WORK_PLAN_H

#include "engine/requests/request_mask.h"
#include "metrics/framework/instance.h"

/*
 * What has to be accumulated for each frame of a stream. Instances whose options differ only in how
 * a record is finished share one request, those that condense it in other ways do not; the requests
 * of one extractor form a unit, which accumulates them in one pass.
 */

typedef struct WorkUnit {
    const FeatureExtractor *extractor;
    unsigned first_request, n_requests; /* numbers are consecutive */
    RequestMask requests;
    FeatureNeeds needs; /* of all its requests together */
    void *plan;         /* constants of the extractor */
} WorkUnit;

typedef struct WorkRequest {
    const void *options; /* of the first instance that wants it */
    unsigned unit;
    size_t record_offset, record_size; /* in the block of records of a frame */
    bool uniform;                      /* all instances that it serves have the same options */
    bool pinned;                       /* one of them may be computed by a backend only */
    /* Its records are scores that a backend has finished: a double for each output of the
     * extractor, not a number for an output without a score. */
    bool scores;
} WorkRequest;

typedef struct WorkList {
    PictureFormat format;
    WorkUnit *units;
    unsigned n_units;
    WorkRequest *requests;
    unsigned n_requests;
    size_t records_size; /* of one frame */
    RequestMask every_frame, sampled;
    RequestMask condensed; /* records are condensed before they are finished */
    FeatureNeeds needs;    /* of everything together */
} WorkList;

/*
 * Makes the list and notes in each instance which request serves it. The feature set must outlive
 * the list. 0; -EINVAL with a reason and the name of the extractor if an extractor cannot handle
 * such pictures; -ENOMEM.
 */
int work_list_create(WorkList *work, const FeatureSet *features, const PictureFormat *format,
                     unsigned cpu_flags, const char **failed_extractor, Reason *why);
void work_list_destroy(WorkList *work);

static inline const FeatureExtractor *work_extractor(const WorkList *work, unsigned request)
{
    return work->units[work->requests[request].unit].extractor;
}

/* Where the record of a unit's i-th request is in a block of the unit's records alone; with i =
 * n_requests the size of that. */
size_t work_unit_record_offset(const WorkList *work, const WorkUnit *unit, unsigned i);

/* How many earlier pairs are looked at. */
static inline unsigned needs_history(const FeatureNeeds *needs)
{
    return needs->ref_history > needs->dist_history ? needs->ref_history : needs->dist_history;
}

/* What all registered extractors read, before there is a list. */
FeatureNeeds feature_set_needs(const FeatureSet *features, enum VmafPixelFormat pix_fmt);

#endif
