/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How "auto" finds a backend. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/team_state.h"

typedef struct BringUp {
    BackendTeam *team;
    BroughtUp result;
    BackendEntry **entries; /* of the candidates */
    SelectionCandidate *candidates;
    unsigned n_candidates;
} BringUp;

static bool is_closing(BackendTeam *team)
{
    vmaf_mutex_lock(&team->lock);
    bool closing = team->closing;
    vmaf_mutex_unlock(&team->lock);
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

/* ---- who there is ---- */

/* Plugins that the choice cannot fall on are not even loaded. */
static bool may_be_chosen(const BackendTeam *team, const char *name)
{
    bool any_considered = false, considered = false;
    for (unsigned i = 0; i < team->n_hints; i++) {
        const SelectionHint *hint = &team->hints[i];
        bool meant = !strcmp(hint->name, name);
        if (meant && hint->excluded)
            return false;
        any_considered |= hint->considered;
        considered |= meant && hint->considered;
    }
    return considered || !any_considered;
}

static bool is_candidate(const BackendTeam *team, BackendEntry *entry)
{
    const char *name = backend_entry_name(entry);
    return backend_entry_path(entry) && backend_registry_find(name) == entry &&
           may_be_chosen(team, name);
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
        if (is_candidate(bring_up->team, entry))
            bring_up->entries[bring_up->n_candidates++] = entry;
    }
    return 0;
}

/* Whether a backend is native counts for those whose name does not tell. */
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
    BackendTeam *team = bring_up->team;
    BroughtUp *result = &bring_up->result;
    const BackendSessionParams params = {
        .workload = team->workload,
        .frames_in_flight = team->tuning.frames_in_flight,
        .exact_only = true,
        .time_limit = team->tuning.time_limit,
        .opening_limit = team->opening_limit,
    };
    result->coverage = calloc(team->workload->n_requests + 1, sizeof(*result->coverage));
    if (!result->coverage)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    int err = backend_session_open(&result->session, result->device, &params, result->coverage,
                                   availability);
    if (err != -ENOTSUP || availability->state != BACKEND_USABLE)
        return err;
    team_warn_of_self_test(team, backend_device_plugin(result->device)->name, result->coverage);
    return err;
}

static int try_backend(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability)
{
    BringUp *bring_up = cookie;
    if (is_closing(bring_up->team))
        return backend_availability_set(availability, BACKEND_USABLE, -ECANCELED,
                                        "the context is being closed");
    const BackendDeviceRequest request = {
        .index = target->device,
        .hardware_only = target->hardware_only,
    };
    int err = backend_device_acquire(&bring_up->result.device, backend_registry_find(target->name),
                                     &request, availability);
    if (!err)
        err = open_session(bring_up, availability);
    if (err) {
        bring_up->result.session = NULL;
        brought_up_discard(&bring_up->result);
    }
    return err;
}

static bool was_asked_for(const BackendTeam *team, const char *name)
{
    for (unsigned i = 0; i < team->n_hints; i++) {
        if (team->hints[i].considered && !strcmp(team->hints[i].name, name))
            return true;
    }
    return false;
}

/* What is merely not installed is nobody's concern; a device that is there and fails is. */
static void passed_over(void *cookie, const char *name, const BackendAvailability *availability,
                        const char *next)
{
    BackendTeam *team = ((BringUp *)cookie)->team;
    if (availability->error == -ECANCELED)
        return;
    bool notable = availability->state == BACKEND_INIT_FAILED || was_asked_for(team, name);
    const char *kind = backend_reason_name(availability->state);
    log_message(&team->logger, notable ? VMAF_LOG_LEVEL_WARNING : VMAF_LOG_LEVEL_DEBUG,
                strcmp(next, "cpu") != 0 ? "backend %s unavailable (%s: %s), trying %s"
                                         : "backend %s unavailable (%s: %s), using CPU",
                name, kind ? kind : "not_applicable", availability->why.text, next);
    vmaf_mutex_lock(&team->lock);
    if (!team_is_distrusted(team)) /* then that is what there is to say */
        team_note_availability(team, name, availability);
    vmaf_mutex_unlock(&team->lock);
}

bool team_bring_up(BackendTeam *team, BroughtUp *result)
{
    BringUp bring_up = {.team = team};
    int chosen = SELECTION_CPU;
    *result = (BroughtUp){0};
    if (!find_candidates(&bring_up)) {
        learn_classes(&bring_up);
        const SelectionRequest request = {
            .name = "auto",
            .device = -1,
            .masked = team->masked,
            .n_hints = team->n_hints,
            .hints = team->hints,
        };
        const SelectionEnvironment environment = {
            .cookie = &bring_up,
            .n_candidates = bring_up.n_candidates,
            .candidates = bring_up.candidates,
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
