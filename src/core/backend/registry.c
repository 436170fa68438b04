/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_file.h"
#include "backend/limited_call.h"
#include "backend/registry_internal.h"
#include "platform/module.h"
#include "platform/process.h"

enum { DEFAULT_TIME_LIMIT_MS = 10000 };

/* The library's global state. The registry is built without a lock: if two threads build one,
 * the second discards its own. A fork in another thread can then never leave a locked lock in
 * the child. */
static _Atomic(Registry *) current;
static atomic_uint time_limit = DEFAULT_TIME_LIMIT_MS;

void backend_registry_set_time_limit(unsigned milliseconds)
{
    atomic_store(&time_limit, milliseconds);
}

unsigned backend_registry_time_limit(void)
{
    return atomic_load(&time_limit);
}

/* ---- Building ---- */

static int init_locks(Registry *registry)
{
    /* Default mutexes of the C libraries that matter need no resources and cannot fail. */
    return vmaf_condition_init(&registry->devices_changed) || vmaf_mutex_init(&registry->loader) ||
                   vmaf_mutex_init(&registry->devices_lock)
               ? -ENOMEM
               : 0;
}

static bool was_initialised(const Registry *registry, const char *path)
{
    for (; registry; registry = registry->inherited)
        for (unsigned i = 0; i < registry->n_entries; i++) {
            const BackendEntry *entry = &registry->entries[i];
            if (entry->path && strcmp(entry->path, path) == 0 && atomic_load(&entry->initialised))
                return true;
        }
    return false;
}

/* If another thread of the parent was loading a plugin, libltdl is in an unknown state here. */
static bool was_loading(const Registry *registry)
{
    for (; registry; registry = registry->inherited)
        if (atomic_load(&registry->loading))
            return true;
    return false;
}

static int judge_forked(BackendAvailability *availability)
{
    return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENODEV,
                                    "forked: the parent process had loaded it");
}

#define LOADS_NOTHING "a program that is linked statically loads no plugins"

static int add_entry(Registry *registry, const char *name, const char *path,
                     const BackendAvailability *found)
{
    BackendEntry *entry = &registry->entries[registry->n_entries];
    entry->registry = registry;
    entry->name = strdup(name);
    entry->path = path ? strdup(path) : NULL;
    entry->found = *found;
    if (!entry->name || (path && !entry->path) || vmaf_mutex_init(&entry->lock)) {
        free((char *)entry->name);
        free(entry->path);
        return -ENOMEM;
    }
    const Registry *inherited = registry->inherited;
    if (path && found->state == BACKEND_USABLE && inherited &&
        (was_loading(inherited) || was_initialised(inherited, path)))
        judge_forked(&entry->found);
    if (path && found->state == BACKEND_USABLE && !registry->loads_plugins)
        backend_availability_set(&entry->found, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC, LOADS_NOTHING);
    registry->n_entries++;
    return 0;
}

static void judge_missing(const Registry *registry, BackendAvailability *availability,
                          const char *name, const Reason *unreadable)
{
    if (!backend_name_is_for_this_system(name))
        backend_availability_set(availability, BACKEND_UNSUPPORTED_OS, 0,
                                 "it exists on other systems only");
    else if (!registry->loads_plugins)
        backend_availability_set(availability, BACKEND_PLUGIN_NOT_FOUND, 0, LOADS_NOTHING);
    else if (unreadable->text[0])
        backend_availability_set(availability, BACKEND_PLUGIN_NOT_FOUND, 0, "%s", unreadable->text);
    else
        backend_availability_set(
            availability, BACKEND_PLUGIN_NOT_FOUND, 0,
            "there is no libvmaf-backend-%s" VMAF_MODULE_SUFFIX " in the search path", name);
}

/* The usable file of that name, else one that is rejected, else NULL. */
static PluginFile *file_of(const PluginFiles *files, const char *name)
{
    PluginFile *rejected = NULL;
    for (unsigned i = 0; i < files->count; i++) {
        PluginFile *file = &files->files[i];
        if (strcmp(file->name, name) != 0)
            continue;
        if (file->availability.state == BACKEND_USABLE)
            return file;
        if (!rejected)
            rejected = file;
    }
    return rejected;
}

