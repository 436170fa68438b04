/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_INPUT_H
#define VMAF_PLATFORM_INPUT_H

/*
 * A file, a pipe or a device that is read from its beginning to its end. Waiting for a pipe can be
 * ended by another thread.
 */

#include "platform/file.h"

typedef struct VmafInput {
    VmafFile file;
    bool is_file;          /* it can be read anywhere, and its status tells its size */
    int64_t begin;         /* of a file: standard input may stand anywhere */
    VmafFileStatus status; /* of a file, when it was opened */
    intptr_t wake[2];      /* the system's */
} VmafInput;

/* NULL is standard input, which stays open. Folders are refused. 0; negative errno. */
int vmaf_input_open(VmafInput *input, const char *path);
void vmaf_input_close(VmafInput *input); /* also after a failed vmaf_input_open */

/*
 * Up to `size` bytes; *got is 0 at the end only. Files: those at `position`. Else: the next ones,
 * for which it waits; -ECANCELED once it was interrupted. 0; negative errno.
 */
int vmaf_input_read(const VmafInput *input, void *buffer, size_t size, int64_t position,
                    size_t *got);

/* Ends reads that wait, now or later. From any thread. */
void vmaf_input_interrupt(const VmafInput *input);

#endif
