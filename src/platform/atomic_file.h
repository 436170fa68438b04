/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_ATOMIC_FILE_H
#define VMAF_PLATFORM_ATOMIC_FILE_H

/*
 * A file that appears complete or not at all: written under a temporary name in the target's
 * folder, then renamed. Links are followed, also to what does not exist yet; permissions of an
 * existing file are kept. Or one that is read while it grows.
 *
 * Written directly, since there is nothing to replace or no way to: devices and pipes (/dev/stdout,
 * /dev/full), the file that standard output or standard error goes to, an existing
 * writable file in a folder where no file can be created, and a file that is a mount point.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct VmafAtomicFile VmafAtomicFile;

/* 0, -ENOMEM, or the error of the system call that failed; then *file is NULL. */
int vmaf_atomic_file_open(VmafAtomicFile **file, const char *path);
/* The same, except that others can neither read nor write a new file. */
int vmaf_atomic_file_open_private(VmafAtomicFile **file, const char *path);
/* A text in memory instead, for vmaf_atomic_file_take_text. 0, -ENOMEM. */
int vmaf_atomic_file_open_text(VmafAtomicFile **file);
/* One that is emptied now, and written directly whatever it is. *begins_anew: opened once more it
 * would be empty again, unlike a pipe. 0, or an error as above. */
int vmaf_atomic_file_open_growing(VmafAtomicFile **file, const char *path, bool *begins_anew);
/* Buffered. The first error is kept, what follows it is dropped, commit reports it. */
void vmaf_atomic_file_write(VmafAtomicFile *file, const void *data, size_t size);
void vmaf_atomic_file_puts(VmafAtomicFile *file, const char *text);
/* Hands on what is in the buffer. 0, or the first error. */
int vmaf_atomic_file_flush(VmafAtomicFile *file);
/* Makes the file appear and frees the structure. On an error a target that was to be replaced is as
 * it was, and nothing is left behind. */
int vmaf_atomic_file_commit(VmafAtomicFile *file);
/* What was written to such a text (free), ended by 0; frees the structure. 0, -ENOMEM. */
int vmaf_atomic_file_take_text(VmafAtomicFile *file, char **text);
/* Frees the structure without touching the target; NULL allowed. */
void vmaf_atomic_file_abandon(VmafAtomicFile *file);

#endif
