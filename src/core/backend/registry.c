/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/registry.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_file.h"
#include "backend/discovery/search_path.h"
#include "backend/registry_entry.h"
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

/* The usable file of that name, else one that is refused, else NULL. */
static PluginFile *file_of(const PluginFiles *files, const char *name)
{
    PluginFile *refused = NULL;
    for (unsigned i = 0; i < files->count; i++) {
        PluginFile *file = &files->files[i];
        if (strcmp(file->name, name) != 0)
            continue;
        if (file->availability.state == BACKEND_USABLE)
            return file;
        if (!refused)
            refused = file;
    }
    return refused;
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
    BackendEntry *refused = NULL, *entry;
    if (!backend_name_is_valid(name, strlen(name)))
        return NULL;
    for (unsigned i = 0; (entry = backend_registry_entry(i)); i++) {
        if (strcmp(entry->name, name) != 0)
            continue;
        if (entry->found.state == BACKEND_USABLE)
            return entry;
        if (!refused)
            refused = entry;
    }
    return refused;
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
