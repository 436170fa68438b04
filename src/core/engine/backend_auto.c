/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How "auto" finds devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/selection.h"
#include "engine/backend_manager_internal.h"

typedef struct BringUp {
    BackendManager *manager;
    BackendEntry **entries; /* of the candidates */
    SelectionCandidate *candidates;
    unsigned n_candidates;
    /* Hardware that was not to be tried when the present candidate's turn came. */
    const BackendDeviceDescription *avoided[AVOIDED_DEVICES_MAX];
    unsigned n_avoided;
} BringUp;

/* An opened device and its session. */
typedef struct BroughtUp {
    BackendDevice *device;
    BackendSession *session;
    BackendCoverage *coverage;
} BroughtUp;

static bool is_over(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    const bool over = manager->closing || backend_manager_scores_invalid(manager);
    vmaf_mutex_unlock(&manager->lock);
    return over;
}

static void discard(BroughtUp *found)
{
    if (found->session)
        backend_session_close(found->session);
    backend_device_release(found->device);
    free(found->coverage);
    *found = (BroughtUp){0};
}

/* ---- candidates ---- */

/* Plugins that cannot be chosen are not even loaded. */
static bool may_be_chosen(const BackendManager *manager, const char *name)
{
    bool any_considered = false, considered = false;
    for (unsigned i = 0; i < manager->n_hints; i++) {
        const SelectionHint *hint = &manager->hints[i];
        bool meant = !strcmp(hint->name, name);
        if (meant && hint->excluded)
            return false;
        any_considered |= hint->considered;
        considered |= meant && hint->considered;
    }
    return considered || !any_considered;
}

static bool is_candidate(const BackendManager *manager, BackendEntry *entry)
{
    const char *name = backend_entry_name(entry);
    return backend_entry_path(entry) && backend_registry_find(name) == entry &&
           may_be_chosen(manager, name);
}

static int find_candidates(BringUp *bring_up)
{
    unsigned n = 0;
    while (backend_registry_entry(n))
        n++;
    bring_up->entries = calloc(n + 1, sizeof(*bring_up->entries));
    bring_up->candidates = calloc(n + 1, sizeof(*bring_up->candidates));
    if (!bring_up->entries || !bring_up->candidates)
        return -ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        BackendEntry *entry = backend_registry_entry(i);
        if (is_candidate(bring_up->manager, entry))
            bring_up->entries[bring_up->n_candidates++] = entry;
    }
    return 0;
}

/* Plugins of third parties are loaded to learn whether they are native: their names do not show it.
 */
static void learn_classes(BringUp *bring_up)
{
    BackendEntry **third_party = calloc(bring_up->n_candidates + 1, sizeof(*third_party));
    unsigned n_third_party = 0;
    for (unsigned i = 0; i < bring_up->n_candidates; i++) {
        const char *name = backend_entry_name(bring_up->entries[i]);
        bring_up->candidates[i].name = name;
        if (third_party && !backend_name_is_known(name))
            third_party[n_third_party++] = bring_up->entries[i];
    }
    if (bring_up->n_candidates > 1 && n_third_party > 0) {
        backend_registry_probe(third_party, n_third_party);
        for (unsigned i = 0; i < bring_up->n_candidates; i++) {
            BackendAvailability availability;
            if (backend_name_is_known(bring_up->candidates[i].name))
                continue;
            const Plugin *plugin = backend_entry_load(bring_up->entries[i], &availability);
            bring_up->candidates[i].class = plugin ? plugin->backend_class : 0;
        }
    }
    free(third_party);
}

/* ---- trying ---- */

/* Remembers hardware that "auto" is to leave alone from now on. Locked. */
static void manager_avoid_device(BackendManager *manager, const BackendDevice *device)
{
    const BackendDeviceDescription *description = backend_device_description(device);
    if (description && description->identities && manager->n_avoided < AVOIDED_DEVICES_MAX)
        manager->avoided[manager->n_avoided++] = description;
}

