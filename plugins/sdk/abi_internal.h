/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_ABI_INTERNAL_H
#define VMAF_SDK_ABI_INTERNAL_H

#include <errno.h>
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <libvmaf/backend.h>

#include "platform/process.h"

/* What the functions of backend.h have in common: statuses, structures that grow, drivers. */

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

/*
 * The structures of backend.h grow at their end, so that the host's may be shorter or longer than
 * ours. Each begins with its size.
 */

/* True if a structure of the host has a member. */
#define VMAF_STRUCT_HAS(structure, member)                                                         \
    ((structure)->struct_size >=                                                                   \
     (size_t)((const char *)&(structure)->member - (const char *)(structure)) +                    \
         sizeof((structure)->member))

/* The size that a type of backend.h had before this member was added. */
#define VMAF_STRUCT_SIZE_BEFORE(type, member) ((uint32_t)offsetof(type, member))

/*
 * Fills in the host's structure as far as it goes, except its struct_size. `size` is that of
 * `full`, `needed` that of version 1.0. Returns false and changes nothing if the host's structure
 * is smaller than that.
 */
static inline bool vmaf_struct_fill(void *host, const void *full, uint32_t size, uint32_t needed)
{
    uint32_t host_size;
    memcpy(&host_size, host, sizeof(host_size));
    if (host_size < needed)
        return false;
    const uint32_t filled = host_size < size ? host_size : size;
    memcpy((char *)host + sizeof(host_size), (const char *)full + sizeof(host_size),
           filled - sizeof(host_size));
    return true;
}

/* Reads the host's structure as far as it goes; the rest of `full` is 0. */
static inline void vmaf_struct_read(void *full, uint32_t size, const void *host)
{
    uint32_t host_size;
    memcpy(&host_size, host, sizeof(host_size));
    memset(full, 0, size);
    memcpy(full, host, host_size < size ? host_size : size);
}

/*
 * Keeps a driver from changing the state of the host. Signals are blocked during calls into it, so
 * that threads which it creates block them as long as they live. Afterwards errno and the
 * floating-point environment are restored.
 */
typedef struct VmafDriverGuard {
    VmafSignals signals;
    fenv_t environment;
    int error;
} VmafDriverGuard;

static inline VmafDriverGuard vmaf_driver_enter(void)
{
    VmafDriverGuard guard = {.error = errno};
    fegetenv(&guard.environment);
    vmaf_signals_block(&guard.signals);
    return guard;
}

static inline void vmaf_driver_leave(const VmafDriverGuard *guard)
{
    vmaf_signals_restore(&guard->signals);
    fesetenv(&guard->environment);
    errno = guard->error;
}

#endif
