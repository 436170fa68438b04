/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/folder_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/path.h"

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int vmaf_folder_names_add(VmafFolderNames *list, const char *name)
{
    if (!list->is_wanted(name))
        return 0;
    char **grown = realloc(list->names, (list->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    list->names = grown;
    grown[list->count] = strdup(name);
    if (!grown[list->count])
        return -ENOMEM;
    list->count++;
    return 0;
}

int vmaf_folder_list(const char *path, bool (*is_wanted)(const char *name), char ***names,
                     unsigned *count)
{
    VmafFolderNames list = {.is_wanted = is_wanted};
    const int err = vmaf_folder_read(path, &list);
    if (err) {
        vmaf_folder_list_free(list.names, list.count);
        list = (VmafFolderNames){0};
    } else if (list.count) {
        qsort(list.names, list.count, sizeof(*list.names), by_bytes);
    }
    *names = list.names;
    *count = list.count;
    return err;
}

void vmaf_folder_list_free(char **names, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free(names[i]);
    free(names);
}
