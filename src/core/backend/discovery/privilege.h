/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PRIVILEGE_H
#define CORE_BACKEND_DISCOVERY_PRIVILEGE_H

#include <stdbool.h>

#include "support/reason.h"

/* The program has rights that who started it does not have (set-uid and the like): nothing of its
 * environment may decide what it loads. */
bool privilege_is_borrowed(void);

/*
 * The path under which a file is to be loaded; to be freed. In programs with borrowed rights or of
 * the superuser that is its real one, without links that could be changed in between, and a file is
 * refused (-EACCES with a reason) that somebody else could change or replace: it, its folder or one
 * above belongs to another user or may be written by others. Folders that hold this library as well
 * are not looked at: who can change them can change the library. Elsewhere every file is accepted
 * as it is. 0; negative errno.
 */
int privilege_resolve_file(char **resolved, const char *path, Reason *why);

#endif
