/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OUTPUT_PATH_H
#define CLI_OUTPUT_PATH_H

/* Can a report be written to this path? Nothing is created. 0, or a negative errno for why not. */
int output_path_check(const char *path);

#endif
