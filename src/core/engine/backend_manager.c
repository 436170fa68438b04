/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The choice of a backend, and what can be asked about it. */
#include "engine/backend_manager.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/selection.h"
#include "engine/backend_manager_internal.h"
#include "platform/module.h"
#include "platform/process.h"

/* As libvmaf_ext.h promises. */
enum {
    FRAMES_IN_FLIGHT = 4,
    TIME_LIMIT_MS = 10000,
    OPENING_LIMIT_MS = 60000,
};

static const char forked_text[] = "the process was forked while the backend was in use";

/* ---- the manager itself ---- */

int backend_manager_create(BackendManager **created, const Logger *logger, bool masked,
                           atomic_int *run_error)
{
    BackendManager *manager = calloc(1, sizeof(*manager));
    if (!manager)
        return -ENOMEM;
    atomic_init(&manager->references, 1);
    atomic_init(&manager->engaged_by, 0);
    atomic_init(&manager->scores_invalid, false);
    manager->run_error = run_error;
    vmaf_mutex_init(&manager->lock);
    vmaf_condition_init(&manager->changed);
    manager->logger = *logger;
    manager->masked = masked;
    manager->tuning = (VmafBackendTuning){
        .frames_in_flight = FRAMES_IN_FLIGHT,
        .time_limit = TIME_LIMIT_MS,
    };
    manager->opening_limit = OPENING_LIMIT_MS;
    manager->status = (VmafBackendStatus){
        .phase = manager->masked ? VMAF_BACKEND_PHASE_CPU : VMAF_BACKEND_PHASE_WAITING,
        .device_index = -1,
        .name = "cpu",
    };
    *created = manager;
    return 0;
}

void manager_unref(BackendManager *manager)
{
    if (atomic_fetch_sub_explicit(&manager->references, 1, memory_order_acq_rel) != 1)
        return;
    while (manager->texts) {
        ManagerText *text = manager->texts;
        manager->texts = text->next;
        free(text);
    }
    workload_unref(manager->workload);
    shared_uploads_unref(manager->uploads);
    while (manager->devices) {
        ManagerDevice *device = manager->devices;
        manager->devices = device->next;
        free(device->coverage);
        free(device);
    }
    free(manager->placements);
    free(manager->hints);
    free(manager->events);
    vmaf_condition_destroy(&manager->changed);
    vmaf_mutex_destroy(&manager->lock);
    free(manager);
}

void backend_manager_destroy(BackendManager *manager)
{
    manager_unref(manager);
}

const char *manager_text(BackendManager *manager, const char *text)
{
    for (ManagerText *known = manager->texts; known; known = known->next) {
        if (!strcmp(known->text, text))
            return known->text;
    }
    size_t size = strlen(text) + 1;
    ManagerText *copy = size > 1 ? malloc(sizeof(*copy) + size) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy->text, text, size);
    copy->next = manager->texts;
    manager->texts = copy;
    return copy->text;
}

bool backend_manager_is_foreign(const BackendManager *manager)
{
    int process = atomic_load(&manager->engaged_by);
    return process && process != vmaf_process_id();
}

void manager_disengage(BackendManager *manager)
{
    bool held = manager->supervised && !manager->finished;
    for (const ManagerDevice *device = manager->devices; device; device = device->next)
        held |= device->device != NULL;
    if (!held)
        atomic_store(&manager->engaged_by, 0);
}

/* ---- choosing ---- */

void manager_note_availability(BackendManager *manager, const char *name,
                               const BackendAvailability *availability)
{
    manager->status.name = manager_text(manager, name);
    manager->status.device = NULL;
    manager->status.device_index = -1;
    manager->status.availability = (enum VmafAvailability)availability->state;
    manager->status.error = availability->error;
    manager->status.reason = manager_text(manager, availability->why.text);
}

static int refuse_choice(BackendManager *manager, const char *name,
                         const BackendAvailability *availability, int err)
{
    manager_disengage(manager);
    manager_note_availability(manager, name, availability);
    manager->status.phase = VMAF_BACKEND_PHASE_FAILED;
    log_message(&manager->logger, VMAF_LOG_LEVEL_DEBUG, "backend %s is not available: %s", name,
                availability->why.text);
    return err == -EINVAL && availability->state == BACKEND_NO_DEVICE ? -EINVAL : -ENODEV;
}

