/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_BACKEND_PROFILE_H
#define LIBVMAF_BACKEND_PROFILE_H

#include "libvmaf/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Times of a backend's kernels and copies: the table that get_extension of backend.h returns for
 * this name and version. Backends that are made with the SDK have it, others may; benchmarks and
 * traces of the host request it. The device measures the times. Sessions record them on a device
 * that was opened with VMAF_BACKEND_DEVICE_FLAG_PROFILING; there kernels run one after the other,
 * so the sum is a little more than the time of a frame without profiling.
 */
#define VMAF_SDK_PROFILE_EXTENSION "vmaf_sdk_profile"
#define VMAF_SDK_PROFILE_VERSION   1u

/* The time that one kind of work took for all collected frames. */
typedef struct VmafSdkProfileEntry {
    uint32_t struct_size;
    uint32_t reserved;    /* 0 */
    uint64_t runs;        /* number of runs */
    uint64_t nanoseconds; /* time of all runs together */
    uint64_t bytes;       /* bytes that one run reads and writes if each is touched once */
    char name[64];        /* "upload", "read-back", or the name of a kernel */
} VmafSdkProfileEntry;

/* Directions of copies to measure: within the device's memory, from the host, to the host. */
#define VMAF_SDK_COPY_DEVICE   0u
#define VMAF_SDK_COPY_UPLOAD   1u
#define VMAF_SDK_COPY_DOWNLOAD 2u

typedef struct VmafSdkProfile {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    /* Gives entry `index`, for all frames collected so far. INVALID above the last; NOT_SUPPORTED
     * without the flag, or where the device has no timestamps. Must not be called while frames are
     * being collected. A name may occur more than once. */
    int32_t (*entry)(const VmafBackendSession *session, uint32_t index, VmafSdkProfileEntry *entry);
    /* Measures a large copy (VMAF_SDK_COPY_*), in bytes copied per second, each byte counted once.
     * It takes a while and allocates memory. */
    int32_t (*bandwidth)(VmafBackendDevice *device, uint32_t copy, double *bytes_per_second);
} VmafSdkProfile;

#ifdef __cplusplus
}
#endif

#endif
