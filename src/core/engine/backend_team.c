/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The choice of a backend, and what can be asked about it. */
#include "engine/backend_team.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/team_state.h"
#include "platform/process.h"

/* As libvmaf_ext.h promises. */
enum {
    FRAMES_IN_FLIGHT = 4,
    TIME_LIMIT_MS = 10000,
    OPENING_LIMIT_MS = 60000,
};

static const char forked_text[] = "the process was forked while the backend was in use";

/* ---- the team itself ---- */

int team_create(BackendTeam **created, const VmafConfiguration *cfg, atomic_int *run_error)
{
    BackendTeam *team = calloc(1, sizeof(*team));
    if (!team)
        return -ENOMEM;
    atomic_init(&team->references, 1);
    atomic_init(&team->engaged_by, 0);
    atomic_init(&team->distrusted, false);
    team->run_error = run_error;
    vmaf_mutex_init(&team->lock);
    vmaf_condition_init(&team->changed);
    team->logger.level = cfg->log_level;
    team->masked = cfg->gpumask != 0;
    team->tuning = (VmafBackendTuning){
        .frames_in_flight = FRAMES_IN_FLIGHT,
        .time_limit = TIME_LIMIT_MS,
    };
    team->opening_limit = OPENING_LIMIT_MS;
    team->status = (VmafBackendStatus){
        .phase = team->masked ? VMAF_BACKEND_PHASE_CPU : VMAF_BACKEND_PHASE_WAITING,
        .device_index = -1,
        .name = "cpu",
    };
    *created = team;
    return 0;
}

void team_unref(BackendTeam *team)
{
    if (atomic_fetch_sub_explicit(&team->references, 1, memory_order_acq_rel) != 1)
        return;
    while (team->texts) {
        TeamText *text = team->texts;
        team->texts = text->next;
        free(text);
    }
    workload_unref(team->workload);
    free(team->placements);
    free(team->hints);
    free(team->tallies);
    free(team->events);
    vmaf_condition_destroy(&team->changed);
    vmaf_mutex_destroy(&team->lock);
    free(team);
}

void team_destroy(BackendTeam *team)
{
    team_unref(team);
}

const char *team_text(BackendTeam *team, const char *text)
{
    for (TeamText *known = team->texts; known; known = known->next) {
        if (!strcmp(known->text, text))
            return known->text;
    }
    size_t size = strlen(text) + 1;
    TeamText *copy = size > 1 ? malloc(sizeof(*copy) + size) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy->text, text, size);
    copy->next = team->texts;
    team->texts = copy;
    return copy->text;
}

bool team_is_foreign(const BackendTeam *team)
{
    int process = atomic_load(&team->engaged_by);
    return process && process != vmaf_process_id();
}

void team_disengage(BackendTeam *team)
{
    if (!team->device)
        atomic_store(&team->engaged_by, 0);
}

/* ---- choosing ---- */

void team_note_availability(BackendTeam *team, const char *name,
                            const BackendAvailability *availability)
{
    team->status.name = team_text(team, name);
    team->status.device = NULL;
    team->status.device_index = -1;
    team->status.availability = (enum VmafAvailability)availability->state;
    team->status.error = availability->error;
    team->status.reason = team_text(team, availability->why.text);
}

static int open_device(BackendTeam *team, const char *name, const BackendDeviceRequest *request)
{
    BackendAvailability availability = {0};
    atomic_store(&team->engaged_by, vmaf_process_id());
    BackendEntry *entry = backend_registry_find(name);
    int err = entry ? backend_device_acquire(&team->device, entry, request, &availability)
                    : backend_availability_set(&availability, BACKEND_PLUGIN_NOT_FOUND, -ENODEV,
                                               "no plugin libvmaf-backend-%s.so was found", name);
    if (err) {
        team->device = NULL;
        team_disengage(team);
        team_note_availability(team, name, &availability);
        team->status.phase = VMAF_BACKEND_PHASE_FAILED;
        log_message(&team->logger, VMAF_LOG_LEVEL_DEBUG, "backend %s is not available: %s", name,
                    availability.why.text);
        return err == -EINVAL && availability.state == BACKEND_NO_DEVICE ? -EINVAL : -ENODEV;
    }
    const BackendDeviceDescription *description = backend_device_description(team->device);
    team->chosen = backend_device_plugin(team->device)->name;
    team->device_wanted = request->external || request->opened ? -2 : request->index;
    team->choice_failed = false;
    team->status = (VmafBackendStatus){
        .phase = VMAF_BACKEND_PHASE_STARTING,
        .device_index = backend_device_index(team->device),
        .name = team->chosen,
        .device = description ? team_text(team, description->name) : NULL,
    };
    return 0;
}

