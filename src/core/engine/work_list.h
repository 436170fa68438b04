/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_ENGINE_WORK_LIST_H
#define CORE_ENGINE_WORK_LIST_H

/*
 * What has to be accumulated for each frame of a stream. Instances whose options differ only in how
 * a record is finished share one request, those that condense it in other ways do not; the requests
 * of one extractor form a unit, which accumulates them in one pass.
 */

#include <stdbool.h>
#include <stdint.h>

#include "metrics/framework/instance.h"

/* A set of requests of one work list, by number. */
enum { REQUESTS_MAX = 256, REQUEST_WORDS = REQUESTS_MAX / 64 };

typedef struct RequestMask {
    uint64_t word[REQUEST_WORDS];
} RequestMask;

static inline void mask_add(RequestMask *mask, unsigned request)
{
    mask->word[request / 64] |= UINT64_C(1) << request % 64;
}

static inline bool mask_has(const RequestMask *mask, unsigned request)
{
    return mask->word[request / 64] >> request % 64 & 1;
}

/* The lowest request of a mask that is not empty. */
static inline unsigned mask_first(const RequestMask *mask)
{
    unsigned first = 0;
    while (!mask_has(mask, first))
        first++;
    return first;
}

static inline bool mask_empty(const RequestMask *mask)
{
    uint64_t any = 0;
    for (int i = 0; i < REQUEST_WORDS; i++)
        any |= mask->word[i];
    return !any;
}

static inline bool mask_equal(const RequestMask *a, const RequestMask *b)
{
    uint64_t differing = 0;
    for (int i = 0; i < REQUEST_WORDS; i++)
        differing |= a->word[i] ^ b->word[i];
    return !differing;
}

static inline RequestMask mask_or(RequestMask a, const RequestMask *b)
{
    for (int i = 0; i < REQUEST_WORDS; i++)
        a.word[i] |= b->word[i];
    return a;
}

static inline RequestMask mask_and(RequestMask a, const RequestMask *b)
{
    for (int i = 0; i < REQUEST_WORDS; i++)
        a.word[i] &= b->word[i];
    return a;
}

static inline RequestMask mask_without(RequestMask a, const RequestMask *b)
{
    for (int i = 0; i < REQUEST_WORDS; i++)
        a.word[i] &= ~b->word[i];
    return a;
}

typedef struct WorkUnit {
    const FeatureExtractor *extractor;
    unsigned first_request, n_requests; /* numbers are consecutive */
    RequestMask requests;
    FeatureNeeds needs; /* of all its requests together */
    void *params;       /* constants of the extractor */
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
