/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
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

static char *find_part(const Part *part)
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
    return path ? strdup(path) : find_part(&helper);
}

void install_path_set_helper(const char *path)
{
    atomic_store(&helper_for_tests, path);
}

int privilege_resolve_file(char **resolved, const char *path, Reason *why)
{
    char *own; /* the folder of this code; NULL: it is unknown */
    vmaf_module_folder_of(&helper, &own);
    const int err = vmaf_privilege_resolve_file(resolved, path, own, why->text, sizeof(why->text));
    free(own);
    return err;
}

static bool contains(char *const *directories, const char *directory)
{
    for (; *directories; directories++)
        if (strcmp(*directories, directory) == 0)
            return true;
    return false;
}

/* Trailing slashes are removed, so that a directory has one spelling. */
static char *copy_directory(const char *text, size_t length)
{
    while (length > 1 && text[length - 1] == '/')
        length--;
    return strndup(text, length);
}

static int split_list(char **directories, const char *list)
{
    size_t count = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, (const char[]){VMAF_PATH_LIST_SEPARATOR, 0});
        if (vmaf_path_is_absolute(at)) {
            char *directory = copy_directory(at, length);
            if (!directory)
                return -ENOMEM;
            if (contains(directories, directory))
                free(directory);
            else
                directories[count++] = directory;
        }
        at += length;
        if (!*at)
            return 0;
    }
}

int search_path_create(char ***directories_out)
{
    *directories_out = NULL;
    const char *list = secure_getenv("VMAF_BACKEND_PATH");
    bool by_default = !list || !*list;
    size_t count = 1;
    for (const char *c = by_default ? "" : list; *c; c++)
        count += *c == VMAF_PATH_LIST_SEPARATOR;

    char **directories = calloc(count + 1, sizeof(*directories));
    if (!directories)
        return -ENOMEM;
    int err = 0;
    if (by_default) {
        directories[0] = find_part(&plugins);
        err = directories[0] ? 0 : -ENOMEM;
    } else {
        err = split_list(directories, list);
    }
    if (err < 0) {
        search_path_free(directories);
        return err;
    }
    *directories_out = directories;
    return 0;
}

void search_path_free(char **directories)
{
    for (char **at = directories; at && *at; at++)
        free(*at);
    free(directories);
}

static const char prefix[] = "libvmaf-backend-";
static const char suffix[] = VMAF_MODULE_SUFFIX;

enum {
    PREFIX_LENGTH = sizeof(prefix) - 1,
    SUFFIX_LENGTH = sizeof(suffix) - 1,
    FILES_MAX = 1024, /* in all directories; further ones are ignored */
};

static bool has_plugin_form(const char *file_name)
{
    size_t length = strlen(file_name);
    return length > PREFIX_LENGTH + SUFFIX_LENGTH &&
           memcmp(file_name, prefix, PREFIX_LENGTH) == 0 &&
           strcmp(file_name + length - SUFFIX_LENGTH, suffix) == 0;
}

bool plugin_file_name(char name[BACKEND_NAME_SIZE], const char *path)
{
    const char *file_name = vmaf_path_name(path);
    if (!has_plugin_form(file_name))
        return false;
    size_t length = strlen(file_name) - PREFIX_LENGTH - SUFFIX_LENGTH;
    if (!backend_name_is_valid(file_name + PREFIX_LENGTH, length))
        return false;
    memcpy(name, file_name + PREFIX_LENGTH, length);
    name[length] = '\0';
    return true;
}

static const PluginFile *find_usable(const PluginFiles *files, const char *name)
{
    for (unsigned i = 0; i < files->count; i++)
        if (files->files[i].availability.state == BACKEND_USABLE &&
            strcmp(files->files[i].name, name) == 0)
            return &files->files[i];
    return NULL;
}

static void judge_file(const PluginFiles *earlier, PluginFile *file, bool legal)
{
    BackendAvailability *availability = &file->availability;
    *availability = (BackendAvailability){.state = BACKEND_USABLE};
    VmafFileStatus status;
    Reason why;
    char *resolved = NULL;
    int err;
    const PluginFile *other = find_usable(earlier, file->name);
    if (!legal)
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -EINVAL,
                                 "'%s' is not a legal name of a backend", file->name);
    else if (other)
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -EEXIST, "hidden by %s",
                                 other->path);
    else if ((err = vmaf_file_status_at(file->path, &status)) < 0)
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, err, "%s",
                                 strerror(-err));
    else if (status.kind != VMAF_FILE_REGULAR)
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, -EINVAL,
                                 "not a regular file");
    else if ((err = privilege_resolve_file(&resolved, file->path, &why)) < 0)
        backend_availability_set(availability, BACKEND_PLUGIN_LOAD_ERROR, err, "%s", why.text);
    free(resolved); /* loading the file resolves it again */
}

static int add_file(PluginFiles *files, const char *directory, const char *file_name)
{
    size_t name_length = strlen(file_name) - PREFIX_LENGTH - SUFFIX_LENGTH;
    PluginFile *grown = realloc(files->files, (files->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    files->files = grown;
    PluginFile *file = &grown[files->count];
    file->name = foreign_text_copy(file_name + PREFIX_LENGTH, name_length);
    file->path = join(strcmp(directory, "/") == 0 ? "" : directory, file_name);
    if (!file->name || !file->path) {
        free(file->name);
        free(file->path);
        return -ENOMEM;
    }
    judge_file(files, file, backend_name_is_valid(file_name + PREFIX_LENGTH, name_length));
    files->count++;
    return 0;
}

/* A directory that does not exist holds no plugins; one that cannot be read might. */
static void note_unreadable(PluginFiles *files, const char *directory, int error)
{
    if (error == ENOENT || error == ENOTDIR || files->unreadable.text[0])
        return;
    char text[sizeof(files->unreadable.text)];
    snprintf(text, sizeof(text), "%s cannot be read: %s", directory, strerror(error));
    foreign_text(files->unreadable.text, sizeof(text), text, sizeof(text));
}

int plugin_files_find(PluginFiles *files, char *const *directories)
{
    *files = (PluginFiles){0};
    int err = 0;
    for (; *directories && !err; directories++) {
        char **names;
        unsigned count;
        const int listed = vmaf_folder_list(*directories, has_plugin_form, &names, &count);
        if (listed == -ENOMEM)
            err = listed;
        else if (listed)
            note_unreadable(files, *directories, -listed);
        for (unsigned i = 0; i < count && !err && files->count < FILES_MAX; i++)
            err = add_file(files, *directories, names[i]);
        vmaf_folder_list_free(names, count);
    }
    if (err)
        plugin_files_free(files);
    return err;
}

void plugin_files_free(PluginFiles *files)
{
    for (unsigned i = 0; i < files->count; i++) {
        free(files->files[i].name);
        free(files->files[i].path);
    }
    free(files->files);
    *files = (PluginFiles){0};
}
