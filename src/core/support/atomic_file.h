/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_ATOMIC_FILE_H
#define CORE_SUPPORT_ATOMIC_FILE_H

/*
 * A file that appears complete or not at all: written under a temporary name in the target's
 * folder, then renamed. Links are followed, also to what does not exist yet; permissions of an
 * existing file are kept.
 *
 * Written directly, since there is nothing to replace or no way to: devices and pipes (/dev/stdout,
 * /dev/full), the file that standard output or standard error goes to, an existing
 * writable file in a folder where no file can be created, and a file that is a mount point.
 */

#include <stddef.h>

typedef struct AtomicFile AtomicFile;

/* 0, -ENOMEM, or the error of the system call that failed; then *file is NULL. */
int atomic_file_open(AtomicFile **file, const char *path);
/* Buffered. The first error is kept, what follows it is dropped, commit reports it. */
void atomic_file_write(AtomicFile *file, const void *data, size_t size);
void atomic_file_puts(AtomicFile *file, const char *text);
/* Makes the file appear and frees the structure. On an error a target that was to be replaced is as
 * it was, and nothing is left behind. */
int atomic_file_commit(AtomicFile *file);
/* Frees the structure without touching the target; NULL allowed. */
void atomic_file_abandon(AtomicFile *file);

#endif
