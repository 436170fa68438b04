/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/work_list.h"

#include <errno.h>
#include <stdlib.h>

#include "support/memory.h"

static unsigned max(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static FeatureNeeds needs_union(FeatureNeeds a, FeatureNeeds b)
{
    return (FeatureNeeds){
        .planes = a.planes | b.planes,
        .ref_history = max(a.ref_history, b.ref_history),
        .dist_history = max(a.dist_history, b.dist_history),
    };
}

FeatureNeeds feature_set_needs(const FeatureSet *features, enum VmafPixelFormat pix_fmt)
{
    FeatureNeeds needs = {0};
    for (unsigned i = 0; i < features->count; i++) {
        const FeatureInstance *instance = features->instances[i];
        needs =
            needs_union(needs, extractor_needs(instance->extractor, instance->options, pix_fmt));
    }
    return needs;
}

static int check_formats(const FeatureSet *features, const PictureFormat *format,
                         const char **failed_extractor, Reason *why)
{
    for (unsigned i = 0; i < features->count; i++) {
        const FeatureInstance *instance = features->instances[i];
        int err = extractor_check_format(instance->extractor, instance->options, format, why);
        if (err) {
            *failed_extractor = instance->extractor->name;
            return err;
        }
    }
    return 0;
}

/* Also large enough for the scores that a backend may answer with instead. */
static size_t record_size(const FeatureInstance *instance, const PictureFormat *format)
{
    size_t size = extractor_record_size(instance->extractor, instance->options, format);
    size_t scores = feature_output_count(instance->extractor) * sizeof(double);
    return size > scores ? size : scores;
}

/* The unit's request with the same record, condensed in the same way, or a new one. -1 if there are
 * too many. */
static int request_for(WorkList *work, unsigned unit, const FeatureInstance *instance)
{
    WorkUnit *u = &work->units[unit];
    const FeatureExtractor *extractor = u->extractor;
    for (unsigned r = u->first_request; r < work->n_requests; r++) {
        if (options_equal(work->requests[r].options, instance->options, extractor->options,
                          OPTION_ACCUMULATE | OPTION_CONDENSE)) {
            work->requests[r].uniform &=
                options_equal(work->requests[r].options, instance->options, extractor->options, 0);
            work->requests[r].pinned |= instance->pinned;
            return (int)r;
        }
    }
    if (work->n_requests == REQUESTS_MAX)
        return -1;

    unsigned r = work->n_requests++;
    work->requests[r] = (WorkRequest){
        .options = instance->options,
        .unit = unit,
        .record_offset = work->records_size,
        .record_size = record_size(instance, &work->format),
        .uniform = true,
        .pinned = instance->pinned,
    };
    work->records_size += size_round_up(work->requests[r].record_size, MEMORY_ALIGNMENT);
    u->n_requests++;
    u->needs =
        needs_union(u->needs, extractor_needs(extractor, instance->options, work->format.pix_fmt));
    mask_add(&u->requests, r);
    mask_add(extractor->flags & EXTRACTOR_EVERY_FRAME ? &work->every_frame : &work->sampled, r);
    if (extractor->condense)
        mask_add(&work->condensed, r);
    return (int)r;
}

static int add_unit(WorkList *work, const FeatureSet *features, unsigned first,
                    const char **failed_extractor, Reason *why)
{
    const FeatureExtractor *extractor = features->instances[first]->extractor;
    unsigned unit = work->n_units++;
    work->units[unit] = (WorkUnit){.extractor = extractor, .first_request = work->n_requests};
    for (unsigned i = first; i < features->count; i++) {
        FeatureInstance *instance = features->instances[i];
        if (instance->extractor != extractor)
            continue;
        instance->request = request_for(work, unit, instance);
        if (instance->request < 0) {
            *failed_extractor = extractor->name;
            return reason_set(why, -EINVAL, "%s: more than %d different feature configurations",
                              extractor->name, REQUESTS_MAX);
        }
    }
    work->needs = needs_union(work->needs, work->units[unit].needs);
    return 0;
}

static bool has_unit(const WorkList *work, const FeatureExtractor *extractor)
{
    for (unsigned u = 0; u < work->n_units; u++) {
        if (work->units[u].extractor == extractor)
            return true;
    }
    return false;
}

static int create_unit_params(const WorkList *work, WorkUnit *unit, unsigned flags)
{
    const void *variants[REQUESTS_MAX];
    for (unsigned i = 0; i < unit->n_requests; i++)
        variants[i] = work->requests[unit->first_request + i].options;
    return extractor_params_create(unit->extractor, &unit->params, &work->format, variants,
                                   unit->n_requests, flags);
}

int work_list_create(WorkList *work, const FeatureSet *features, const PictureFormat *format,
                     unsigned flags, const char **failed_extractor, Reason *why)
{
    *work = (WorkList){.format = *format};
    int err = check_formats(features, format, failed_extractor, why);
    if (err)
        return err;

    err = -ENOMEM;
    work->units = calloc(features->count + 1, sizeof(*work->units));
    work->requests = calloc(features->count + 1, sizeof(*work->requests));
    if (!work->units || !work->requests)
        goto fail;
    for (unsigned i = 0; i < features->count; i++) {
        const FeatureExtractor *extractor = features->instances[i]->extractor;
        if (!extractor->accumulate || has_unit(work, extractor))
            continue;
        err = add_unit(work, features, i, failed_extractor, why);
        if (err)
            goto fail;
    }
    for (unsigned u = 0; u < work->n_units; u++) {
        err = create_unit_params(work, &work->units[u], flags);
        if (err) {
            *failed_extractor = work->units[u].extractor->name;
            goto fail;
        }
    }
    return 0;

fail:
    work_list_destroy(work);
    return err;
}

size_t work_unit_record_offset(const WorkList *work, const WorkUnit *unit, unsigned i)
{
    const unsigned r = unit->first_request + i;
    const size_t end = r < work->n_requests ? work->requests[r].record_offset : work->records_size;
    return end - work->requests[unit->first_request].record_offset;
}

void work_list_destroy(WorkList *work)
{
    for (unsigned u = 0; u < work->n_units; u++)
        extractor_params_destroy(work->units[u].extractor, work->units[u].params);
    free(work->units);
    free(work->requests);
    *work = (WorkList){0};
}
