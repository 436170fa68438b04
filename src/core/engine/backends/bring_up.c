/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How "auto" finds a backend. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/device_choice.h"
#include "engine/backends/manager_state.h"

typedef struct BringUp {
    BackendManager *manager;
    BroughtUp result;
    BackendEntry **entries; /* of the candidates */
    SelectionCandidate *candidates;
    unsigned n_candidates;
} BringUp;

static bool is_closing(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    bool closing = manager->closing;
    vmaf_mutex_unlock(&manager->lock);
    return closing;
}

void brought_up_discard(BroughtUp *result)
{
    if (result->session)
        backend_session_close(result->session);
    backend_device_release(result->device);
    free(result->coverage);
    *result = (BroughtUp){0};
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

/* Plugins of third parties are loaded to learn whether they are native: their names do not tell. */
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

static int open_session(BringUp *bring_up, BackendAvailability *availability)
{
    BackendManager *manager = bring_up->manager;
    BroughtUp *result = &bring_up->result;
    const BackendSessionParams params = {
        .workload = manager->workload,
        .frames_in_flight = manager->tuning.frames_in_flight,
        .exact_only = true,
        .time_limit = manager->tuning.time_limit,
        .opening_limit = manager->opening_limit,
    };
    result->coverage = calloc(manager->workload->n_requests + 1, sizeof(*result->coverage));
    if (!result->coverage)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    int err = backend_session_open(&result->session, result->device, &params, result->coverage,
                                   availability);
    if (err != -ENOTSUP || availability->state != BACKEND_USABLE)
        return err;
    manager_warn_of_self_test(manager, backend_device_plugin(result->device)->name,
                              result->coverage);
    return err;
}

void manager_avoid_device(BackendManager *manager, const BackendDevice *device)
{
    const BackendDeviceDescription *description =
        device ? backend_device_description(device) : NULL;
    if (description && description->identities && manager->n_failed_devices < FAILED_DEVICES_MAX)
        manager->failed_devices[manager->n_failed_devices++] = *description;
}

static BackendDeviceRequest device_request(const BringUp *bring_up, const SelectionTarget *target)
{
    return (BackendDeviceRequest){
        .index = target->device,
        .hardware_only = target->hardware_only,
        .discrete_first = true,
        .avoided = bring_up->manager->failed_devices,
        .n_avoided = bring_up->manager->n_failed_devices,
    };
}

static int refuse_to_begin(BackendAvailability *availability)
{
    return backend_availability_set(availability, BACKEND_USABLE, -ECANCELED,
                                    "the context is being closed");
}

static int examine(void *cookie, const SelectionTarget *target, bool *discrete,
                   BackendAvailability *availability)
{
    const BringUp *bring_up = cookie;
    TRACE_SCOPE(TRACE_BACKEND, "examine", .detail = target->name);
    if (is_closing(bring_up->manager))
        return refuse_to_begin(availability);
    const BackendDeviceRequest request = device_request(bring_up, target);
    return device_examine(backend_registry_find(target->name), &request, discrete, availability);
}

static int try_backend(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability)
{
    BringUp *bring_up = cookie;
    TRACE_SCOPE(TRACE_BACKEND, "try", .detail = target->name);
    if (is_closing(bring_up->manager))
        return refuse_to_begin(availability);
    const BackendDeviceRequest request = device_request(bring_up, target);
    int err = backend_device_acquire(&bring_up->result.device, backend_registry_find(target->name),
                                     &request, availability);
    if (!err)
        err = open_session(bring_up, availability);
    if (err) {
        if (err == -ENOMEM)
            manager_avoid_device(bring_up->manager, bring_up->result.device);
        bring_up->result.session = NULL;
        brought_up_discard(&bring_up->result);
    }
    return err;
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
    bool notable = availability->state == BACKEND_INIT_FAILED || was_asked_for(manager, name);
    const char *kind = backend_reason_name(availability->state);
    log_message(&manager->logger, notable ? VMAF_LOG_LEVEL_WARNING : VMAF_LOG_LEVEL_DEBUG,
                strcmp(next, "cpu") != 0 ? "backend %s unavailable (%s: %s), trying %s"
                                         : "backend %s unavailable (%s: %s), using CPU",
                name, kind ? kind : "not_applicable", availability->why.text, next);
    vmaf_mutex_lock(&manager->lock);
    if (!backend_manager_scores_invalid(manager)) /* which is what the status says then */
        manager_note_availability(manager, name, availability);
    vmaf_mutex_unlock(&manager->lock);
}

bool manager_bring_up(BackendManager *manager, BroughtUp *result)
{
    BringUp bring_up = {.manager = manager};
    int chosen = SELECTION_CPU;
    *result = (BroughtUp){0};
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
            .passed_over = passed_over,
        };
        BackendAvailability availability = {0};
        chosen = selection_choose(&request, &environment, &availability);
    }
    free(bring_up.entries);
    free(bring_up.candidates);
    if (chosen >= 0)
        *result = bring_up.result;
    return chosen >= 0;
}
