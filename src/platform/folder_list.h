/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_FOLDER_LIST_H
#define VMAF_PLATFORM_FOLDER_LIST_H

/* For folder_list.c and the part of it that systems have. */

#include <stdbool.h>

typedef struct VmafFolderNames {
    bool (*is_wanted)(const char *name);
    char **names;
    unsigned count;
} VmafFolderNames;

/* A copy of the name, if it is wanted. */
int vmaf_folder_names_add(VmafFolderNames *list, const char *name);

/* Adds the name of each entry of a folder, in any order. */
int vmaf_folder_read(const char *path, VmafFolderNames *list);

#endif