static void choose_without_device(BackendTeam *team, bool automatic)
{
    team->chosen = automatic ? "auto" : "cpu";
    team->choice_failed = false;
    team->status = (VmafBackendStatus){
        .phase = automatic && !team->masked ? VMAF_BACKEND_PHASE_WAITING : VMAF_BACKEND_PHASE_CPU,
        .device_index = -1,
        .name = "cpu",
    };
}

static int choose(BackendTeam *team, const char *name, const BackendDeviceRequest *request)
{
    bool automatic = !strcmp(name, "auto"), cpu = !strcmp(name, "cpu");
    bool described = request->external || request->opened;
    bool any_device = !described && request->index < 0;
    if ((automatic || cpu) ? !any_device : !backend_name_is_valid(name, strlen(name)))
        return -EINVAL;
    if (team_is_strict(team)) {
        bool same = !strcmp(team->chosen, name) && !described &&
                    (any_device || request->index == team->device_wanted);
        return same ? 0 : -EBUSY;
    }
    if (team->chosen && !strcmp(team->chosen, "cpu") && !cpu)
        return -EBUSY;
    if (automatic || cpu) {
        choose_without_device(team, automatic);
        return 0;
    }
    return open_device(team, name, request);
}

/* Nothing about backends can be changed any more, or not in this process. */
static int check_open(const VmafContext *context)
{
    if (team_is_foreign(context->team))
        return -ENODEV;
    return context->started || context->flushed ? -EBUSY : 0;
}

int context_backend_select_device(VmafContext *context, const char *name,
                                  const BackendDeviceRequest *request)
{
    BackendTeam *team = context->team;
    int err = check_open(context);
    if (err)
        return err;
    vmaf_mutex_lock(&team->lock);
    err = choose(team, name, request);
    if (err != -EBUSY)
        team->asked = true;
    if (err == -ENODEV || (err == -EINVAL && team->status.phase == VMAF_BACKEND_PHASE_FAILED))
        team->choice_failed = true;
    vmaf_mutex_unlock(&team->lock);
    return err;
}

int context_backend_select(VmafContext *context, const char *name, int device)
{
    const BackendDeviceRequest request = {.index = device};
    return context_backend_select_device(context, name, &request);
}

int team_choose_pinned(BackendTeam *team, const char *name)
{
    const BackendDeviceRequest request = {.index = -1};
    for (unsigned i = 0; i < team->n_hints; i++) {
        if (team->hints[i].excluded && !strcmp(team->hints[i].name, name))
            return -ENODEV;
    }
    enum VmafBackendPhase before = team->status.phase;
    int err = choose(team, name, &request);
    if (err) /* the context can do without the feature */
        team->status.phase = before;
    return err ? -ENODEV : 0;
}

int team_choose_by_environment(BackendTeam *team)
{
    const BackendDeviceRequest request = {.index = -1};
    const char *name = team->chosen || team->choice_failed ? NULL : secure_getenv("VMAF_BACKEND");
    if (!name || !*name)
        return 0;
    int err = choose(team, name, &request);
    if (err)
        log_message(&team->logger, VMAF_LOG_LEVEL_ERROR,
                    "backend \"%s\", which VMAF_BACKEND asks for, is not available: %s", name,
                    team->status.reason ? team->status.reason : "there is no such backend");
    return err ? -ENODEV : 0;
}

void team_unchoose(BackendTeam *team)
{
    backend_device_release(team->device);
    team->device = NULL;
    team->chosen = NULL;
    team_disengage(team);
    team->status = (VmafBackendStatus){
        .phase = team->masked ? VMAF_BACKEND_PHASE_CPU : VMAF_BACKEND_PHASE_WAITING,
        .device_index = -1,
        .name = "cpu",
    };
}

/* ---- hints and tuning ---- */

SelectionHint *team_hint(BackendTeam *team, const char *name)
{
    for (unsigned i = 0; i < team->n_hints; i++) {
        if (!strcmp(team->hints[i].name, name))
            return &team->hints[i];
    }
    const char *kept = team_text(team, name);
    SelectionHint *moved = reallocarray(team->hints, team->n_hints + 1, sizeof(*team->hints));
    if (moved)
        team->hints = moved;
    if (!moved || !kept)
        return NULL;
    team->hints[team->n_hints] = (SelectionHint){.name = kept, .device = -1};
    return &team->hints[team->n_hints++];
}

