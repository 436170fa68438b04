/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_SCRATCH_FOLDER_H
#define TUNE_ENCODE_SCRATCH_FOLDER_H

/*
 * A folder for what is in work: new, under a name that nobody can tell beforehand, and entered by
 * nobody else, so that no link of others decides where something is written. It is locked as long
 * as its process lives; whoever makes the next one of the same kind removes those that were left.
 */

#include "platform/file.h"

typedef struct ScratchFolder {
    char *path; /* NULL: none */
    VmafFile lock;
} ScratchFolder;

/* Makes one beside a file, on the same volume, after whose name it is called. 0; negative errno. */
int scratch_folder_make(ScratchFolder *folder, const char *beside);

/* The name of those that runs have for their encodes, in the folder for temporary files. */
#define SCRATCH_OF_RUN "vmaf-tune"

/* Removes those of a file whose processes were killed. */
void scratch_folder_remove_left(const char *beside);

/* What is in it stays, in a folder whose name ends otherwise than with .part: nobody removes that.
 * Its path; free. NULL without memory, and it is removed. */
char *scratch_folder_keep(ScratchFolder *folder, const char *ending);

/* With all that is in it; one that was not made is allowed. */
void scratch_folder_remove(ScratchFolder *folder);

#endif
