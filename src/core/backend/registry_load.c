/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is asked of a plugin once: trying it out, loading it, enumerating its devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_copy.h"
#include "backend/discovery/plugin_load.h"
#include "backend/limited_call.h"
#include "backend/processor_time.h"
#include "backend/registry_entry.h"
#include "platform/thread.h"

static int out_of_memory(BackendVerdict *verdict)
{
    return backend_judge(verdict, BACKEND_INIT_FAILED, -ENOMEM, "out of memory");
}

/* A verdict without an error says that nothing was tried; the caller still gets one. */
static int error_of(const BackendVerdict *verdict)
{
    return verdict->state == BACKEND_USABLE ? 0 : verdict->error ? verdict->error : -ENODEV;
}

/* ---- Loading ---- */

/* Owned by the thread that loads if it outlives the time limit. */
typedef struct LoadJob {
    Registry *registry;
    char *path;
    char *name;
    HostStateScope scope;
    Plugin *plugin;
    BackendVerdict verdict;
} LoadJob;

static void load_job_free(void *argument)
{
    LoadJob *job = argument;
    plugin_free(job->plugin);
    free(job->path);
    free(job->name);
    free(job);
}

static LoadJob *load_job_create(const BackendEntry *entry)
{
    LoadJob *job = calloc(1, sizeof(*job));
    if (!job)
        return NULL;
    job->registry = entry->registry;
    job->scope = entry->trial.scope;
    job->path = strdup(entry->path);
    job->name = strdup(entry->name);
    if (!job->path || !job->name) {
        load_job_free(job);
        return NULL;
    }
    return job;
}

static void load_job_run(void *argument)
{
    LoadJob *job = argument;
    plugin_load(&job->plugin, job->path, job->name, job->scope, &job->verdict);
    atomic_fetch_sub(&job->registry->loading, 1);
}

static void load_in_process(BackendEntry *entry)
{
    Registry *registry = entry->registry;
    BackendVerdict *verdict = &entry->load_verdict;
    LoadJob *job = load_job_create(entry);
    if (!job) {
        out_of_memory(verdict);
        return;
    }
    vmaf_mutex_lock(&registry->loader);
    if (atomic_load(&registry->loading)) {
        /* It may still hold locks of the dynamic linker, for which this one would wait as well. */
        vmaf_mutex_unlock(&registry->loader);
        load_job_free(job);
        backend_judge(verdict, BACKEND_PLUGIN_LOAD_ERROR, -EDEADLK,
                      "not loaded, because loading another plugin has never ended");
        return;
    }
    unsigned limit = backend_registry_time_limit();
    atomic_store(&entry->initialised, true);
    atomic_fetch_add(&registry->loading, 1);
    processor_time_plugins_begin();
    int err = limited_call(load_job_run, job, load_job_free, limit);
    if (err == -ENOMEM)
        atomic_fetch_sub(&registry->loading, 1);
    vmaf_mutex_unlock(&registry->loader);

    if (err == -ETIMEDOUT) {
        backend_judge(verdict, BACKEND_PLUGIN_LOAD_ERROR, err, "loading it took longer than %u ms",
                      limit);
        return;
    }
    if (err < 0) {
        out_of_memory(verdict);
    } else {
        *verdict = job->verdict;
        entry->plugin = job->plugin;
        job->plugin = NULL;
    }
    load_job_free(job);
}

static void try_out(BackendEntry *entry)
{
    if (entry->tried)
        return;
    plugin_trial(&entry->trial, entry->path, backend_registry_time_limit());
    entry->tried = true;
}

static void load(BackendEntry *entry)
{
    if (entry->loaded)
        return;
    entry->loaded = true;
    entry->load_verdict = (BackendVerdict){.state = BACKEND_USABLE};
    try_out(entry);
    const PluginTrial *trial = &entry->trial;
    bool refused = trial->asked_now && (trial->verdict.state == BACKEND_PLUGIN_LOAD_ERROR ||
                                        trial->verdict.state == BACKEND_ABI_MISMATCH);
    if (trial->harm.state != BACKEND_USABLE)
        entry->load_verdict = trial->harm;
    else if (refused)
        entry->load_verdict = trial->verdict;
    else
        load_in_process(entry);
}

static const BackendVerdict foreign = {
    BACKEND_INIT_FAILED, -ENODEV, {"forked: it belongs to the parent process"}};
static const BackendVerdict given_up = {
    BACKEND_INIT_FAILED, -ENODEV, {"given up in this process: a call into it has not returned"}};

/* NULL: it may be asked. Else why not. */
static const BackendVerdict *why_not_asked(const BackendEntry *entry)
{
    if (backend_entry_is_foreign(entry))
        return &foreign;
    return entry->found.state == BACKEND_USABLE ? NULL : &entry->found;
}

static bool is_dead(const BackendEntry *entry)
{
    return entry->plugin && atomic_load(&entry->plugin->dead);
}