static int by_name(const void *a, const void *b)
{
    const PluginFile *const *left = a, *const *right = b;
    int order = strcmp((*left)->name, (*right)->name);
    return order ? order : (*left > *right) - (*left < *right); /* else by directory */
}

static int add_known(Registry *registry, const PluginFiles *files, bool *listed)
{
    for (int i = 0; i < BACKENDS_KNOWN; i++) {
        const char *name = backend_known_names[i];
        const PluginFile *file = file_of(files, name);
        BackendAvailability missing;
        if (file)
            listed[file - files->files] = true;
        else
            judge_missing(registry, &missing, name, &files->unreadable);
        int err = add_entry(registry, name, file ? file->path : NULL,
                            file ? &file->availability : &missing);
        if (err < 0)
            return err;
    }
    return 0;
}

static int add_others(Registry *registry, const PluginFiles *files, const bool *listed)
{
    const PluginFile **others = calloc(files->count + 1, sizeof(PluginFile *));
    if (!others)
        return -ENOMEM;
    unsigned count = 0;
    for (unsigned i = 0; i < files->count; i++)
        if (!listed[i])
            others[count++] = &files->files[i];
    qsort(others, count, sizeof(PluginFile *), by_name);
    int err = 0;
    for (unsigned i = 0; i < count && !err; i++)
        err = add_entry(registry, others[i]->name, others[i]->path, &others[i]->availability);
    free(others);
    return err;
}

static int fill(Registry *registry)
{
    int err = search_path_create(&registry->search_path);
    if (err < 0)
        return err;
    PluginFiles files;
    err = plugin_files_find(&files, registry->search_path);
    if (err < 0)
        return err;
    bool *listed = calloc(files.count + 1, sizeof(*listed));
    registry->entries = calloc(files.count + BACKENDS_KNOWN, sizeof(*registry->entries));
    if (!listed || !registry->entries) {
        err = -ENOMEM;
        goto out;
    }
    err = add_known(registry, &files, listed);
    if (!err)
        err = add_others(registry, &files, listed);
out:
    free(listed);
    plugin_files_free(&files);
    return err;
}

static void registry_free(Registry *registry)
{
    for (unsigned i = 0; i < registry->n_entries; i++) {
        vmaf_mutex_destroy(&registry->entries[i].lock);
        free((char *)registry->entries[i].name);
        free(registry->entries[i].path);
    }
    free(registry->entries);
    search_path_free(registry->search_path);
    free(registry);
}

static Registry *registry_create(Registry *inherited)
{
    Registry *registry = calloc(1, sizeof(*registry));
    if (!registry)
        return NULL;
    registry->pid = vmaf_process_id();
    registry->inherited = inherited;
    registry->loads_plugins = vmaf_module_can_load();
    if (init_locks(registry) < 0 || fill(registry) < 0) {
        registry_free(registry);
        return NULL;
    }
    return registry;
}

/* The registry of this process, built at first use. NULL only if memory runs out. */
static Registry *registry_get(void)
{
    Registry *registry = atomic_load(&current);
    if (registry && registry->pid == vmaf_process_id())
        return registry;
    Registry *fresh = registry_create(registry);
    if (fresh && !atomic_compare_exchange_strong(&current, &registry, fresh)) {
        registry_free(fresh);
        return registry;
    }
    return fresh;
}

/* ---- Asking ---- */

/* Used when there is no memory for a registry: nothing is known about any backend. */
#define WITHOUT_MEMORY(known_name, title, trait, ...)                                              \
    {.name = (known_name),                                                                         \
     .lock = VMAF_MUTEX_INITIALIZER,                                                               \
     .found = {BACKEND_INIT_FAILED, -ENOMEM, {"out of memory"}}},
static BackendEntry without_memory[BACKENDS_KNOWN] = {BACKENDS_KNOWN_LIST(WITHOUT_MEMORY)};
#undef WITHOUT_MEMORY

