/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_FEATURE_LIMITS_H
#define CORE_BACKEND_SESSION_FEATURE_LIMITS_H

/* What a plugin says its features can take. */

#include "libvmaf/backend.h"
#include "picture/format.h"
#include "support/reason.h"

/* VMAF_BACKEND_PIXEL_*. */
uint32_t backend_pixel_format(enum VmafPixelFormat pix_fmt);
/* 0, or -ENOTSUP with a reason if the feature does not take such pictures. */
int feature_limits_check(const VmafBackendFeature *spec, const PictureFormat *format, Reason *why);

#endif