const Plugin *backend_entry_load(BackendEntry *entry, BackendVerdict *verdict)
{
    const BackendVerdict *why_not = why_not_asked(entry);
    if (why_not) {
        *verdict = *why_not;
        return NULL;
    }
    vmaf_mutex_lock(&entry->lock);
    load(entry);
    bool dead = is_dead(entry);
    *verdict = dead ? given_up : entry->load_verdict;
    const Plugin *plugin = dead ? NULL : entry->plugin;
    vmaf_mutex_unlock(&entry->lock);
    return plugin;
}

/* ---- Enumerating ---- */

typedef struct ProbeJob {
    const Plugin *plugin;
    HostStateScope scope;
    PluginDevices devices;
    BackendVerdict verdict;
} ProbeJob;

static void probe_job_run(void *argument)
{
    ProbeJob *job = argument;
    HostState *state;
    if (host_state_capture(&state, job->scope) < 0) {
        out_of_memory(&job->verdict);
        return;
    }
    plugin_probe(job->plugin, &job->devices, &job->verdict);
    Reason why;
    if (!host_state_restore(state, job->plugin->path, &why))
        backend_judge(&job->verdict, BACKEND_PLUGIN_LOAD_ERROR, -EPERM, "probing it %s", why.text);
    host_state_free(state);
}

static void probe_in_process(BackendEntry *entry)
{
    BackendVerdict *verdict = &entry->probe_verdict;
    ProbeJob *job = calloc(1, sizeof(*job));
    entry->devices = calloc(1, sizeof(*entry->devices));
    if (!job || !entry->devices) {
        free(job);
        out_of_memory(verdict);
        return;
    }
    job->plugin = entry->plugin;
    job->scope = entry->trial.scope;
    unsigned limit = backend_registry_time_limit();
    int err = limited_call(probe_job_run, job, free, limit);
    if (err == -ETIMEDOUT) {
        atomic_store(&entry->plugin->dead, true);
        backend_judge(verdict, BACKEND_INIT_FAILED, err, "probe took longer than %u ms", limit);
        return;
    }
    if (err < 0) {
        out_of_memory(verdict);
    } else {
        *verdict = job->verdict;
        *entry->devices = job->devices;
    }
    free(job);
}

static void probe(BackendEntry *entry)
{
    if (entry->probed)
        return;
    entry->probed = true;
    entry->probe_verdict = (BackendVerdict){.state = BACKEND_USABLE};
    load(entry);
    if (!entry->plugin) {
        entry->probe_verdict = entry->load_verdict;
        return;
    }
    if (is_dead(entry)) { /* a device was opened and hung before anybody has enumerated */
        entry->probe_verdict = given_up;
        return;
    }
    probe_in_process(entry);
    /* Enumerated here, but the helper could not open any of them. */
    if (entry->probe_verdict.state == BACKEND_USABLE && entry->trial.asked_now)
        entry->probe_verdict = entry->trial.verdict;
}

const Plugin *backend_entry_describe(BackendEntry *entry, BackendProbeResult *result,
                                     const BackendVerdict **verdict)
{
    *result = (BackendProbeResult){0};
    *verdict = why_not_asked(entry);
    if (*verdict)
        return NULL;
    vmaf_mutex_lock(&entry->lock);
    probe(entry);
    bool died_later = entry->probe_verdict.state == BACKEND_USABLE && is_dead(entry);
    *verdict = died_later ? &given_up : &entry->probe_verdict;
    const PluginDevices *devices = entry->devices;
    const Plugin *plugin = entry->plugin;
    vmaf_mutex_unlock(&entry->lock);
    if (devices) {
        memcpy(result->driver, devices->driver, sizeof(result->driver));
        memcpy(result->runtime, devices->runtime, sizeof(result->runtime));
        result->n_devices = devices->n_devices;
        result->devices = devices->devices;
    }
    return plugin;
}

int backend_entry_probe(BackendEntry *entry, BackendProbeResult *result, BackendVerdict *verdict)
{
    const BackendVerdict *lasting;
    backend_entry_describe(entry, result, &lasting);
    *verdict = *lasting;
    return error_of(verdict);
}

uint64_t backend_entry_opened_devices(BackendEntry *entry)
{
    if (why_not_asked(entry))
        return 0;
    vmaf_mutex_lock(&entry->lock);
    uint64_t opened = entry->trial.asked_now ? entry->trial.opened : UINT64_MAX;
    vmaf_mutex_unlock(&entry->lock);
    return opened;
}

/* ---- Several at once ---- */

static void *try_out_alone(void *argument)
{
    BackendEntry *entry = argument;
    vmaf_mutex_lock(&entry->lock);
    try_out(entry);
    vmaf_mutex_unlock(&entry->lock);
    return NULL;
}

void backend_registry_try_out(BackendEntry *const entries[], unsigned count)
{
    VmafThread *threads = calloc(count ? count : 1, sizeof(*threads));
    if (!threads)
        return; /* each is tried out when its turn comes */
    unsigned started = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!why_not_asked(entries[i]) &&
            vmaf_thread_start(&threads[started], try_out_alone, entries[i]) == 0)
            started++;
    }
    for (unsigned i = 0; i < started; i++)
        vmaf_thread_join(threads[i]);
    free(threads);
}
