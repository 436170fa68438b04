/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The backend that is chosen by name: by the program, by the environment, or by the name of a
 * feature that is pinned to it; and how its devices start. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/selection.h"
#include "backend/session/own_feature.h"
#include "engine/backend_manager_internal.h"
#include "metrics/framework/extractor.h"
#include "platform/module.h"
#include "platform/process.h"

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

static int reject_choice(BackendManager *manager, const char *name,
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
        return reject_choice(manager, name, &availability, err);
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

static int choose(BackendManager *manager, const char *name, const BackendDeviceRequest *request)
{
    bool automatic = !strcmp(name, "auto"), cpu = !strcmp(name, "cpu");
    bool described = request->external || request->opened;
    bool any_device = !described && request->index == ANY_DEVICE;
    if ((automatic || cpu) ? !any_device : !backend_name_is_valid(name, strlen(name)))
        return -EINVAL;
    if (manager->strict) {
        bool same = !strcmp(manager->chosen, name) && !described &&
                    (any_device || request->index == manager->device_wanted);
        return same ? 0 : -EBUSY;
    }
    if (manager->chosen && !strcmp(manager->chosen, "cpu") && !cpu)
        return -EBUSY;
    if (automatic || cpu) {
        manager->chosen = automatic ? "auto" : "cpu";
        manager->choice_failed = false;
        manager_set_idle(manager, automatic);
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

/* Chooses a backend for a feature that is pinned to it, unless another one is chosen: 0 or -ENODEV.
 * The second takes that back. Locked. */
static int manager_choose_pinned(BackendManager *manager, const char *name)
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

/* Chooses a backend for a feature that is pinned to it, unless another one is chosen: 0 or -ENODEV.
 * The second takes that back. Locked. */
static void manager_unchoose(BackendManager *manager)
{
    manager_forget_devices(manager);
    manager->strict = false;
    manager->chosen = NULL;
    manager_disengage(manager);
    manager_set_idle(manager, true);
}

/* ---- hints ---- */

/* The hint about a backend, made if there is nothing; NULL for lack of memory. Locked. */
static SelectionHint *find_hint(BackendManager *manager, const char *name)
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

int backend_manager_hint(BackendManager *manager, const char *name, bool excluded, int device)
{
    if (!backend_name_is_valid(name, strlen(name)))
        return -EINVAL;
    vmaf_mutex_lock(&manager->lock);
    SelectionHint *hint = find_hint(manager, name);
    if (hint) {
        hint->excluded |= excluded;
        hint->considered |= !excluded;
        if (!excluded) /* all of them, if it is not one */
            hint->device = device < 0 ? ANY_DEVICE : device;
    }
    vmaf_mutex_unlock(&manager->lock);
    return hint ? 0 : -ENOMEM;
}

/* ---- features that are asked for by the name of a backend: "vif_<backend>", "<backend>_sharpness"
 * ---- */

enum { NAME_SIZE = 64 };

typedef struct PinnedName {
    char feature[NAME_SIZE]; /* of the core, or a backend's own */
    char backend[BACKEND_NAME_SIZE];
    const FeatureExtractor *extractor; /* NULL: a backend's own */
} PinnedName;

/* Names of extractors that other implementations give to features of a backend. */
static const FeatureExtractor *find_stem(const char *stem)
{
    static const char *const aliases[][2] = {
        {"integer_ms_ssim", "float_ms_ssim"},
        {"integer_psnr", "psnr"},
        {"integer_motion", "motion"},
    };
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (!strcmp(stem, aliases[i][0]))
            stem = aliases[i][1];
    }
    return registry_find(stem);
}

static bool is_backend(const char *name)
{
    return backend_name_is_known(name) || backend_registry_find(name) != NULL;
}

/* "<extractor>_<backend>". */
static bool split_extractor(const char *name, PinnedName *pinned)
{
    const char *suffix = backend_name_of_suffix(name, pinned->feature, sizeof(pinned->feature));
    if (!suffix)
        return false;
    pinned->extractor = find_stem(pinned->feature);
    if (!pinned->extractor || !is_backend(suffix))
        return false;
    strcpy(pinned->backend, suffix); /* valid, so it fits */
    return true;
}

/* "<backend>_<feature>". */
static bool split_own(const char *name, PinnedName *pinned)
{
    const char *underscore = strchr(name, '_');
    size_t length = underscore ? (size_t)(underscore - name) : 0;
    if (!underscore || !backend_name_is_valid(name, length) ||
        strlen(underscore + 1) >= sizeof(pinned->feature))
        return false;
    memcpy(pinned->backend, name, length);
    pinned->backend[length] = '\0';
    strcpy(pinned->feature, underscore + 1);
    pinned->extractor = NULL;
    return is_backend(pinned->backend);
}

/* The feature of that name of the backend that is open. */
static const FeatureExtractor *find_feature(const BackendManager *manager, const PinnedName *pinned)
{
    const Plugin *plugin = backend_device_plugin(manager->devices->device);
    if (pinned->extractor) {
        const PluginFeature *feature = plugin_find_feature(plugin, pinned->extractor->name);
        bool computes = feature && !(feature->spec.flags & VMAF_BACKEND_FEATURE_OWN);
        return computes ? pinned->extractor : NULL;
    }
    const PluginFeature *own = plugin_find_feature(plugin, pinned->feature);
    return own && (own->spec.flags & VMAF_BACKEND_FEATURE_OWN) ? own_feature_extractor(plugin, own)
                                                               : NULL;
}

static bool split(const char *name, PinnedName *pinned)
{
    return split_extractor(name, pinned) || split_own(name, pinned);
}

bool backend_manager_is_pinned_name(const char *name)
{
    PinnedName pinned;
    return split(name, &pinned);
}

/* Locked. */
static int choose_backend(BackendManager *manager, const PinnedName *pinned, Reason *why)
{
    int err = manager_choose_by_environment(manager);
    if (!err)
        err = manager_choose_pinned(manager, pinned->backend);
    if (!err)
        return 0;
    const char *reason = manager->strict ? NULL : manager->status.reason;
    return reason_set(why, err, "%s",
                      reason ? reason
                             : "it is pinned to another backend than the one that is chosen");
}

int backend_manager_find_pinned(BackendManager *manager, const char *name,
                                const FeatureExtractor **extractor, bool *newly_chosen, Reason *why)
{
    PinnedName pinned;
    if (!split(name, &pinned))
        return reason_set(why, -EINVAL, "there is no such feature");
    vmaf_mutex_lock(&manager->lock);
    const bool was_chosen = manager->strict;
    int err = choose_backend(manager, &pinned, why);
    *newly_chosen = !err && !was_chosen;
    *extractor = err ? NULL : find_feature(manager, &pinned);
    if (!err && !*extractor) {
        err = reason_set(why, -EINVAL, "backend %s has no such feature", pinned.backend);
        if (*newly_chosen)
            manager_unchoose(manager);
    }
    vmaf_mutex_unlock(&manager->lock);
    return err;
}

void backend_manager_unchoose(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    manager_unchoose(manager);
    vmaf_mutex_unlock(&manager->lock);
}

/* ---- starting ---- */

/* How the devices of a backend start that was chosen by name: all of those that take part compute
 * the same features, so that each of them can take over the frames of another. */

static int pinned_error(const BackendCoverage *coverage)
{
    switch (coverage->placement) {
    case VMAF_PLACEMENT_OPTION:
    case VMAF_PLACEMENT_NOT_COMPUTED:
        return -EINVAL;
    case VMAF_PLACEMENT_SELF_TEST:
        return -EIO;
    default:
        return -ENOTSUP;
    }
}

static int check_pinned(const BackendManager *manager, const BackendCoverage coverage[])
{
    for (unsigned r = 0; r < manager->workload->n_requests; r++) {
        const WorkloadRequest *request = &manager->workload->requests[r];
        if (!request->pinned || coverage[r].placement == VMAF_PLACEMENT_BACKEND)
            continue;
        log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR,
                    "feature \"%s\" is pinned to backend %s, which does not compute it: %s%s",
                    request->extractor->name, manager->chosen,
                    coverage[r].option ? "option " : coverage[r].why.text,
                    coverage[r].option ? coverage[r].option : "");
        return pinned_error(&coverage[r]);
    }
    return 0;
}

static int fail_to_start(BackendManager *manager, int err, const char *why)
{
    vmaf_mutex_lock(&manager->lock);
    manager->status.phase = VMAF_BACKEND_PHASE_FAILED;
    manager->status.availability = VMAF_AVAILABILITY_INIT_FAILED;
    manager->status.error = err;
    manager->status.reason = manager_text(manager, why);
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR, "backend %s: %s", manager->chosen, why);
    return err;
}

