/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <ltdl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/discovery/plugin_check.h"
#include "backend/discovery/plugin_copy.h"
#include "backend/discovery/privilege.h"
#include "backend/foreign_text.h"

enum { ERROR_TEXT_SIZE = 224 };

/*
 * Whether the text of dlerror() says that another file than the plugin was not found. Words of it
 * may be translated, so only its form counts: the name of what is at fault, a colon, a text. A
 * library that was searched for and not found is named without a folder.
 */
static bool names_missing_library(const char *text, const char *plugin_path)
{
    static const char musl_prefix[] = "Error loading shared library ";
    if (strncmp(text, musl_prefix, sizeof(musl_prefix) - 1) == 0)
        text += sizeof(musl_prefix) - 1;
    size_t length = strcspn(text, ":");
    char file[ERROR_TEXT_SIZE];
    if (text[length] != ':' || length == 0 || length >= sizeof(file))
        return false;
    memcpy(file, text, length);
    file[length] = '\0';
    if (strcmp(file, plugin_path) == 0 || !strstr(file, ".so"))
        return false;
    return !strchr(file, '/') || access(file, F_OK) < 0;
}

/* Binds every symbol, which libltdl would leave until it is used, and knows why it fails, which
 * libltdl does not say. */
static int bind_now(const char *path, BackendAvailability *availability)
{
    errno = 0;
    if (dlopen(path, RTLD_NOW | RTLD_LOCAL))
        return 0;
    bool no_memory = errno == ENOMEM;
    const char *error = dlerror();
    char text[ERROR_TEXT_SIZE];
    foreign_text(text, sizeof(text), error ? error : "", error ? strlen(error) : 0);
    if (no_memory) /* of which the text may say something else */
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory: %s", text);
    if (names_missing_library(error ? error : "", path))
        return backend_availability_set(availability, BACKEND_DRIVER_MISSING, -ENODEV, "%s", text);
    return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC, "%s", text);
}

static int find_entry(const char *path, VmafBackendEntry *entry, BackendAvailability *availability)
{
    errno = 0;
    /* Counted; never undone, since what it has opened stays open. */
    lt_dlhandle handle = lt_dlinit() == 0 ? lt_dlopen(path) : NULL;
    if (!handle && errno == ENOMEM)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    if (!handle)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
                                        "libltdl: %s", lt_dlerror());
    lt_dlmakeresident(handle);
    void *symbol = lt_dlsym(handle, VMAF_BACKEND_ENTRY_SYMBOL);
    if (!symbol)
        return backend_availability_set(
            availability, BACKEND_PLUGIN_LOAD_ERROR, -ENOEXEC,
            "not a plugin: it does not export " VMAF_BACKEND_ENTRY_SYMBOL);
    memcpy(entry, &symbol, sizeof(symbol));
    return 0;
}

static int load(Plugin **plugin, const char *path, const char *name,
                BackendAvailability *availability)
{
    VmafBackendEntry entry = NULL;
    int err = bind_now(path, availability);
    if (err < 0)
        return err;
    err = find_entry(path, &entry, availability);
    return err < 0 ? err : plugin_check(plugin, entry(), name, path, availability);
}

/* Looks at what it changes. */
static int load_guarded(Plugin **plugin, const char *path, const char *name, HostStateScope scope,
                        BackendAvailability *availability)
{
    HostState *state;
    if (host_state_capture(&state, scope) < 0)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM,
                                        "out of memory");
    int err = load(plugin, path, name, availability);
    Reason why;
    if (!host_state_restore(state, path, &why)) {
        plugin_free(*plugin);
        *plugin = NULL;
        err = backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -EPERM,
                                       "loading it %s", why.text);
    }
    host_state_free(state);
    return err;
}

int plugin_load(Plugin **plugin, const char *path, const char *name, HostStateScope scope,
                BackendAvailability *availability)
{
    *plugin = NULL;
    char *resolved;
    Reason why;
    int err = privilege_resolve_file(&resolved, path, &why);
    if (err == -ENOMEM)
        return backend_availability_set(availability, BACKEND_INIT_FAILED, err, "%s", why.text);
    if (err < 0)
        return backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, err, "%s",
                                        why.text);
    err = load_guarded(plugin, resolved, name, scope, availability);
    free(resolved);
    return err;
}
