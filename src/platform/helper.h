/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_HELPER_H
#define VMAF_PLATFORM_HELPER_H

/*
 * Another program that is run for the text that it writes to standard output. It inherits the
 * environment, and of open files only those that somebody else meant to be inherited. Works in
 * programs that ignore the ends of their children or collect them all, since only the text counts.
 * Several may run at once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct VmafHelper {
    const char *program;          /* its path */
    const char *const *arguments; /* behind its name, which is the path; NULL at the end */
    int64_t limit_ms;             /* then it is killed */
    size_t text_max;              /* bytes; what follows is not read */
    /* True if the text is complete, whether or not the helper has ended. */
    bool (*is_complete)(const char *text);
} VmafHelper;

/* Checks that a program that can be run lies there: 0; negative errno. */
int vmaf_helper_check(const char *program);

/* 0 and the text, with a zero byte, to be freed; negative errno if it could not be started. */
int vmaf_helper_run(const VmafHelper *helper, char **text);

#endif
