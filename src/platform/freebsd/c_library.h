/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_FREEBSD_C_LIBRARY_H
#define VMAF_PLATFORM_FREEBSD_C_LIBRARY_H

/* The build includes this first in every source of a build for FreeBSD: what the tree uses of the
 * GNU C library and FreeBSD's lacks. */

#include <errno.h>

#ifndef ENODATA
#define ENODATA ENOATTR /* which Linux has as ENODATA */
#endif

#define MAP_NORESERVE 0 /* of mmap; nothing is reserved */

#endif
