/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PRIVILEGE_H
#define CORE_BACKEND_DISCOVERY_PRIVILEGE_H

#include "support/reason.h"

/*
 * The path under which a plugin or the helper is to be loaded; to be freed. Privileged programs
 * refuse files that somebody else could change (vmaf_privilege_resolve_file). Folders above this
 * library are trusted: whoever can change them can change the library. 0; negative errno.
 */
int privilege_resolve_file(char **resolved, const char *path, Reason *why);

#endif
