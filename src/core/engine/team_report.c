/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What reports say of backends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/session/own_feature.h"
#include "engine/team_state.h"

/* The backend that scored most frames; one wins against the CPU if they are even. Locked. */
static const char *most_used(const BackendTeam *team)
{
    const char *name = NULL;
    uint64_t most = 0;
    for (unsigned i = 0; i < team->n_tallies; i++) {
        if (team->tallies[i].frames > most) {
            most = team->tallies[i].frames;
            name = team->tallies[i].backend;
        }
    }
    return most && most >= team->frames_by_cpu ? name : "cpu";
}

static bool took_part(const BackendTeam *team)
{
    for (unsigned i = 0; i < team->n_tallies; i++) {
        if (team->tallies[i].frames)
            return true;
    }
    return false;
}

/* Locked. */
static ReportBackend describe(BackendTeam *team, const FeatureInstance *instance)
{
    const FeatureExtractor *extractor = instance->extractor;
    const char *backend = team->placements && instance->request >= 0
                              ? team->placements[instance->request].computed
                              : NULL;
    if (!backend)
        return (ReportBackend){extractor->name, "cpu"};
    char name[128];
    snprintf(name, sizeof(name), "%s_%s", extractor->name, backend);
    const char *text = own_feature_of(extractor) ? NULL : team_text(team, name);
    return (ReportBackend){text ? text : extractor->name, backend};
}

int team_report(BackendTeam *team, const FeatureSet *features, Report *report, void **members)
{
    vmaf_mutex_lock(&team->lock);
    ReportBackendEvent *events =
        calloc(1, team->n_events * sizeof(*events) + (features->count + 1) * sizeof(ReportBackend));
    if (!events) {
        vmaf_mutex_unlock(&team->lock);
        return -ENOMEM;
    }
    ReportBackend *backends = (ReportBackend *)(events + team->n_events);
    for (unsigned i = 0; i < features->count; i++)
        backends[i] = describe(team, features->instances[i]);
    for (unsigned i = 0; i < team->n_events; i++)
        events[i] = team->events[i].event;
    report->backends = backends;
    report->n_backends = features->count;
    report->backend_events = events;
    report->n_backend_events = team->n_events;
    if (team->asked || team->n_events || took_part(team))
        report->backend_used = most_used(team);
    if (took_part(team)) {
        const SpotCheckCounts counts = spot_check_counts(team->spot_check);
        report->has_spot_checks = true;
        report->spot_check_every = team->spot_every;
        report->n_spot_checks = counts.frames;
        report->n_spot_check_downloads = counts.downloads;
    }
    vmaf_mutex_unlock(&team->lock);
    *members = events;
    return 0;
}
