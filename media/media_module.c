/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/video_reader.h"

#include "platform/file.h"
#include "platform/module.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set by the build: the folder of the module, absolute ("": there is no such place) and relative to
 * that of programs. */
#ifndef MEDIA_INSTALLED
#error "the build has to say where the module is installed"
#endif

#define MODULE_FILE "vmaf-media-ffmpeg" VMAF_MODULE_SUFFIX

static char *join(const char *folder, const char *relative)
{
    const size_t size = strlen(folder) + strlen(relative) + sizeof("//" MODULE_FILE);
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s" MODULE_FILE, folder, relative, *relative ? "/" : "");
    return path;
}

static bool is_file(const char *path)
{
    VmafFileStatus status;
    return path && !vmaf_file_status_at(path, &status) && status.kind == VMAF_FILE_REGULAR;
}

/* The file of the module, beside the program where that was moved with it; NULL: there is none.
 * *is_lost: the system does not tell where the program is. */
static char *find(bool *is_lost)
{
    char *folder = NULL, *path = NULL;
    const char *environment = getenv("VMAF_MEDIA_PATH");
    if (!vmaf_privilege_is_borrowed()) {
        if (environment && *environment)
            path = join(environment, "");
        else if (*MEDIA_FROM_PROGRAMS && !(*is_lost = vmaf_module_folder_of(&find, &folder) != 0))
            path = join(folder, MEDIA_FROM_PROGRAMS);
    }
    free(folder);
    if (is_file(path))
        return path;
    free(path);
    if ((environment && *environment && !vmaf_privilege_is_borrowed()) || !*MEDIA_INSTALLED)
        return NULL;
    path = join(MEDIA_INSTALLED, "");
    if (is_file(path))
        return path;
    free(path);
    return NULL;
}

static int load(const char *path, const MediaModule **module, Message *why)
{
    char reason[384], *resolved;
    VmafCodeAddress address;
    int err = vmaf_privilege_resolve_file(&resolved, path, NULL, reason, sizeof(reason));
    if (err)
        return message_set(why, err, "%s", reason);
    err = vmaf_module_find(resolved, MEDIA_MODULE_ENTRY, &address, reason, sizeof(reason));
    free(resolved);
    if (err)
        return message_set(why, err, "%s", reason);
    const MediaModule *found = ((MediaModuleEntry)address)();
    if (found->interface != MEDIA_INTERFACE) {
        return message_set(why, -EPROTO,
                           "it has interface %u, and this program needs %d: their versions differ",
                           found->interface, MEDIA_INTERFACE);
    }
    *module = found;
    return 0;
}

static int find_and_load(const MediaModule **module, Message *why)
{
    if (!vmaf_module_can_load())
        return message_set(why, -ENOENT,
                           "a program that is linked statically cannot read media files");
    bool is_lost = false;
    char *path = find(&is_lost);
    if (!path && is_lost)
        return message_set(why, -ENXIO,
                           "the system does not tell where this program is (is there a /proc?): "
                           "VMAF_MEDIA_PATH=FOLDER names the folder of " MODULE_FILE);
    if (!path)
        return message_set(why, -ENOENT, "that takes the package vmaf-media-ffmpeg");
    Message reason;
    const int err = load(path, module, &reason);
    if (err)
        message_set(
            why, err,
            "the module %s cannot be used: %s (the package vmaf-media-ffmpeg brings what it "
            "needs)",
            path, reason.text);
    free(path);
    return err;
}

int media_module_load(const MediaModule **module, Message *why)
{
    static VmafMutex lock = VMAF_MUTEX_INITIALIZER;
    static const MediaModule *loaded;
    vmaf_mutex_lock(&lock);
    const int err = loaded ? 0 : find_and_load(&loaded, why);
    *module = loaded;
    vmaf_mutex_unlock(&lock);
    return err;
}

const char *media_decoder_name(const char *name)
{
    static const char *const names[] = {"auto", "cuda", "vaapi", "vulkan", "videotoolbox"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(name, names[i]))
            return names[i];
    }
    return NULL;
}
