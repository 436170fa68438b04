/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_INSTALL_PATHS_H
#define CORE_BACKEND_DISCOVERY_INSTALL_PATHS_H

/*
 * Where the parts of an installation are: beside the library that is running, if they are there (so
 * that a tree can be moved as a whole), else where the build was told to install them. Programs
 * that run with privileges of another user only get the latter.
 */

/* Absolute path, to be freed, of what need not exist; NULL only if memory runs out. */
char *install_path_helper(void);
char *install_path_plugins(void); /* directory */

/* Folder of the file that holds this code, the library or a program that contains it: its real
 * path, to be freed; NULL if it is unknown. */
char *install_path_own_folder(void);

/* For tests: the helper of install_path_helper, NULL to undo. The text must stay valid. */
void install_path_set_helper(const char *path);

#endif
