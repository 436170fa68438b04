/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PRIVILEGE_H
#define CORE_BACKEND_DISCOVERY_PRIVILEGE_H

#include <stdbool.h>

#include "support/reason.h"

/* The program has rights that who started it does not have (set-uid and the like): nothing of its
 * environment may decide what it loads. */
bool privilege_is_borrowed(void);

/*
 * In programs with borrowed rights or of the superuser: refuses a file (0; -EACCES with a reason)
 * that somebody else could change, because it or its directory belongs to another user or may be
 * written by others. Elsewhere everything is accepted.
 */
int privilege_check_file(const char *path, Reason *why);

#endif
