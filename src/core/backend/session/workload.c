/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/session/workload.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct SharedWorkload {
    Workload workload;
    atomic_uint references;
} SharedWorkload;

/* One block: the option struct and behind it the texts that it points to. */
static void *copy_options(const FeatureExtractor *extractor, const void *options)
{
    size_t size = extractor->options_size;
    for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
        if (spec->type == VMAF_OPTION_TYPE_STRING && option_string(options, spec))
            size += strlen(option_string(options, spec)) + 1;
    }
    char *copy = malloc(size + 1);
    if (!copy)
        return NULL;
    memcpy(copy, options, extractor->options_size);
    char *text = copy + extractor->options_size;
    for (const OptionSpec *spec = extractor->options; spec->name; spec++) {
        if (spec->type != VMAF_OPTION_TYPE_STRING || !option_string(options, spec))
            continue;
        memcpy(copy + spec->offset, &text, sizeof(text));
        text = stpcpy(text, option_string(options, spec)) + 1;
    }
    return copy;
}

Workload *workload_create(const PictureFormat *format, unsigned cpu_flags,
                          const WorkloadRequest requests[], unsigned n_requests)
{
    SharedWorkload *shared = calloc(1, sizeof(*shared));
    if (!shared)
        return NULL;
    atomic_init(&shared->references, 1);
    Workload *workload = &shared->workload;
    workload->format = *format;
    workload->cpu_flags = cpu_flags;
    workload->requests = calloc(n_requests + 1, sizeof(*workload->requests));
    if (!workload->requests)
        goto fail;
    for (unsigned r = 0; r < n_requests; r++) {
        WorkloadRequest *request = &workload->requests[r];
        *request = requests[r];
        request->options = copy_options(request->extractor, requests[r].options);
        if (!request->options)
            goto fail;
        workload->n_requests++;
    }
    return workload;

fail:
    workload_unref(workload);
    return NULL;
}

Workload *workload_ref(Workload *workload)
{
    atomic_fetch_add_explicit(&((SharedWorkload *)workload)->references, 1, memory_order_relaxed);
    return workload;
}

void workload_unref(Workload *workload)
{
    SharedWorkload *shared = (SharedWorkload *)workload;
    if (!shared || atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) != 1)
        return;
    for (unsigned r = 0; r < workload->n_requests; r++)
        free((void *)workload->requests[r].options);
    free(workload->requests);
    free(shared);
}
