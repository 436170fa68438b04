/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_PROFILE_H
#define VMAF_SDK_PROFILE_H

/* Times of a backend's kernels and copies. The host requests them, so they are part of the
 * interface. */
#include <libvmaf/backend_profile.h>

#endif
