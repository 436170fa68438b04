/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_ATOMIC_TARGET_H
#define VMAF_PLATFORM_ATOMIC_TARGET_H

/* For the sources of each system: where the bytes of a VmafAtomicFile go. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
