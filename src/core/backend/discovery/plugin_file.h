/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_FILE_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_FILE_H

/* Files named libvmaf-backend-<name>.so in the search path. None of them is opened here. */

#include "backend/availability.h"
#include "backend/names.h"

/* The name in the last part of a path; false if it is not that of a plugin. */
bool plugin_file_name(char name[BACKEND_NAME_SIZE], const char *path);

typedef struct PluginFile {
    char *name; /* what stands between the fixed parts of the file name; printable */
    char *path; /* absolute */
    /* USABLE: the file may be loaded. Otherwise it is refused: its name is illegal, a file in an
     * earlier directory hides it, it is no regular file, or others could change it in a
     * privileged program. */
    BackendAvailability availability;
} PluginFile;

typedef struct PluginFiles {
    PluginFile *files; /* by directory, then by name */
    unsigned count;
    Reason unreadable; /* the first directory that exists but cannot be read, and why; or "" */
} PluginFiles;

int plugin_files_find(PluginFiles *files, char *const *directories); /* 0; -ENOMEM */
void plugin_files_free(PluginFiles *files);

#endif
