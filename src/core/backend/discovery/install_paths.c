/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/install_paths.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/process.h"

/* Set by the build (CMakeLists.txt): absolute paths, and paths relative to the folders of
 * libraries and of programs, which are "" if the installation cannot be moved. */
#ifndef INSTALLED_HELPER
#error "the build has to say where the helper is installed"
#endif

typedef struct Part {
    const char *installed;
    const char *from_libraries;
    const char *from_programs;
    VmafFileKind kind;
} Part;

static const Part helper = {INSTALLED_HELPER, HELPER_FROM_LIBRARIES, HELPER_FROM_PROGRAMS,
                            VMAF_FILE_REGULAR};
static const Part plugins = {INSTALLED_PLUGINS, PLUGINS_FROM_LIBRARIES, PLUGINS_FROM_PROGRAMS,
                             VMAF_FILE_FOLDER};

static _Atomic(const char *) helper_for_tests;

char *install_path_own_folder(void)
{
    char *folder;
    vmaf_module_folder_of(&helper, &folder);
    return folder;
}

static char *join(const char *folder, const char *relative)
{
    size_t size = strlen(folder) + strlen(relative) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", folder, relative);
    return path;
}

/* The absolute path of what exists there, or NULL if it is not of the right kind. 0; -ENOMEM. */
static int find_below(const char *folder, const char *relative, VmafFileKind kind, char **found)
{
    if (!*relative)
        return 0;
    VmafFileStatus status;
    char *path = join(folder, relative);
    if (!path)
        return -ENOMEM;
    int err = 0;
    if (!vmaf_file_status_at(path, &status) && status.kind == kind)
        err = vmaf_path_real(path, found);
    free(path);
    return err == -ENOMEM ? err : 0;
}

static char *find(const Part *part)
{
    char *path = NULL, *folder = NULL;
    int err = 0;
    if (!vmaf_privilege_is_borrowed())
        err = vmaf_module_folder_of(&helper, &folder);
    if (folder)
        err = find_below(folder, part->from_libraries, part->kind, &path);
    if (folder && !path && !err)
        err = find_below(folder, part->from_programs, part->kind, &path);
    free(folder);
    /* Running out of memory is no reason to use another place. */
    return path || err == -ENOMEM ? path : strdup(part->installed);
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
