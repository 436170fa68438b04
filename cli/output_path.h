/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OUTPUT_PATH_H
#define CLI_OUTPUT_PATH_H

#include <stdbool.h>

/* Can a report be written to this path? Nothing is created. 0, or a negative errno for why not. */
int output_path_check(const char *path);

/*
 * The path behind all links (to be freed), which need not exist: a link can lead to a file that is
 * still to be made. 0; negative errno.
 */
int output_path_follow(const char *path, char **target);

/* Is this path the file that is open as `fd`? Only files can be lost, so pipes never are. */
bool output_path_is_file(const char *path, int fd);

#endif
