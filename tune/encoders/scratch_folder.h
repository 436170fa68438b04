/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_SCRATCH_FOLDER_H
#define TUNE_ENCODERS_SCRATCH_FOLDER_H

/* A folder for what one encode leaves on its way. */

/* Makes one beside a file, on the same volume; *path is to be handed to scratch_folder_remove. 0;
 * negative errno. */
int scratch_folder_make(const char *beside, char **path);

/* With the files in it; NULL allowed. */
void scratch_folder_remove(char *path);

#endif
