/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_WORKLOAD_H
#define CORE_BACKEND_SESSION_WORKLOAD_H

/*
 * What is to be accumulated for the frames of a stream. It is a copy, because a thread that hangs
 * in a driver keeps its workload after the context is gone.
 */

#include "metrics/framework/extractor.h"

typedef struct WorkloadRequest {
    const FeatureExtractor *extractor;
    const void *options;
    size_t record_size; /* of the CPU's record, of pictures of the workload's format */
    /* All that it serves have the same options, also those that only change how it is finished. */
    bool uniform;
    bool pinned; /* nothing else may compute it */
} WorkloadRequest;

typedef struct Workload {
    PictureFormat format;
    unsigned cpu_flags;
    unsigned n_requests;
    WorkloadRequest *requests;
} Workload;

/* Copies; one reference. NULL for lack of memory. */
Workload *workload_create(const PictureFormat *format, unsigned cpu_flags,
                          const WorkloadRequest requests[], unsigned n_requests);
Workload *workload_ref(Workload *workload);
void workload_unref(Workload *workload); /* NULL allowed */

#endif