static int open_session(BackendManager *manager, BroughtUp *found,
                        BackendAvailability *availability)
{
    const int err = manager_open_session(manager, found->device, true, &found->session,
                                         &found->coverage, availability);
    if (err == -ENOTSUP && availability->state == BACKEND_USABLE)
        manager_warn_of_self_test(manager, backend_device_plugin(found->device)->name,
                                  found->coverage);
    return err;
}

static int reject_to_begin(BackendAvailability *availability)
{
    return backend_availability_set(availability, BACKEND_USABLE, -ECANCELED,
                                    "the context is being closed");
}

/* Without threads nobody does what a device leaves of a frame while the caller waits for pictures;
 * and the caller leaves alone what any of the devices computes. So they have to compute the same.
 * Locked. */
static bool fits(const BackendManager *manager, const BackendCoverage coverage[])
{
    const RequestMask taken = manager_taken(manager);
    bool same = true;
    for (unsigned r = 0; r < manager->workload->n_requests; r++)
        same &= mask_has(&taken, r) == (coverage[r].placement == VMAF_PLACEMENT_BACKEND);
    return same || manager->n_threads || !manager_count_active(manager);
}

/* Lets it take part, unless the run is over; it is taken over on success. */
static int join(BackendManager *manager, BroughtUp *found, BackendAvailability *availability)
{
    vmaf_mutex_lock(&manager->lock);
    int err = 0;
    if (manager->closing || backend_manager_scores_invalid(manager))
        err = reject_to_begin(availability);
    else if (!fits(manager, found->coverage))
        err = backend_availability_set(availability, BACKEND_USABLE, -ENOTSUP,
                                       "it computes other features than the devices that take "
                                       "part, and there are no threads to do the rest");
    ManagerDevice *device = err ? NULL : manager_add_device(manager, found->device);
    if (!err && !device)
        err = backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                       "out of memory, or too many devices");
    if (device) {
        manager_avoid_device(manager, found->device);
        device->session = found->session;
        device->coverage = found->coverage;
        *found = (BroughtUp){0};
        err = manager_activate(device);
        if (err) { /* it stays in the list, for the end to release it */
            device->phase = VMAF_BACKEND_PHASE_FAILED;
            device->reason = manager_text(manager, "out of memory");
            backend_availability_set(availability, BACKEND_INIT_FAILED, err, "out of memory");
        }
    }
    vmaf_mutex_unlock(&manager->lock);
    return err;
}

static BackendDeviceRequest device_request(BringUp *bring_up, const SelectionTarget *target)
{
    BackendManager *manager = bring_up->manager;
    vmaf_mutex_lock(&manager->lock);
    bring_up->n_avoided = manager->n_avoided;
    memcpy(bring_up->avoided, manager->avoided, sizeof(bring_up->avoided));
    vmaf_mutex_unlock(&manager->lock);
    return (BackendDeviceRequest){
        .index = target->device,
        .hardware_only = target->hardware_only,
        .discrete_first = true,
        .avoided = bring_up->avoided,
        .n_avoided = bring_up->n_avoided,
    };
}

static int examine(void *cookie, const SelectionTarget *target, bool *discrete,
                   BackendAvailability *availability)
{
    BringUp *bring_up = cookie;
    TRACE_SCOPE(TRACE_BACKEND, "examine", .detail = target->name);
    if (is_over(bring_up->manager))
        return reject_to_begin(availability);
    const BackendDeviceRequest request = device_request(bring_up, target);
    return device_examine(backend_registry_find(target->name), &request, discrete, availability);
}

/* One device of a backend. */
static int try_device(BringUp *bring_up, BackendEntry *entry, const BackendDeviceRequest *request,
                      BackendAvailability *availability)
{
    BackendManager *manager = bring_up->manager;
    BroughtUp found = {0};
    if (is_over(manager))
        return reject_to_begin(availability);
    int err = backend_device_acquire(&found.device, entry, request, availability);
    if (!err)
        err = open_session(manager, &found, availability);
    if (err == -ENOMEM && found.device) {
        vmaf_mutex_lock(&manager->lock);
        manager_avoid_device(manager, found.device);
        vmaf_mutex_unlock(&manager->lock);
    }
    if (!err)
        err = join(manager, &found, availability);
    discard(&found);
    return err;
}

