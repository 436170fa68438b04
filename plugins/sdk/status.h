/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_STATUS_H
#define VMAF_SDK_STATUS_H

#include <errno.h>
#include <libvmaf/backend.h>

/* Converts an error of the device layer (negative errno) to one of backend.h. */
static inline int32_t vmaf_sdk_status(int error)
{
    switch (error) {
    case 0:
        return VMAF_BACKEND_OK;
    case -ENODEV:
        return VMAF_BACKEND_DEVICE_LOST;
    case -ENOMEM:
        return VMAF_BACKEND_OUT_OF_MEMORY;
    case -EINVAL:
        return VMAF_BACKEND_INVALID;
    case -ENOTSUP:
        return VMAF_BACKEND_NOT_SUPPORTED;
    case -ETIMEDOUT:
        return VMAF_BACKEND_TIMED_OUT;
    default:
        return VMAF_BACKEND_FAILED;
    }
}

#endif
