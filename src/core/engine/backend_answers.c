/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What reports say of backends. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/own_feature.h"
#include "engine/backend_manager_internal.h"

/* Frames of a backend, by all of its devices: with this request, or any if it is negative. */
static uint64_t frames_of(const BackendManager *manager, const char *backend, int request)
{
    uint64_t n = 0;
    for (const ManagerDevice *device = manager->devices; device; device = device->next) {
        if (!strcmp(device->backend, backend))
            n += request < 0 ? device->frames : device->computed[request];
    }
    return n;
}

/* The backend with most frames, the first that joined of several; NULL: there are none. Locked. */
static const char *most_used(const BackendManager *manager, int request, uint64_t *most)
{
    const char *name = NULL;
    *most = 0;
    for (const ManagerDevice *device = manager->devices; device; device = device->next) {
        const uint64_t n = frames_of(manager, device->backend, request);
        if (n > *most) {
            *most = n;
            name = device->backend;
        }
    }
    return name;
}

/* A backend wins against the CPU if they are even. Locked. */
static const char *backend_used(const BackendManager *manager)
{
    uint64_t most;
    const char *name = most_used(manager, -1, &most);
    return name && most >= manager->frames_by_cpu ? name : "cpu";
}

static bool took_part(const BackendManager *manager)
{
    uint64_t most;
    return most_used(manager, -1, &most) != NULL;
}

/* The requests of instances are not set before there are placements. Locked. */
static ReportBackend describe(BackendManager *manager, const FeatureInstance *instance)
{
    const FeatureExtractor *extractor = instance->extractor;
    uint64_t most;
    const char *backend = manager->placements && instance->request >= 0
                              ? most_used(manager, instance->request, &most)
                              : NULL;
    if (!backend)
        return (ReportBackend){extractor->name, "cpu"};
    char name[128];
    snprintf(name, sizeof(name), "%s_%s", extractor->name, backend);
    const char *text = own_feature_of(extractor) ? NULL : manager_text(manager, name);
    return (ReportBackend){text ? text : extractor->name, backend};
}

/* Frames by device, if there are several; the CPU comes last. Locked. */
static unsigned list_devices(const BackendManager *manager, ReportDevice list[])
{
    unsigned n = 0;
    for (const ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->slots)
            list[n++] =
                (ReportDevice){device->backend, device->name, device->index, device->frames};
    }
    if (n < 2)
        return 0;
    list[n++] = (ReportDevice){"cpu", NULL, -1, manager->frames_by_cpu};
    return n;
}

int backend_manager_report(BackendManager *manager, const FeatureSet *features, Report *report,
                           void **members)
{
    vmaf_mutex_lock(&manager->lock);
    ReportBackendEvent *events = calloc(1, manager->n_events * sizeof(*events) +
                                               (manager->n_devices + 1) * sizeof(ReportDevice) +
                                               (features->count + 1) * sizeof(ReportBackend));
    if (!events) {
        vmaf_mutex_unlock(&manager->lock);
        return -ENOMEM;
    }
    ReportDevice *devices = (ReportDevice *)(events + manager->n_events);
    ReportBackend *backends = (ReportBackend *)(devices + manager->n_devices + 1);
    for (unsigned i = 0; i < features->count; i++)
        backends[i] = describe(manager, features->instances[i]);
    for (unsigned i = 0; i < manager->n_events; i++)
        events[i] = manager->events[i].event;
    report->backends = backends;
    report->n_backends = features->count;
    report->devices = devices;
    report->n_devices = list_devices(manager, devices);
    report->backend_events = events;
    report->n_backend_events = manager->n_events;
    if (manager->asked || manager->n_events || took_part(manager))
        report->backend_used = backend_used(manager);
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