/* Adds the device that a request describes. */
static int open_device(BackendManager *manager, BackendEntry *entry,
                       const BackendDeviceRequest *request, BackendAvailability *availability)
{
    BackendDevice *device;
    const int err = backend_device_acquire(&device, entry, request, availability);
    if (err || manager_add_device(manager, device))
        return err;
    backend_device_release(device);
    return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM, "out of memory");
}

/* Adds all devices of a backend that can be opened. 0 if there is one. */
static int open_all_devices(BackendManager *manager, BackendEntry *entry,
                            BackendAvailability *availability)
{
    int indices[BACKEND_DEVICES_MAX];
    BackendDeviceRequest request = {.index = ANY_DEVICE, .discrete_first = true};
    const int n = device_choose_all(entry, &request, indices, availability);
    int err = n < 0 ? n : -ENODEV;
    for (int i = 0; i < n; i++) {
        BackendAvailability failure = {0};
        request.index = indices[i];
        const int failed = open_device(manager, entry, &request, &failure);
        if (!failed) {
            err = 0;
            continue;
        }
        if (err)
            *availability = failure;
        manager->hangs |= failed == -ETIMEDOUT;
        log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING, "device %d of %s is left out: %s",
                    indices[i], backend_entry_name(entry), failure.why.text);
    }
    return err;
}

static int open_devices(BackendManager *manager, const char *name,
                        const BackendDeviceRequest *request)
{
    const bool described = request->external || request->opened;
    BackendAvailability availability = {0};
    BackendEntry *entry = backend_registry_find(name);
    atomic_store(&manager->engaged_by, vmaf_process_id());
    int err;
    if (!entry)
        err = backend_availability_set(
            &availability, BACKEND_PLUGIN_NOT_FOUND, -ENODEV,
            "no plugin libvmaf-backend-%s" VMAF_MODULE_SUFFIX " was found", name);
    else if (!described && request->index == ALL_DEVICES)
        err = open_all_devices(manager, entry, &availability);
    else
        err = open_device(manager, entry, request, &availability);
    if (err)
        return refuse_choice(manager, name, &availability, err);
    const ManagerDevice *first = manager->devices;
    manager->strict = true;
    manager->chosen = first->backend;
    manager->device_wanted = described ? DESCRIBED_DEVICE : request->index;
    manager->choice_failed = false;
    manager->status = (VmafBackendStatus){
        .phase = VMAF_BACKEND_PHASE_STARTING,
        .device_index = first->index,
        .name = manager->chosen,
        .device = first->name,
        .reads_frame_memory = first->reads_frame_memory,
    };
    return 0;
}

static void choose_without_device(BackendManager *manager, bool automatic)
{
    manager->chosen = automatic ? "auto" : "cpu";
    manager->choice_failed = false;
    manager->status = (VmafBackendStatus){
        .phase =
            automatic && !manager->masked ? VMAF_BACKEND_PHASE_WAITING : VMAF_BACKEND_PHASE_CPU,
        .device_index = -1,
        .name = "cpu",
    };
}

static int choose(BackendManager *manager, const char *name, const BackendDeviceRequest *request)
{
    bool automatic = !strcmp(name, "auto"), cpu = !strcmp(name, "cpu");
    bool described = request->external || request->opened;
    bool any_device = !described && request->index == ANY_DEVICE;
    if ((automatic || cpu) ? !any_device : !backend_name_is_valid(name, strlen(name)))
        return -EINVAL;
    if (manager_is_strict(manager)) {
        bool same = !strcmp(manager->chosen, name) && !described &&
                    (any_device || request->index == manager->device_wanted);
        return same ? 0 : -EBUSY;
    }
    if (manager->chosen && !strcmp(manager->chosen, "cpu") && !cpu)
        return -EBUSY;
    if (automatic || cpu) {
        choose_without_device(manager, automatic);
        return 0;
    }
    return open_devices(manager, name, request);
}

int backend_manager_select(BackendManager *manager, const char *name,
                           const BackendDeviceRequest *request)
{
    vmaf_mutex_lock(&manager->lock);
    const int err = choose(manager, name, request);
    if (err != -EBUSY)
        manager->asked = true;
    if (err == -ENODEV || (err == -EINVAL && manager->status.phase == VMAF_BACKEND_PHASE_FAILED))
        manager->choice_failed = true;
    vmaf_mutex_unlock(&manager->lock);
    return err;
}

