/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/discovery/search_path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/install_paths.h"
#include "platform/path.h"

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

static int split(char **directories, const char *list)
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
        directories[0] = install_path_plugins();
        err = directories[0] ? 0 : -ENOMEM;
    } else {
        err = split(directories, list);
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