static int change_hint(VmafContext *context, const char *name, bool excluded, int device)
{
    BackendTeam *team = context->team;
    int err = check_open(context);
    if (err)
        return err;
    if (!backend_name_is_valid(name, strlen(name)))
        return -EINVAL;
    vmaf_mutex_lock(&team->lock);
    SelectionHint *hint = team_hint(team, name);
    if (hint) {
        hint->excluded |= excluded;
        hint->considered |= !excluded;
        if (!excluded)
            hint->device = device;
    }
    vmaf_mutex_unlock(&team->lock);
    return hint ? 0 : -ENOMEM;
}

int context_backend_consider(VmafContext *context, const char *name, int device)
{
    return change_hint(context, name, false, device);
}

int context_backend_exclude(VmafContext *context, const char *name)
{
    return change_hint(context, name, true, -1);
}

int context_backend_tune(VmafContext *context, const VmafBackendTuning *tuning)
{
    int err = check_open(context);
    if (err)
        return err;
    VmafBackendTuning *mine = &context->team->tuning;
    mine->join_after = tuning->join_after;
    mine->frames_in_flight = tuning->frames_in_flight ? tuning->frames_in_flight : FRAMES_IN_FLIGHT;
    if (mine->frames_in_flight > BACKEND_SLOTS_MAX)
        mine->frames_in_flight = BACKEND_SLOTS_MAX;
    mine->time_limit = tuning->time_limit ? tuning->time_limit : TIME_LIMIT_MS;
    mine->spot_check = tuning->spot_check;
    context->team->opening_limit = tuning->time_limit ? tuning->time_limit : OPENING_LIMIT_MS;
    return 0;
}

void context_backend_set_in_flight(VmafContext *context, unsigned frames)
{
    context->team->tuning.frames_in_flight =
        frames < BACKEND_SLOTS_MAX ? frames : BACKEND_SLOTS_MAX;
}

/* ---- answers ---- */

void context_backend_status(VmafContext *context, VmafBackendStatus *status)
{
    BackendTeam *team = context->team;
    if (team_is_foreign(team)) {
        *status = (VmafBackendStatus){
            .phase = VMAF_BACKEND_PHASE_FAILED,
            .availability = VMAF_AVAILABILITY_INIT_FAILED,
            .error = -ENODEV,
            .device_index = -1,
            .name = team->chosen ? team->chosen : "auto",
            .reason = forked_text,
        };
    } else {
        vmaf_mutex_lock(&team->lock);
        *status = team->status;
        const SpotCheckCounts counts = spot_check_counts(team->spot_check);
        status->spot_checks = counts.frames;
        status->spot_check_downloads = counts.downloads;
        vmaf_mutex_unlock(&team->lock);
    }
    status->struct_size = sizeof(*status);
}

int context_backend_placement(VmafContext *context, unsigned index, VmafFeaturePlacement *placement)
{
    BackendTeam *team = context->team;
    if (index >= context->features.count)
        return -ERANGE;
    if (team_is_foreign(team))
        return -ENODEV;
    const FeatureInstance *instance = context->features.instances[index];
    *placement = (VmafFeaturePlacement){
        .struct_size = sizeof(*placement),
        .extractor = instance->extractor->name,
        .backend = "cpu",
    };
    vmaf_mutex_lock(&team->lock);
    /* Before there are placements nobody may look at requests. */
    if (!team->placements || instance->request < 0) {
        vmaf_mutex_unlock(&team->lock);
        return 0;
    }
    const TeamPlacement *placed = &team->placements[instance->request];
    placement->placement = placed->coverage.placement;
    if (placed->coverage.placement == VMAF_PLACEMENT_BACKEND)
        placement->backend = placed->backend;
    placement->option = placed->coverage.option;
    placement->reason = team_text(team, placed->coverage.why.text);
    vmaf_mutex_unlock(&team->lock);
    return 0;
}

int context_backend_event(VmafContext *context, unsigned index, VmafBackendEvent *event)
{
    BackendTeam *team = context->team;
    if (team_is_foreign(team))
        return -ENODEV;
    vmaf_mutex_lock(&team->lock);
    bool found = index < team->n_events;
    if (found) {
        const TeamEvent *kept = &team->events[index];
        *event = (VmafBackendEvent){
            .struct_size = sizeof(*event),
            .backend = kept->event.backend,
            .frame = kept->event.frame,
            .reason = kept->event.reason,
            .pictures_kept = kept->pictures_kept,
        };
    }
    vmaf_mutex_unlock(&team->lock);
    return found ? 0 : -ERANGE;
}
