/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/plugin_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_copy.h"
#include "backend/discovery/privilege.h"
#include "backend/foreign_text.h"
#include "platform/file.h"
#include "platform/module.h"
#include "platform/path.h"

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

static void judge(const PluginFiles *earlier, PluginFile *file, bool legal)
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

static int add(PluginFiles *files, const char *directory, const char *file_name)
{
    size_t name_length = strlen(file_name) - PREFIX_LENGTH - SUFFIX_LENGTH;
    size_t path_size = strlen(directory) + strlen(file_name) + 2;
    PluginFile *grown = realloc(files->files, (files->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    files->files = grown;
    PluginFile *file = &grown[files->count];
    file->name = foreign_text_copy(file_name + PREFIX_LENGTH, name_length);
    file->path = malloc(path_size);
    if (!file->name || !file->path) {
        free(file->name);
        free(file->path);
        return -ENOMEM;
    }
    snprintf(file->path, path_size, "%s/%s", strcmp(directory, "/") == 0 ? "" : directory,
             file_name);
    judge(files, file, backend_name_is_valid(file_name + PREFIX_LENGTH, name_length));
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
            err = add(files, *directories, names[i]);
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
