/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What reports say of backends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/session/own_feature.h"
#include "engine/backends/manager_state.h"

/* The backend that scored most frames; one wins against the CPU if they are even. Locked. */
static const char *most_used(const BackendManager *manager)
{
    const char *name = NULL;
    uint64_t most = 0;
    for (unsigned i = 0; i < manager->n_tallies; i++) {
        if (manager->tallies[i].frames > most) {
            most = manager->tallies[i].frames;
            name = manager->tallies[i].backend;
        }
    }
    return most && most >= manager->frames_by_cpu ? name : "cpu";
}

static bool took_part(const BackendManager *manager)
{
    for (unsigned i = 0; i < manager->n_tallies; i++) {
        if (manager->tallies[i].frames)
            return true;
    }
    return false;
}

/* Locked. */
static ReportBackend describe(BackendManager *manager, const FeatureInstance *instance)
{
    const FeatureExtractor *extractor = instance->extractor;
    const char *backend = manager->placements && instance->request >= 0
                              ? manager->placements[instance->request].computed
                              : NULL;
    if (!backend)
        return (ReportBackend){extractor->name, "cpu"};
    char name[128];
    snprintf(name, sizeof(name), "%s_%s", extractor->name, backend);
    const char *text = own_feature_of(extractor) ? NULL : manager_text(manager, name);
    return (ReportBackend){text ? text : extractor->name, backend};
}

int backend_manager_report(BackendManager *manager, const FeatureSet *features, Report *report,
                           void **members)
{
    vmaf_mutex_lock(&manager->lock);
    ReportBackendEvent *events = calloc(1, manager->n_events * sizeof(*events) +
                                               (features->count + 1) * sizeof(ReportBackend));
    if (!events) {
        vmaf_mutex_unlock(&manager->lock);
        return -ENOMEM;
    }
    ReportBackend *backends = (ReportBackend *)(events + manager->n_events);
    for (unsigned i = 0; i < features->count; i++)
        backends[i] = describe(manager, features->instances[i]);
    for (unsigned i = 0; i < manager->n_events; i++)
        events[i] = manager->events[i].event;
    report->backends = backends;
    report->n_backends = features->count;
    report->backend_events = events;
    report->n_backend_events = manager->n_events;
    if (manager->asked || manager->n_events || took_part(manager))
        report->backend_used = most_used(manager);
    if (took_part(manager)) {
        const SpotCheckCounts counts = spot_check_counts(manager->spot_check);
        report->has_spot_checks = true;
        report->spot_check_every = manager->spot_every;
        report->n_spot_checks = counts.frames;
        report->n_spot_check_downloads = counts.downloads;
    }
    vmaf_mutex_unlock(&manager->lock);
    *members = events;
    return 0;
}