/* All devices of a backend: 0 if one of them works, else the error of the first. */
static int try_backend(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability)
{
    BringUp *bring_up = cookie;
    BackendManager *manager = bring_up->manager;
    TRACE_SCOPE(TRACE_BACKEND, "try", .detail = target->name);
    if (is_over(manager))
        return reject_to_begin(availability);
    BackendEntry *entry = backend_registry_find(target->name);
    BackendDeviceRequest request = device_request(bring_up, target);
    int indices[BACKEND_DEVICES_MAX], result = 0;
    const int n = device_choose_all(entry, &request, indices, availability);
    bool any = false;
    for (int i = 0; i < n; i++) {
        BackendAvailability failure = {0};
        request.index = indices[i];
        const int err = try_device(bring_up, entry, &request, &failure);
        any |= !err;
        if (!err || failure.error == -ECANCELED)
            continue;
        vmaf_mutex_lock(&manager->lock);
        manager->hangs |= failure.error == -ETIMEDOUT;
        vmaf_mutex_unlock(&manager->lock);
        if (n > 1)
            log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING, "device %d of %s is left out: %s",
                        indices[i], target->name, failure.why.text);
        if (!result) {
            result = err;
            *availability = failure;
        }
    }
    if (n < 0)
        return n;
    return any ? 0 : result ? result : reject_to_begin(availability);
}

/* One is enough if the run is over. */
static bool wants_more(void *cookie)
{
    const BringUp *bring_up = cookie;
    return !is_over(bring_up->manager);
}

static bool was_asked_for(const BackendManager *manager, const char *name)
{
    for (unsigned i = 0; i < manager->n_hints; i++) {
        if (manager->hints[i].considered && !strcmp(manager->hints[i].name, name))
            return true;
    }
    return false;
}

/* A backend that is merely not installed is not worth a warning; a device that fails is. */
static void passed_over(void *cookie, const char *name, const BackendAvailability *availability,
                        const char *next)
{
    BackendManager *manager = ((BringUp *)cookie)->manager;
    if (availability->error == -ECANCELED)
        return;
    vmaf_mutex_lock(&manager->lock);
    const bool alone = !manager_count_active(manager);
    if (alone &&
        !backend_manager_scores_invalid(manager)) /* which is what the status reports then */
        manager_note_availability(manager, name, availability);
    vmaf_mutex_unlock(&manager->lock);
    bool notable = availability->state == BACKEND_INIT_FAILED || was_asked_for(manager, name);
    const char *kind = backend_reason_name(availability->state);
    const bool others = strcmp(next, "cpu") != 0;
    log_message(&manager->logger, notable ? VMAF_LOG_LEVEL_WARNING : VMAF_LOG_LEVEL_DEBUG,
                "backend %s unavailable (%s: %s)%s%s", name, kind ? kind : "not_applicable",
                availability->why.text,
                others  ? ", trying "
                : alone ? ", using "
                        : "",
                others  ? next
                : alone ? "CPU"
                        : "");
}

void manager_bring_up(BackendManager *manager)
{
    BringUp bring_up = {.manager = manager};
    if (!find_candidates(&bring_up)) {
        learn_classes(&bring_up);
        const SelectionRequest request = {
            .name = "auto",
            .device = -1,
            .masked = manager->masked,
            .n_hints = manager->n_hints,
            .hints = manager->hints,
        };
        const SelectionEnvironment environment = {
            .cookie = &bring_up,
            .n_candidates = bring_up.n_candidates,
            .candidates = bring_up.candidates,
            .examine = examine,
            .try_backend = try_backend,
            .wants_more = wants_more,
            .passed_over = passed_over,
        };
        BackendAvailability availability = {0};
        selection_choose(&request, &environment, &availability);
    }
    free(bring_up.entries);
    free(bring_up.candidates);
}