const char *const *backend_registry_search_path(void)
{
    static const char *const nothing[] = {NULL};
    const Registry *registry = registry_get();
    return registry ? (const char *const *)registry->search_path : nothing;
}

bool backend_registry_exists(void)
{
    const Registry *registry = atomic_load(&current);
    return registry && registry->pid == vmaf_process_id();
}

BackendEntry *backend_registry_entry(unsigned index)
{
    Registry *registry = registry_get();
    unsigned count = registry ? registry->n_entries : BACKENDS_KNOWN;
    BackendEntry *entries = registry ? registry->entries : without_memory;
    return index < count ? &entries[index] : NULL;
}

BackendEntry *backend_registry_find(const char *name)
{
    BackendEntry *rejected = NULL, *entry;
    if (!backend_name_is_valid(name, strlen(name)))
        return NULL;
    for (unsigned i = 0; (entry = backend_registry_entry(i)); i++) {
        if (strcmp(entry->name, name) != 0)
            continue;
        if (entry->found.state == BACKEND_USABLE)
            return entry;
        if (!rejected)
            rejected = entry;
    }
    return rejected;
}

const char *backend_entry_name(const BackendEntry *entry)
{
    return entry->name;
}

const char *backend_entry_path(const BackendEntry *entry)
{
    return entry->path;
}

bool backend_entry_is_foreign(const BackendEntry *entry)
{
    return entry->registry && entry->registry->pid != vmaf_process_id();
}

/* An availability without an error means that nothing was attempted; the caller still gets an
 * error. */
static int error_of(const BackendAvailability *availability)
{
    return availability->state == BACKEND_USABLE ? 0
           : availability->error                 ? availability->error
                                                 : -ENODEV;
}

/* ---- Probing and loading, once for each plugin ---- */

/* Owned by the thread that loads if it outlives the time limit. Entries live as long as the
 * process. */
typedef struct LoadJob {
    const BackendEntry *entry;
    Plugin *plugin;
    BackendAvailability availability;
} LoadJob;

static void load_job_free(void *argument)
{
    LoadJob *job = argument;
    plugin_free(job->plugin);
    free(job);
}

static void load_job_run(void *argument)
{
    LoadJob *job = argument;
    const BackendEntry *entry = job->entry;
    plugin_load(&job->plugin, entry->path, entry->name, entry->probe.scope, &job->availability);
    atomic_fetch_sub(&entry->registry->loading, 1);
}

static void load_in_process(BackendEntry *entry)
{
    Registry *registry = entry->registry;
    BackendAvailability *availability = &entry->load_availability;
    LoadJob *job = calloc(1, sizeof(*job));
    if (!job) {
        backend_out_of_memory(availability);
        return;
    }
    job->entry = entry;
    vmaf_mutex_lock(&registry->loader);
    if (atomic_load(&registry->loading)) {
        /* The other load may still hold locks of the dynamic linker, which this one would wait
         * for. */
        vmaf_mutex_unlock(&registry->loader);
        load_job_free(job);
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -EDEADLK,
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
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, err,
                                 "loading it took longer than %u ms", limit);
        return;
    }
    if (err < 0) {
        backend_out_of_memory(availability);
    } else {
        *availability = job->availability;
        entry->plugin = job->plugin;
        job->plugin = NULL;
    }
    load_job_free(job);
}

static void probe(BackendEntry *entry)
{
    if (entry->probed)
        return;
    plugin_probe(&entry->probe, entry->path, backend_registry_time_limit());
    entry->probed = true;
}

static void load(BackendEntry *entry)
{
    if (entry->loaded)
        return;
    entry->loaded = true;
    entry->load_availability = (BackendAvailability){.state = BACKEND_USABLE};
    probe(entry);
    const PluginProbe *found = &entry->probe;
    bool rejected = found->asked_now && (found->availability.state == BACKEND_PLUGIN_LOAD_ERROR ||
                                         found->availability.state == BACKEND_ABI_MISMATCH);
    if (found->fault.state != BACKEND_USABLE)
        entry->load_availability = found->fault;
    else if (rejected)
        entry->load_availability = found->availability;
    else
        load_in_process(entry);
}

