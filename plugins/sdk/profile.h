/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_PROFILE_H
#define VMAF_SDK_PROFILE_H

/* Where a backend's time goes. The host asks as well, so it is a part of the interface. */
#include <libvmaf/backend_profile.h>

#endif
