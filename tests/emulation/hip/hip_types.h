/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_HIP_HIP_TYPES_H
#define TESTS_EMULATION_HIP_HIP_TYPES_H

/*
 * Types and values of HIP's interface, in our own words: nothing here comes with a header of
 * AMD's. Handles are those of the driver below; so are most numbers of errors. What HIP_MAJOR
 * changes is marked in README.md as seen in a header or from memory.
 */
#include "driver_types.h"

#ifndef HIP_MAJOR
#define HIP_MAJOR 6
#endif

typedef CudaResult HipResult;

enum { /* kinds of copies */
       HIP_HOST_TO_HOST,
       HIP_HOST_TO_DEVICE,
       HIP_DEVICE_TO_HOST,
       HIP_DEVICE_TO_DEVICE,
       HIP_COPY_DEFAULT,
};

/* Names, values and words for errors. */
#define HIP_RESULTS(X)                                                                             \
    X(hipSuccess, 0, "no error")                                                                   \
    X(hipErrorInvalidValue, 1, "invalid argument")                                                 \
    X(hipErrorOutOfMemory, 2, "out of memory")                                                     \
    X(hipErrorNotInitialized, 3, "initialization error")                                           \
    X(hipErrorDeinitialized, 4, "driver shutting down")                                            \
    X(hipErrorInvalidConfiguration, 9, "invalid configuration argument")                           \
    X(hipErrorInvalidPitchValue, 12, "invalid pitch argument")                                     \
    X(hipErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")                     \
    X(hipErrorInsufficientDriver, 35, "driver version is insufficient for runtime version")        \
    X(hipErrorNoDevice, 100, "no ROCm-capable device is detected")                                 \
    X(hipErrorInvalidDevice, 101, "invalid device ordinal")                                        \
    X(hipErrorInvalidImage, 200, "device kernel image is invalid")                                 \
    X(hipErrorInvalidContext, 201, "invalid device context")                                       \
    X(hipErrorNoBinaryForGpu, 209, "no kernel image is available for execution on the device")     \
    X(hipErrorECCNotCorrectable, 214, "uncorrectable ECC error encountered")                       \
    X(hipErrorOperatingSystem, 304, "OS call failed or operation not supported on this OS")        \
    X(hipErrorInvalidHandle, 400, "invalid resource handle")                                       \
    X(hipErrorNotFound, 500, "named symbol not found")                                             \
    X(hipErrorNotReady, 600, "device not ready")                                                   \
    X(hipErrorIllegalAddress, 700, "an illegal memory access was encountered")                     \
    X(hipErrorLaunchTimeOut, 702, "the launch timed out and was terminated")                       \
    X(hipErrorContextIsDestroyed, 709, "context is destroyed")                                     \
    X(hipErrorHostMemoryAlreadyRegistered, 712,                                                    \
      "part or all of the requested memory range is already mapped")                               \
    X(hipErrorHostMemoryNotRegistered, 713,                                                        \
      "pointer does not correspond to a registered memory region")                                 \
    X(hipErrorLaunchFailure, 719, "unspecified launch failure")                                    \
    X(hipErrorNotSupported, 801, "operation not supported")                                        \
    X(hipErrorUnknown, 999, "unknown error")

enum {
#define X(name, value, text) name = value,
    HIP_RESULTS(X)
#undef X
};

#endif
