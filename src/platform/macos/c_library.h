/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_MACOS_C_LIBRARY_H
#define VMAF_PLATFORM_MACOS_C_LIBRARY_H

/* The build includes this first in every source of a build for macOS: functions of the GNU C
 * library that the tree uses and the one of macOS lacks. */

#include <stdlib.h>
#include <string.h>

#include "platform/gnu_functions.h"

/* getenv; NULL in programs with borrowed rights. */
char *vmaf_secure_getenv(const char *name);

#define secure_getenv vmaf_secure_getenv

#endif
