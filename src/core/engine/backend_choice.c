/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Features that are asked for by the name of a backend: "vif_<backend>", "<backend>_sharpness". */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/session/own_feature.h"
#include "engine/backend_manager_internal.h"
#include "metrics/framework/registry.h"

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
    const char *reason = manager_is_strict(manager) ? NULL : manager->status.reason;
    return refuse(why, err, "%s",
                  reason ? reason : "it is pinned to another backend than the one that is chosen");
}

int backend_manager_find_pinned(BackendManager *manager, const char *name,
                                const FeatureExtractor **extractor, bool *newly_chosen, Reason *why)
{
    PinnedName pinned;
    if (!split(name, &pinned))
        return refuse(why, -EINVAL, "there is no such feature");
    vmaf_mutex_lock(&manager->lock);
    const bool was_chosen = manager_is_strict(manager);
    int err = choose_backend(manager, &pinned, why);
    *newly_chosen = !err && !was_chosen;
    *extractor = err ? NULL : find_feature(manager, &pinned);
    if (!err && !*extractor) {
        err = refuse(why, -EINVAL, "backend %s has no such feature", pinned.backend);
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
    const BackendSessionParams params = {
        .workload = manager->workload,
        .frames_in_flight = manager->tuning.frames_in_flight,
        .pinned_only = manager->masked,
        .time_limit = manager->tuning.time_limit,
        .opening_limit = manager->opening_limit,
    };
    device->coverage = calloc(manager->workload->n_requests + 1, sizeof(*device->coverage));
    if (!device->coverage)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    const int err = backend_session_open(&device->session, device->device, &params,
                                         device->coverage, availability);
    const bool nothing_to_do = err == -ENOTSUP && availability->state == BACKEND_USABLE;
    if (err)
        device->session = NULL;
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
        refuse(&why, 0, "it does not compute %s as the others do%s%s",
               manager->workload->requests[r].extractor->name, coverage->why.text[0] ? ": " : "",
               coverage->why.text);
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
