/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/path.h"
#include "platform/posix/internal.h"

/* ---- Loading ---- */

/*
 * True if the text of dlerror() reports that another file than the module was not found. Words of
 * it may be translated, so only its form counts: the name of what is at fault, a colon, a text. A
 * library that was searched for and not found is named without a folder.
 */
static bool names_missing_library(const char *text, const char *path)
{
    static const char musl_prefix[] = "Error loading shared library ";
    if (strncmp(text, musl_prefix, sizeof(musl_prefix) - 1) == 0)
        text += sizeof(musl_prefix) - 1;
    const size_t length = strcspn(text, ":");
    char file[224];
    if (text[length] != ':' || length == 0 || length >= sizeof(file))
        return false;
    memcpy(file, text, length);
    file[length] = '\0';
    if (strcmp(file, path) == 0 || !strstr(file, ".so"))
        return false;
    return !strchr(file, '/') || access(file, F_OK) < 0;
}

static int load(const char *path, void **module, char *why, size_t size)
{
    errno = 0;
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*module)
        return 0;
    const bool no_memory = errno == ENOMEM; /* of which the text may say something else */
    if (!no_memory && !vmaf_module_can_load()) {
        snprintf(why, size, "%s: a program that is linked statically loads no modules", path);
        return -ENOEXEC;
    }
    const char *error = dlerror();
    if (!error)
        error = "";
    snprintf(why, size, "%s", error);
    return no_memory ? -ENOMEM : names_missing_library(error, path) ? -ENODEV : -ENOEXEC;
}

int vmaf_module_load(const char *path, char *why, size_t size)
{
    void *module;
    return load(path, &module, why, size);
}

int vmaf_module_find(const char *path, const char *name, VmafCodeAddress *address, char *why,
                     size_t size)
{
    void *module;
    const int err = load(path, &module, why, size);
    if (err)
        return err;
    *(void **)address = dlsym(module, name);
    if (*address)
        return 0;
    snprintf(why, size, "%s has no %s", path, name);
    return -ENOENT;
}

/* ---- What is loaded ---- */

int vmaf_module_find_loaded(const char *module, const char *name, VmafCodeAddress *address)
{
    void *loaded = dlopen(module, RTLD_LAZY | RTLD_NOLOAD);
    *(void **)address = dlsym(loaded ? loaded : RTLD_DEFAULT, name);
    if (loaded)
        dlclose(loaded); /* takes back what dlopen has counted */
    return *address ? 0 : -ENOENT;
}

int vmaf_module_folder_of(const void *address, char **folder)
{
    Dl_info info;
    *folder = NULL;
    const bool is_known = dladdr(address, &info) && info.dli_fname;
    /* In a program that is linked statically nothing is known, and all is the program's. */
    if (!is_known && !vmaf_system_is_of_file(address))
        return -ENOENT;
    /* A program may be called by a name that says nothing about its place. */
    const bool is_absolute = is_known && info.dli_fname[0] == '/';
    const int err =
        is_absolute ? vmaf_path_real(info.dli_fname, folder) : vmaf_system_program_path(folder);
    char *slash = err ? NULL : strrchr(*folder, '/');
    if (slash)
        *slash = '\0';
    return err;
}

int vmaf_module_foreign_path(const char *path, char **foreign)
{
    *foreign = strdup(path);
    return *foreign ? 0 : -ENOMEM;
}
