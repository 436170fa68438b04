/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_SEARCH_PATH_H
#define CORE_BACKEND_DISCOVERY_SEARCH_PATH_H

/*
 * The directories that are searched for plugins: those in VMAF_BACKEND_PATH, separated by colons,
 * each once; or the installed directory if the variable is unset or empty. Relative directories are
 * ignored, so that the current directory never counts. Programs with borrowed rights ignore the
 * variable.
 */

/* Ends with NULL; free with search_path_free. 0; -ENOMEM. */
int search_path_create(char ***directories);
void search_path_free(char **directories); /* NULL allowed */

#endif
