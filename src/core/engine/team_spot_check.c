/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What spot checks mean for a run: how often, and what follows if one finds wrong records. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/spot_pace.h"
#include "engine/team_state.h"
#include "platform/random.h"
#include "platform/time.h"

static const char variable[] = "VMAF_BACKEND_SPOT_CHECK";

/* What the environment asks for; the default if it says nothing, or nothing that can be meant. */
static unsigned wanted_by_environment(const BackendTeam *team)
{
    const char *text = secure_getenv(variable);
    if (!text || !*text)
        return SPOT_EVERY_DEFAULT;
    size_t digits = strspn(text, "0123456789");
    if (text[digits] || digits > 9) {
        log_message(&team->logger, VMAF_LOG_LEVEL_WARNING,
                    "%s is no number of frames: one frame in %d is checked", variable,
                    SPOT_EVERY_DEFAULT);
        return SPOT_EVERY_DEFAULT;
    }
    return (unsigned)strtoul(text, NULL, 10);
}

static unsigned wanted(const BackendTeam *team)
{
    if (team->tuning.spot_check == VMAF_SPOT_CHECK_OFF)
        return 0;
    return team->tuning.spot_check ? team->tuning.spot_check : wanted_by_environment(team);
}

/* A backend must not know which frames are checked. */
static uint64_t make_seed(void)
{
    uint64_t seed;
    if (!vmaf_random_bytes(&seed, sizeof(seed)))
        seed = (uint64_t)vmaf_steady_us() * UINT64_C(0x9e3779b97f4a7c15); /* early while booting */
    return seed;
}

static void say_frames(const SpotDifference *difference, Reason *why)
{
    char since[64] = "no frame was found right before";
    if (difference->any_good)
        snprintf(since, sizeof(since), "the last frame found right is %u", difference->last_good);
    refuse(why, 0,
           "its record of %s of frame %u is not the CPU's (spot check; %s): it computes wrongly, "
           "and the scores cannot be trusted",
           difference->extractor, difference->frame, since);
}

/* Locked. */
static void note_in_status(BackendTeam *team, const SpotDifference *difference,
                           const BackendFailure *failure)
{
    VmafBackendStatus *status = &team->status;
    if (!status->name || strcmp(status->name, difference->backend)) { /* another one has followed */
        status->device = NULL;
        status->device_index = -1;
    }
    status->name = difference->backend;
    status->phase = team_is_strict(team) ? VMAF_BACKEND_PHASE_FAILED : VMAF_BACKEND_PHASE_CPU;
    status->error = failure->error;
    status->frame = failure->frame;
    status->failed_active = 1;
    status->spot_check_failed = 1;
    status->reason = team_text(team, failure->why.text);
}

/* Pixels of the frames before are gone: nothing can be mended, so the run ends. Who asks why, finds
 * the answer before the error. */
static void distrust(void *cookie, const SpotDifference *difference)
{
    BackendTeam *team = cookie;
    BackendFailure failure = {.error = -EIO, .had_frames = true, .frame = difference->frame};
    say_frames(difference, &failure.why);
    vmaf_mutex_lock(&team->lock);
    atomic_store(&team->distrusted, true);
    note_in_status(team, difference, &failure);
    team_record_event(team, difference->backend, &failure);
    const char *device = team->status.device ? team->status.device : "unknown device";
    int none = 0;
    atomic_compare_exchange_strong(team->run_error, &none, failure.error);
    if (team->executor)
        backend_executor_condemn(team->executor, failure.error, &failure.why);
    vmaf_mutex_unlock(&team->lock);
    log_message(&team->logger, VMAF_LOG_LEVEL_ERROR, "backend %s (%s): %s", difference->backend,
                device, failure.why.text);
}

int team_begin_checks(BackendTeam *team)
{
    if (team->spot_check)
        return 0;
    team->spot_every = wanted(team);
    if (!team->spot_every) {
        log_message(&team->logger, VMAF_LOG_LEVEL_INFO,
                    "backends are not checked while they score, as was asked for");
        return 0;
    }
    const SpotCheckParams params = {
        .plan = team->plan,
        .every = team->spot_every,
        .seed = make_seed(),
        .report = distrust,
        .cookie = team,
    };
    return spot_check_create(&team->spot_check, &params);
}

void team_settle(BackendTeam *team)
{
    vmaf_mutex_lock(&team->lock);
    SpotCheck *check = team->spot_check; /* which stays until the team is closed */
    vmaf_mutex_unlock(&team->lock);
    spot_check_settle(check);
}

bool team_is_distrusted(const BackendTeam *team)
{
    return atomic_load(&team->distrusted);
}