/* One of several, whose session is closed if it has one. */
static void leave_out(ManagerDevice *device, int err, const char *why)
{
    BackendManager *manager = device->manager;
    if (device->session)
        backend_session_close(device->session);
    vmaf_mutex_lock(&manager->lock);
    device->session = NULL;
    device->phase = VMAF_BACKEND_PHASE_FAILED;
    device->reason = manager_text(manager, why);
    manager->hangs |= err == -ETIMEDOUT;
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING, "device %d of %s is left out: %s",
                device->index, device->backend, why);
}

/* Opens a session unless there is nothing to do. 0, or why there is none. */
static int open_session(ManagerDevice *device, BackendAvailability *availability)
{
    BackendManager *manager = device->manager;
    const int err = manager_open_session(manager, device->device, false, &device->session,
                                         &device->coverage, availability);
    const bool nothing_to_do = err == -ENOTSUP && availability->state == BACKEND_USABLE;
    if (!err || nothing_to_do)
        manager_warn_of_self_test(manager, manager->chosen, device->coverage);
    return nothing_to_do ? 0 : err;
}

static unsigned count_computed(const ManagerDevice *device)
{
    unsigned n = 0;
    for (unsigned r = 0; r < device->manager->workload->n_requests; r++)
        n += device->coverage[r].placement == VMAF_PLACEMENT_BACKEND;
    return n;
}

