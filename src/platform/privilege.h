/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_PRIVILEGE_H
#define VMAF_PLATFORM_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

/* The program has rights that whoever started it does not have (set-uid and the like): nothing of
 * its environment may decide what it loads. */
bool vmaf_privilege_is_borrowed(void);

/*
 * The path under which a file is to be loaded or run; to be freed. In programs with borrowed rights
 * or of the superuser that is its real one, without links that could be changed in between, and a
 * file is refused (-EACCES) that somebody else could change or replace: it, its folder or one above
 * belongs to another user or may be written by others. Folders that hold `trusted_folder` (NULL:
 * none) as well are not looked at, except the file's own. In other programs every file is accepted
 * as it is. 0; negative errno, and `why` says what is wrong, cut to `size`.
 */
int vmaf_privilege_resolve_file(char **resolved, const char *path, const char *trusted_folder,
                                char *why, size_t size);

#endif
