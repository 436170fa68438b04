/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_FILE_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_FILE_H

/*
 * Files of plugins, and where they are: the search path, what may be loaded from it, and the parts
 * of an installation.
 */

#include "backend/availability.h"
#include "backend/names.h"

/*
 * The helper, as all parts of an installation, is beside the library that is running, if it is
 * there (so that a tree can be moved as a whole), else where the build was to install it. Programs
 * that run with privileges of another user only get the latter. Absolute path, to be freed, of what
 * need not exist; NULL only if memory runs out.
 */
char *install_path_helper(void);

/* For tests: the helper of install_path_helper, NULL to undo. The text must stay valid. */
void install_path_set_helper(const char *path);

/*
 * The path under which a plugin or the helper is to be loaded; to be freed. Privileged programs
 * reject files that somebody else could change (vmaf_privilege_resolve_file). Folders above this
 * library are trusted: whoever can change them can change the library. 0; negative errno.
 */
int privilege_resolve_file(char **resolved, const char *path, Reason *why);

/*
 * The directories that are searched for plugins: those in VMAF_BACKEND_PATH, separated by colons,
 * each once; or the installed directory if the variable is unset or empty. Relative directories are
 * ignored, so that the current directory never counts. Programs with borrowed rights ignore the
 * variable. The list ends with NULL, and is freed with search_path_free. 0; -ENOMEM.
 */
int search_path_create(char ***directories);
void search_path_free(char **directories); /* NULL allowed */

/* The name in the last part of a path; false if it is not that of a plugin. */
bool plugin_file_name(char name[BACKEND_NAME_SIZE], const char *path);

/* A file named libvmaf-backend-<name>.so in the search path, which is not opened here. */
typedef struct PluginFile {
    char *name; /* what stands between the fixed parts of the file name; printable */
    char *path; /* absolute */
    /* USABLE: the file may be loaded. Otherwise it is rejected: its name is illegal, a file in an
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
