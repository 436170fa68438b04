/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_VERSION_H
#define LIBVMAF_VERSION_H

/* Version of this library and of its programming interface, which is that of libvmaf 3.2. The build
 * reads its version from these lines. */
#define VMAF_API_VERSION_MAJOR 3
#define VMAF_API_VERSION_MINOR 2
#define VMAF_API_VERSION_PATCH 0

#endif
