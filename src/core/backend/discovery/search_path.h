/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_SEARCH_PATH_H
#define CORE_BACKEND_DISCOVERY_SEARCH_PATH_H

/*
 * The directories in which plugins are looked for: those of VMAF_BACKEND_PATH, separated by colons,
 * each once; or the directory of the installation if the variable is not set or empty. Only
 * absolute ones count, so that the current directory never does. Programs with borrowed rights
 * ignore the variable.
 */

/* Ends with NULL; free with search_path_free. 0; -ENOMEM. */
int search_path_create(char ***directories);
void search_path_free(char **directories); /* NULL allowed */

#endif
