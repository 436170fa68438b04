/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What Level Zero's results mean. */
#include <errno.h>
#include <stdio.h>

#include "sycl_internal.h"

int sycl_error_of(ze_result_t result)
{
    switch (result) {
    case ZE_RESULT_SUCCESS:
        return 0;
    /* After these nothing works on the device any more. */
    case ZE_RESULT_ERROR_DEVICE_LOST:
    case ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET:
    case ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE:
    case ZE_RESULT_ERROR_UNINITIALIZED:
        return -ENODEV;
    case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
    case ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY:
        return -ENOMEM;
    case ZE_RESULT_ERROR_UNSUPPORTED_VERSION:
    case ZE_RESULT_ERROR_UNSUPPORTED_FEATURE:
    case ZE_RESULT_ERROR_UNSUPPORTED_SIZE:
    case ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT:
    case ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION:
    case ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT:
        return -ENOTSUP;
    case ZE_RESULT_ERROR_INVALID_ARGUMENT:
    case ZE_RESULT_ERROR_INVALID_NULL_HANDLE:
    case ZE_RESULT_ERROR_INVALID_NULL_POINTER:
    case ZE_RESULT_ERROR_INVALID_SIZE:
    case ZE_RESULT_ERROR_INVALID_ENUMERATION:
        return -EINVAL;
    default:
        return -EIO;
    }
}

void sycl_describe_result(ze_result_t result, char *text, size_t size)
{
#define NAMED(name)                                                                                \
    {                                                                                              \
        name, #name                                                                                \
    }
    static const struct {
        ze_result_t result;
        const char *name;
    } names[] = {
        NAMED(ZE_RESULT_ERROR_DEVICE_LOST),
        NAMED(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY),
        NAMED(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY),
        NAMED(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE),
        NAMED(ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET),
        NAMED(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE),
        NAMED(ZE_RESULT_ERROR_UNINITIALIZED),
        NAMED(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE),
        NAMED(ZE_RESULT_ERROR_INVALID_ARGUMENT),
        NAMED(ZE_RESULT_ERROR_INVALID_SIZE),
        NAMED(ZE_RESULT_ERROR_UNSUPPORTED_SIZE),
        NAMED(ZE_RESULT_ERROR_INVALID_KERNEL_NAME),
        NAMED(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE),
        NAMED(ZE_RESULT_ERROR_UNKNOWN),
    };
#undef NAMED
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].result == result) {
            snprintf(text, size, "%s", names[i].name);
            return;
        }
    }
    snprintf(text, size, "ze_result_t 0x%x", (unsigned)result);
}

int sycl_check(VmafStreamDevice *device, ze_result_t result, const char *what)
{
    char text[64];
    if (result == ZE_RESULT_SUCCESS)
        return 0;
    sycl_describe_result(result, text, sizeof(text));
    return vmaf_stream_failed(device, sycl_error_of(result), what, text);
}