static const BackendAvailability foreign = {
    BACKEND_INIT_FAILED, -ENODEV, {"forked: it belongs to the parent process"}};
static const BackendAvailability given_up = {
    BACKEND_INIT_FAILED, -ENODEV, {"given up in this process: a call into it has not returned"}};

/* NULL if the plugin may be used; else why not. */
static const BackendAvailability *why_not_asked(const BackendEntry *entry)
{
    if (backend_entry_is_foreign(entry))
        return &foreign;
    return entry->found.state == BACKEND_USABLE ? NULL : &entry->found;
}

static bool is_dead(const BackendEntry *entry)
{
    return entry->plugin && atomic_load(&entry->plugin->dead);
}

const Plugin *backend_entry_load(BackendEntry *entry, BackendAvailability *availability)
{
    const BackendAvailability *why_not = why_not_asked(entry);
    if (why_not) {
        *availability = *why_not;
        return NULL;
    }
    vmaf_mutex_lock(&entry->lock);
    load(entry);
    bool dead = is_dead(entry);
    *availability = dead ? given_up : entry->load_availability;
    const Plugin *plugin = dead ? NULL : entry->plugin;
    vmaf_mutex_unlock(&entry->lock);
    return plugin;
}

/* ---- Enumerating, once for each plugin ---- */

typedef struct EnumerateJob {
    const Plugin *plugin;
    VmafProcessScope scope;
    PluginDevices devices;
    BackendAvailability availability;
} EnumerateJob;

static void enumerate_job_run(void *argument)
{
    EnumerateJob *job = argument;
    HostState *state;
    if (host_state_capture(&state, job->scope) < 0) {
        backend_out_of_memory(&job->availability);
        return;
    }
    plugin_enumerate(job->plugin, &job->devices, &job->availability);
    Reason why;
    if (!host_state_restore(state, job->plugin->path, &why))
        backend_availability_set(&job->availability, BACKEND_PLUGIN_LOAD_ERROR, -EPERM,
                                 "probing it %s", why.text);
    host_state_free(state);
}

static void enumerate_in_process(BackendEntry *entry)
{
    BackendAvailability *availability = &entry->devices_availability;
    EnumerateJob *job = calloc(1, sizeof(*job));
    entry->devices = calloc(1, sizeof(*entry->devices));
    if (!job || !entry->devices) {
        free(job);
        backend_out_of_memory(availability);
        return;
    }
    job->plugin = entry->plugin;
    job->scope = entry->probe.scope;
    unsigned limit = backend_registry_time_limit();
    int err = limited_call(enumerate_job_run, job, free, limit);
    if (err == -ETIMEDOUT) {
        atomic_store(&entry->plugin->dead, true);
        backend_availability_set(availability, BACKEND_INIT_FAILED, err,
                                 "probe took longer than %u ms", limit);
        return;
    }
    if (err < 0) {
        backend_out_of_memory(availability);
    } else {
        *availability = job->availability;
        *entry->devices = job->devices;
    }
    free(job);
}

static void enumerate(BackendEntry *entry)
{
    if (entry->enumerated)
        return;
    entry->enumerated = true;
    entry->devices_availability = (BackendAvailability){.state = BACKEND_USABLE};
    load(entry);
    if (!entry->plugin) {
        entry->devices_availability = entry->load_availability;
        return;
    }
    if (is_dead(entry)) { /* opening a device hung before the devices were enumerated */
        entry->devices_availability = given_up;
        return;
    }
    enumerate_in_process(entry);
    /* There are devices, but the helper could not open any of them. */
    if (entry->devices_availability.state == BACKEND_USABLE && entry->probe.asked_now)
        entry->devices_availability = entry->probe.availability;
}

