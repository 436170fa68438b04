/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_INTERNAL_H
#define VMAF_PLATFORM_INTERNAL_H

/* For the sources of this component: what those that systems have in common need of the system, and
 * what they do for it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/child.h"
#include "platform/file.h"

/* ---- Reasons ---- */

/* Where a reason goes; no text: it is not wanted. */
typedef struct VmafWhy {
    char *text;
    size_t size;
} VmafWhy;

/* Stores the reason, cut to its size, and returns the error; `why` may be NULL. */
int vmaf_error_set(const VmafWhy *why, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Files and folders ---- */

/* Opens a file to be read, without waiting for anybody: a pipe that nobody writes to is opened or
 * rejected. */
int vmaf_file_open_at_once(VmafFile *file, const char *path);

/* Reads from the beginning, until there are `size` bytes or the file ends. 0; negative errno. */
int vmaf_file_read_all(const VmafFile *file, void *bytes, size_t size, size_t *used);

/* Names of a folder that are wanted. */
typedef struct VmafFolderNames {
    bool (*is_wanted)(const char *name);
    char **names;
    unsigned count;
} VmafFolderNames;

/* A copy of the name, if it is wanted. */
int vmaf_folder_names_add(VmafFolderNames *list, const char *name);

/* Adds the name of each entry of a folder, in any order. */
int vmaf_folder_read(const char *path, VmafFolderNames *list);

/* ---- Where the bytes of a VmafAtomicFile go ---- */

typedef struct VmafAtomicTarget {
    intptr_t handle; /* the system's; -1: none */
    bool is_private;
    char *path;      /* with links resolved; NULL: written directly */
    char *temporary; /* NULL: written directly */
} VmafAtomicTarget;

/* 0; negative errno. They are to be abandoned in either case. */
int vmaf_atomic_target_open(VmafAtomicTarget *target, const char *path);
int vmaf_atomic_target_open_growing(VmafAtomicTarget *target, const char *path, bool *begins_anew);
int vmaf_atomic_target_write(VmafAtomicTarget *target, const void *data, size_t size);
/* Closes it. 0; negative errno. */
int vmaf_atomic_target_close(VmafAtomicTarget *target);
/* Puts the file that was written and closed in its place; `buffer` is memory to copy with. */
int vmaf_atomic_target_replace(VmafAtomicTarget *target, char *buffer, size_t size);
/* Closes and removes what is left. */
void vmaf_atomic_target_abandon(VmafAtomicTarget *target);

/* The name of a temporary file in the folder of `path`, another one for each attempt; to be freed.
 */
char *vmaf_atomic_target_name(const char *path, const void *salt, unsigned attempt);

enum { VMAF_ATOMIC_NAME_ATTEMPTS = 100 };

/* ---- What becomes of the text of a program that is run ---- */

typedef struct VmafChildText {
    const VmafChildRun *run;
    VmafChildResult *result;
    size_t capacity; /* of result->output */
    bool out_of_memory;
    int64_t last_sign; /* of life, vmaf_steady_ms */
} VmafChildText;

/* 0; -ENOMEM. The result owns what it receives. */
int vmaf_child_text_begin(VmafChildText *text, const VmafChildRun *run, VmafChildResult *result);
void vmaf_child_text_take(VmafChildText *text, VmafChildStream stream, const char *bytes,
                          size_t size);

#endif