int manager_choose_pinned(BackendManager *manager, const char *name)
{
    const BackendDeviceRequest request = {.index = -1};
    for (unsigned i = 0; i < manager->n_hints; i++) {
        if (manager->hints[i].excluded && !strcmp(manager->hints[i].name, name))
            return -ENODEV;
    }
    enum VmafBackendPhase before = manager->status.phase;
    int err = choose(manager, name, &request);
    if (err) /* the run can do without the feature */
        manager->status.phase = before;
    return err ? -ENODEV : 0;
}

int manager_choose_by_environment(BackendManager *manager)
{
    const BackendDeviceRequest request = {.index = -1};
    const char *name =
        manager->chosen || manager->choice_failed ? NULL : secure_getenv("VMAF_BACKEND");
    if (!name || !*name)
        return 0;
    int err = choose(manager, name, &request);
    if (err)
        log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR,
                    "backend \"%s\", which VMAF_BACKEND asks for, is not available: %s", name,
                    manager->status.reason ? manager->status.reason : "there is no such backend");
    return err ? -ENODEV : 0;
}

void manager_unchoose(BackendManager *manager)
{
    manager_forget_devices(manager);
    manager->strict = false;
    manager->chosen = NULL;
    manager_disengage(manager);
    manager->status = (VmafBackendStatus){
        .phase = manager->masked ? VMAF_BACKEND_PHASE_CPU : VMAF_BACKEND_PHASE_WAITING,
        .device_index = -1,
        .name = "cpu",
    };
}

/* ---- hints and tuning ---- */

SelectionHint *manager_hint(BackendManager *manager, const char *name)
{
    for (unsigned i = 0; i < manager->n_hints; i++) {
        if (!strcmp(manager->hints[i].name, name))
            return &manager->hints[i];
    }
    const char *kept = manager_text(manager, name);
    SelectionHint *moved =
        reallocarray(manager->hints, manager->n_hints + 1, sizeof(*manager->hints));
    if (moved)
        manager->hints = moved;
    if (!moved || !kept)
        return NULL;
    manager->hints[manager->n_hints] = (SelectionHint){.name = kept, .device = -1};
    return &manager->hints[manager->n_hints++];
}

static int change_hint(BackendManager *manager, const char *name, bool excluded, int device)
{
    if (!backend_name_is_valid(name, strlen(name)))
        return -EINVAL;
    vmaf_mutex_lock(&manager->lock);
    SelectionHint *hint = manager_hint(manager, name);
    if (hint) {
        hint->excluded |= excluded;
        hint->considered |= !excluded;
        if (!excluded) /* all of them, if it is not one */
            hint->device = device < 0 ? ANY_DEVICE : device;
    }
    vmaf_mutex_unlock(&manager->lock);
    return hint ? 0 : -ENOMEM;
}

int backend_manager_consider(BackendManager *manager, const char *name, int device)
{
    return change_hint(manager, name, false, device);
}

int backend_manager_exclude(BackendManager *manager, const char *name)
{
    return change_hint(manager, name, true, -1);
}

void backend_manager_share_uploads(BackendManager *manager, SharedUploads *uploads)
{
    manager->uploads = shared_uploads_ref(uploads);
}

void backend_manager_set_in_flight(BackendManager *manager, unsigned frames)
{
    manager->tuning.frames_in_flight = frames < BACKEND_SLOTS_MAX ? frames : BACKEND_SLOTS_MAX;
}

void backend_manager_tune(BackendManager *manager, const VmafBackendTuning *tuning)
{
    const unsigned frames = tuning->frames_in_flight, limit = tuning->time_limit;
    manager->tuning = (VmafBackendTuning){
        .join_after = tuning->join_after,
        .time_limit = limit ? limit : TIME_LIMIT_MS,
        .spot_check = tuning->spot_check,
    };
    backend_manager_set_in_flight(manager, frames ? frames : FRAMES_IN_FLIGHT);
    manager->opening_limit = limit ? limit : OPENING_LIMIT_MS;
}

BackendDevice *backend_manager_device(const BackendManager *manager)
{
    return manager->strict ? manager->devices->device : NULL;
}

void backend_manager_note_reason(BackendManager *manager, const char *why)
{
    vmaf_mutex_lock(&manager->lock);
    if (!manager->status.failed_active && manager->status.phase != VMAF_BACKEND_PHASE_FAILED)
        manager->status.reason = manager_text(manager, why);
    vmaf_mutex_unlock(&manager->lock);
}

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
    const ManagerDevice *device = manager->devices;
    while (device && device->number != index)
        device = device->next;
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