const Plugin *backend_entry_describe(BackendEntry *entry, BackendDeviceList *result,
                                     const BackendAvailability **availability)
{
    *result = (BackendDeviceList){0};
    *availability = why_not_asked(entry);
    if (*availability)
        return NULL;
    vmaf_mutex_lock(&entry->lock);
    enumerate(entry);
    bool died_later = entry->devices_availability.state == BACKEND_USABLE && is_dead(entry);
    *availability = died_later ? &given_up : &entry->devices_availability;
    const PluginDevices *devices = entry->devices;
    const Plugin *plugin = entry->plugin;
    vmaf_mutex_unlock(&entry->lock);
    if (devices) {
        memcpy(result->driver, devices->driver, sizeof(result->driver));
        memcpy(result->runtime, devices->runtime, sizeof(result->runtime));
        result->n_devices = devices->n_devices;
        result->devices = devices->devices;
        result->n_unusable = devices->n_unusable;
        result->unusable = devices->unusable;
    }
    return plugin;
}

int backend_entry_enumerate(BackendEntry *entry, BackendDeviceList *result,
                            BackendAvailability *availability)
{
    const BackendAvailability *lasting;
    backend_entry_describe(entry, result, &lasting);
    *availability = *lasting;
    return error_of(availability);
}

static uint64_t opened_devices(const BackendEntry *entry)
{
    return entry->probe.asked_now ? entry->probe.opened : UINT64_MAX;
}

uint64_t backend_entry_opened_devices(BackendEntry *entry)
{
    if (why_not_asked(entry))
        return 0;
    vmaf_mutex_lock(&entry->lock);
    uint64_t opened = opened_devices(entry);
    vmaf_mutex_unlock(&entry->lock);
    return opened;
}

/* ---- One device of several backends ---- */

static uint32_t class_of(const BackendEntry *entry)
{
    return entry->plugin ? entry->plugin->backend_class : VMAF_BACKEND_CLASS_PORTABLE;
}

/* One that can be used. */
static int find_same(BackendEntry *entry, const BackendDeviceDescription *device)
{
    int found = -1;
    vmaf_mutex_lock(&entry->lock);
    const bool usable =
        entry->enumerated && !is_dead(entry) && entry->devices_availability.state == BACKEND_USABLE;
    const PluginDevices *devices = usable ? entry->devices : NULL;
    for (unsigned i = 0; devices && i < devices->n_devices && found < 0; i++) {
        if ((opened_devices(entry) >> i & 1) &&
            device_description_same(&devices->devices[i], device))
            found = (int)i;
    }
    vmaf_mutex_unlock(&entry->lock);
    return found;
}

const BackendEntry *backend_entry_same_device(const BackendEntry *entry,
                                              const BackendDeviceDescription *device, int *index)
{
    const BackendEntry *best = NULL;
    BackendEntry *other;
    *index = -1;
    for (unsigned i = 0; (other = backend_registry_entry(i)); i++) {
        if (other == entry || why_not_asked(other) ||
            backend_name_compare(other->name, class_of(other), entry->name, class_of(entry)) >= 0)
            continue;
        const int found = find_same(other, device);
        if (found < 0 || (best && backend_name_compare(best->name, class_of(best), other->name,
                                                       class_of(other)) < 0))
            continue;
        best = other;
        *index = found;
    }
    return best;
}

/* ---- Several at once ---- */

static void *probe_alone(void *argument)
{
    BackendEntry *entry = argument;
    vmaf_mutex_lock(&entry->lock);
    probe(entry);
    vmaf_mutex_unlock(&entry->lock);
    return NULL;
}

void backend_registry_probe(BackendEntry *const entries[], unsigned count)
{
    VmafThread *threads = calloc(count ? count : 1, sizeof(*threads));
    if (!threads)
        return; /* each is probed when its turn comes */
    unsigned started = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!why_not_asked(entries[i]) &&
            vmaf_thread_start(&threads[started], probe_alone, entries[i]) == 0)
            started++;
    }
    for (unsigned i = 0; i < started; i++)
        vmaf_thread_join(threads[i]);
    free(threads);
}
