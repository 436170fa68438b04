/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What errors mean; what a caller's thread is left with. */
#include <errno.h>
#include <stdio.h>

#include "hip_internal.h"

int hip_error_of(HipResult result)
{
    switch (result) {
    case HIP_SUCCESS:
        return 0;
    /* After these nothing works on the device any more. The runtime does not tell an unknown error
     * that passes from one that stays, so it counts as staying. */
    case HIP_ERROR_DEINITIALIZED:
    case HIP_ERROR_NO_DEVICE:
    case HIP_ERROR_INVALID_DEVICE:
    case HIP_ERROR_INVALID_CONTEXT:
    case HIP_ERROR_ECC_NOT_CORRECTABLE:
    case HIP_ERROR_ILLEGAL_ADDRESS:
    case HIP_ERROR_LAUNCH_TIMEOUT:
    case HIP_ERROR_CONTEXT_IS_DESTROYED:
    case HIP_ERROR_ASSERT:
    case HIP_ERROR_LAUNCH_FAILURE:
    case HIP_ERROR_UNKNOWN:
        return -ENODEV;
    case HIP_ERROR_OUT_OF_MEMORY:
        return -ENOMEM;
    case HIP_ERROR_INVALID_VALUE:
    case HIP_ERROR_INVALID_DEVICE_POINTER:
    case HIP_ERROR_INVALID_HANDLE:
    case HIP_ERROR_NOT_FOUND:
        return -EINVAL;
    case HIP_ERROR_INVALID_IMAGE:
    case HIP_ERROR_NO_BINARY_FOR_GPU:
    case HIP_ERROR_INVALID_KERNEL_FILE:
    case HIP_ERROR_SYMBOL_NOT_FOUND:
    case HIP_ERROR_OBJECT_INIT_FAILED: /* the loader refuses the chip or the version of the code */
    case HIP_ERROR_HOST_MEMORY_ALREADY_REGISTERED:
    case HIP_ERROR_NOT_SUPPORTED:
        return -ENOTSUP;
    default:
        return -EIO;
    }
}

void hip_describe_result(HipResult result, char *text, size_t size)
{
    const char *name = hip.GetErrorName(result), *words = hip.GetErrorString(result);
    if (!name)
        snprintf(text, size, "hipError_t %d", (int)result);
    else if (!words)
        snprintf(text, size, "%.60s", name);
    else
        snprintf(text, size, "%.60s (%.100s)", name, words);
}

/* -- the caller's thread -- */

static _Thread_local int callers_device; /* -1: it is ours */
static _Thread_local bool has_failed;    /* a call of ours, since hip_make_current */

HipResult hip_make_current(int number)
{
    HipResult result = hip.GetDevice(&callers_device);
    if (result == HIP_SUCCESS && callers_device == number)
        callers_device = -1;
    else if (result == HIP_SUCCESS)
        result = hip.SetDevice(number);
    return result;
}

/* The application finds no error that it has not made. */
void hip_forget_errors(void)
{
    if (has_failed && hip.GetLastError)
        hip.GetLastError();
    has_failed = false;
}

void hip_restore(void)
{
    if (callers_device >= 0)
        hip.SetDevice(callers_device);
    hip_forget_errors();
}

HipResult hip_note(HipResult result)
{
    has_failed |= result != HIP_SUCCESS;
    return result;
}

int hip_done(VmafStreamDevice *device, HipResult result, const char *what)
{
    char words[192];
    if (hip_note(result) == HIP_SUCCESS)
        return 0;
    hip_describe_result(result, words, sizeof(words));
    return vmaf_stream_failed(device, hip_error_of(result), what, words);
}
