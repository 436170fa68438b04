/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

/*
 * Writes a text to a file, which appears complete or not at all (platform/file.h). 0;
 * negative errno.
 */
int output_file_write(const char *path, const char *text);

#endif
