/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_GNU_FUNCTIONS_H
#define VMAF_PLATFORM_GNU_FUNCTIONS_H

/* Functions of the GNU C library that more than one system lacks; builds for these include them
 * under their own names first in every source (macos/c_library.h, windows/c_library.h). */

#include <stddef.h>

void *vmaf_mempcpy(void *to, const void *from, size_t size);
void *vmaf_reallocarray(void *block, size_t count, size_t size);

#define mempcpy      vmaf_mempcpy
#define reallocarray vmaf_reallocarray

#endif
