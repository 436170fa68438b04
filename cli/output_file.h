/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

/*
 * Writes a text to a file. One that is there is replaced at once, complete or not at all; anything
 * but a file (a pipe, /dev/stdout) is written to. 0; negative errno.
 */
int output_file_write(const char *path, const char *text);

#endif
