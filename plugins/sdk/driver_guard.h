/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_DRIVER_GUARD_H
#define VMAF_SDK_DRIVER_GUARD_H

#include <errno.h>
#include <fenv.h>

#include "platform/process.h"

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

static inline VmafDriverGuard vmaf_driver_guard_begin(void)
{
    VmafDriverGuard guard = {.error = errno};
    fegetenv(&guard.environment);
    vmaf_signals_block(&guard.signals);
    return guard;
}

static inline void vmaf_driver_guard_end(const VmafDriverGuard *guard)
{
    vmaf_signals_restore(&guard->signals);
    fesetenv(&guard->environment);
    errno = guard->error;
}

#endif
