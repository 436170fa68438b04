/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What spot checks mean for a run: how often, and what follows if one finds wrong records. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/backends/manager_state.h"
#include "engine/executors/spot_schedule.h"
#include "platform/machine.h"
#include "platform/time.h"

static const char variable[] = "VMAF_BACKEND_SPOT_CHECK";

/* What the environment asks for; the default if that is nothing, or not a number. */
static unsigned wanted_by_environment(const BackendManager *manager)
{
    const char *text = secure_getenv(variable);
    if (!text || !*text)
        return SPOT_EVERY_DEFAULT;
    size_t digits = strspn(text, "0123456789");
    if (text[digits] || digits > 9) {
        log_message(&manager->logger, VMAF_LOG_LEVEL_WARNING,
                    "%s is no number of frames: one frame in %d is checked", variable,
                    SPOT_EVERY_DEFAULT);
        return SPOT_EVERY_DEFAULT;
    }
    return (unsigned)strtoul(text, NULL, 10);
}

static unsigned wanted(const BackendManager *manager)
{
    if (manager->tuning.spot_check == VMAF_SPOT_CHECK_OFF)
        return 0;
    return manager->tuning.spot_check ? manager->tuning.spot_check : wanted_by_environment(manager);
}

/* A backend must not know which frames are checked. */
static uint64_t make_seed(void)
{
    uint64_t seed;
    if (!vmaf_random_bytes(&seed, sizeof(seed)))
        seed = (uint64_t)vmaf_steady_us() *
               UINT64_C(0x9e3779b97f4a7c15); /* the system has just started */
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
static ManagerDevice *find_device(const BackendManager *manager, unsigned number)
{
    ManagerDevice *device = manager->devices;
    while (device && device->number != number)
        device = device->next;
    return device;
}

/* Locked. */
static void note_in_status(BackendManager *manager, const ManagerDevice *device,
                           const BackendFailure *failure)
{
    VmafBackendStatus *status = &manager->status;
    status->name = device->backend;
    status->device = device->name;
    status->device_index = device->index;
    status->phase = manager_is_strict(manager) ? VMAF_BACKEND_PHASE_FAILED : VMAF_BACKEND_PHASE_CPU;
    status->error = failure->error;
    status->frame = failure->frame;
    status->failed_active = 1;
    status->spot_check_failed = 1;
    status->reason = manager_text(manager, failure->why.text);
}

/* The pixels of earlier frames are gone, so that nothing can be computed again: the run ends. The
 * status tells why before the error is seen. */
static void end_run(void *cookie, const SpotDifference *difference)
{
    BackendManager *manager = cookie;
    BackendFailure failure = {.error = -EIO, .had_frames = true, .frame = difference->frame};
    say_frames(difference, &failure.why);
    vmaf_mutex_lock(&manager->lock);
    ManagerDevice *liar = find_device(manager, difference->device);
    atomic_store(&manager->scores_invalid, true);
    note_in_status(manager, liar, &failure);
    liar->reason = manager->status.reason;
    manager_record_event(manager, liar, &failure);
    const char *name = liar->name ? liar->name : "unknown device";
    int none = 0;
    atomic_compare_exchange_strong(manager->run_error, &none, failure.error);
    for (ManagerDevice *device = manager->devices; device; device = device->next) {
        if (device->executor)
            backend_executor_condemn(device->executor, failure.error, &failure.why);
    }
    vmaf_mutex_unlock(&manager->lock);
    log_message(&manager->logger, VMAF_LOG_LEVEL_ERROR, "backend %s (%s): %s", difference->backend,
                name, failure.why.text);
}

int manager_begin_checks(BackendManager *manager)
{
    if (manager->spot_check)
        return 0;
    manager->spot_every = wanted(manager);
    if (!manager->spot_every) {
        log_message(&manager->logger, VMAF_LOG_LEVEL_INFO,
                    "backends are not checked while they score, as was asked for");
        return 0;
    }
    const SpotCheckParams params = {
        .work = manager->work,
        .every = manager->spot_every,
        .seed = make_seed(),
        .report = end_run,
        .cookie = manager,
    };
    return spot_check_create(&manager->spot_check, &params);
}

void backend_manager_settle(BackendManager *manager)
{
    vmaf_mutex_lock(&manager->lock);
    SpotCheck *check = manager->spot_check; /* which stays until the manager is closed */
    vmaf_mutex_unlock(&manager->lock);
    spot_check_settle(check);
}

bool backend_manager_scores_invalid(const BackendManager *manager)
{
    return atomic_load(&manager->scores_invalid);
}