/* The first request that two devices do not compute alike; NULL: there is none. */
static const BackendCoverage *find_difference(const ManagerDevice *device,
                                              const ManagerDevice *other, unsigned *request)
{
    for (unsigned r = 0; r < device->manager->workload->n_requests; r++) {
        const BackendCoverage *a = &device->coverage[r], *b = &other->coverage[r];
        const bool computes = a->placement == VMAF_PLACEMENT_BACKEND;
        *request = r;
        if (computes != (b->placement == VMAF_PLACEMENT_BACKEND) ||
            (computes && a->scores != b->scores))
            return a;
    }
    return NULL;
}

/* Leaves out what does not compute all that the best of them does. */
static void agree(const BackendManager *manager, const ManagerDevice *best)
{
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        unsigned r;
        const BackendCoverage *coverage =
            device->phase == VMAF_BACKEND_PHASE_FAILED ? NULL : find_difference(device, best, &r);
        if (!coverage)
            continue;
        Reason why;
        reason_set(&why, 0, "it does not compute %s as the others do%s%s",
                   manager->workload->requests[r].extractor->name,
                   coverage->why.text[0] ? ": " : "", coverage->why.text);
        leave_out(device, 0, why.text);
    }
}

/* Receives the device that computes most, the first of several. */
static int open_sessions(BackendManager *manager, const ManagerDevice **best)
{
    BackendAvailability first_failure = {0};
    *best = NULL;
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        BackendAvailability availability = {0};
        const int err = open_session(device, &availability);
        if (!err) {
            if (!*best || count_computed(device) > count_computed(*best))
                *best = device;
            continue;
        }
        if (!first_failure.error)
            first_failure = availability;
        first_failure.error = first_failure.error ? first_failure.error : err;
        if (manager->n_devices > 1)
            leave_out(device, err, availability.why.text);
    }
    if (!*best)
        return fail_to_start(manager, first_failure.error, first_failure.why.text);
    agree(manager, *best);
    return 0;
}

int manager_start_chosen(BackendManager *manager, WorkList *work, RequestMask *for_cpu)
{
    const ManagerDevice *best;
    int err = open_sessions(manager, &best);
    if (err)
        return err;
    err = check_pinned(manager, best->coverage);
    if (err)
        return fail_to_start(manager, err, "it does not compute a feature that is pinned to it");
    for (unsigned r = 0; r < work->n_requests; r++) {
        if (best->coverage[r].placement != VMAF_PLACEMENT_BACKEND)
            continue;
        RequestMask one = {{0}};
        mask_add(&one, r);
        *for_cpu = mask_without(*for_cpu, &one);
        work->requests[r].scores = best->coverage[r].scores;
    }
    vmaf_mutex_lock(&manager->lock);
    manager_place(manager, manager->chosen, best->coverage);
    vmaf_mutex_unlock(&manager->lock);
    return 0;
}
