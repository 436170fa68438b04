/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/install_paths.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/discovery/privilege.h"

/* Set by the build (CMakeLists.txt): absolute paths, and the same seen from the folder of libraries
 * and from that of programs, "" where an installation cannot be moved. */
#ifndef INSTALLED_HELPER
#error "the build has to say where the helper is installed"
#endif

typedef struct Part {
    const char *installed;
    const char *from_libraries;
    const char *from_programs;
    mode_t type;
} Part;

static const Part helper = {INSTALLED_HELPER, HELPER_FROM_LIBRARIES, HELPER_FROM_PROGRAMS, S_IFREG};
static const Part plugins = {INSTALLED_PLUGINS, PLUGINS_FROM_LIBRARIES, PLUGINS_FROM_PROGRAMS,
                             S_IFDIR};

static _Atomic(const char *) helper_for_tests;

char *install_path_own_folder(void)
{
    Dl_info info;
    if (!dladdr((const void *)&helper, &info) || !info.dli_fname)
        return NULL;
    /* A program may be called by a name that says nothing about its place. */
    bool absolute = info.dli_fname[0] == '/';
    char *file = realpath(absolute ? info.dli_fname : "/proc/self/exe", NULL);
    char *slash = file ? strrchr(file, '/') : NULL;
    if (slash)
        *slash = '\0';
    return file;
}

static char *join(const char *folder, const char *relative)
{
    size_t size = strlen(folder) + strlen(relative) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, relative);
    return path;
}

/* The absolute path of what lies there; NULL with errno 0 if it is not of the right type. */
static char *existing(const char *folder, const char *relative, mode_t type)
{
    errno = 0;
    if (!*relative)
        return NULL;
    char *path = join(folder, relative), *found = NULL;
    struct stat status;
    if (path && stat(path, &status) == 0 && (status.st_mode & S_IFMT) == type)
        found = realpath(path, NULL);
    int err = !path || (!found && errno == ENOMEM) ? ENOMEM : 0;
    free(path);
    errno = err;
    return found;
}

static char *find(const Part *part)
{
    char *path = NULL;
    errno = 0;
    char *folder = privilege_is_borrowed() ? NULL : install_path_own_folder();
    if (folder) {
        path = existing(folder, part->from_libraries, part->type);
        if (!path && errno != ENOMEM)
            path = existing(folder, part->from_programs, part->type);
    }
    bool out_of_memory = !path && errno == ENOMEM;
    free(folder);
    /* Not another place instead, only because memory ran out. */
    return path ? path : out_of_memory ? NULL : strdup(part->installed);
}

char *install_path_helper(void)
{
    const char *path = atomic_load(&helper_for_tests);
    return path ? strdup(path) : find(&helper);
}

char *install_path_plugins(void)
{
    return find(&plugins);
}

void install_path_set_helper(const char *path)
{
    atomic_store(&helper_for_tests, path);
}
