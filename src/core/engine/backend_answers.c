/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What can be asked about the backends of a run, and what reports say of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/own_feature.h"
#include "engine/backend_manager_internal.h"

static const char forked_text[] = "the process was forked while the backend was in use";

/* ---- answers ---- */

void backend_manager_status(BackendManager *manager, VmafBackendStatus *status)
{
    if (backend_manager_is_foreign(manager)) {
        *status = (VmafBackendStatus){
            .phase = VMAF_BACKEND_PHASE_FAILED,
            .availability = VMAF_AVAILABILITY_INIT_FAILED,
            .error = -ENODEV,
            .device_index = -1,
            .name = manager->chosen ? manager->chosen : "auto",
            .reason = forked_text,
        };
    } else {
        vmaf_mutex_lock(&manager->lock);
        *status = manager->status;
        status->starting = manager->supervised && !manager->finished;
        status->hangs = manager->hangs || status->error == -ETIMEDOUT;
        const SpotCheckCounts counts = spot_check_counts(manager->spot_check);
        status->spot_checks = counts.frames;
        status->spot_check_downloads = counts.downloads;
        vmaf_mutex_unlock(&manager->lock);
    }
    status->struct_size = sizeof(*status);
}

int backend_manager_placement(BackendManager *manager, const FeatureInstance *instance,
                              VmafFeaturePlacement *placement)
{
    if (backend_manager_is_foreign(manager))
        return -ENODEV;
    *placement = (VmafFeaturePlacement){
        .struct_size = sizeof(*placement),
        .extractor = instance->extractor->name,
        .backend = "cpu",
    };
    vmaf_mutex_lock(&manager->lock);
    /* The requests of instances are not set before there are placements. */
    if (!manager->placements || instance->request < 0) {
        vmaf_mutex_unlock(&manager->lock);
        return 0;
    }
    const ManagerPlacement *placed = &manager->placements[instance->request];
    placement->placement = placed->coverage.placement;
    if (placed->coverage.placement == VMAF_PLACEMENT_BACKEND)
        placement->backend = placed->backend;
    placement->option = placed->coverage.option;
    placement->reason = manager_text(manager, placed->coverage.why.text);
    vmaf_mutex_unlock(&manager->lock);
    return 0;
}

int backend_manager_device_use(BackendManager *manager, unsigned index, VmafBackendDeviceUse *use)
{
    if (backend_manager_is_foreign(manager))
        return -ENODEV;
    vmaf_mutex_lock(&manager->lock);
    const ManagerDevice *device = manager_find_device(manager, index);
    if (device)
        *use = (VmafBackendDeviceUse){
            .struct_size = sizeof(*use),
            .backend = device->backend,
            .device_index = device->index,
            .device = device->name,
            .phase = device->phase,
            .reason = device->reason,
            .frames_in_flight = device->slots,
            .frames = device->frames,
        };
    vmaf_mutex_unlock(&manager->lock);
    return device ? 0 : -ERANGE;
}

int backend_manager_event(BackendManager *manager, unsigned index, VmafBackendEvent *event)
{
    if (backend_manager_is_foreign(manager))
        return -ENODEV;
    vmaf_mutex_lock(&manager->lock);
    bool found = index < manager->n_events;
    if (found) {
        const ManagerEvent *kept = &manager->events[index];
        *event = (VmafBackendEvent){
            .struct_size = sizeof(*event),
            .backend = kept->event.backend,
            .frame = kept->event.frame,
            .reason = kept->event.reason,
            .pictures_kept = kept->pictures_kept,
            .device_index = kept->device->index,
            .device = kept->device->name,
        };
    }
    vmaf_mutex_unlock(&manager->lock);
    return found ? 0 : -ERANGE;
}

/* ---- reports ---- */

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
