/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_CONDUCT_H
#define VMAF_SDK_CONDUCT_H

#include <errno.h>
#include <fenv.h>

#include "platform/signals.h"

/*
 * What a driver does must not show in the host: around calls into one, signals are blocked, so that
 * the threads which it creates block them for ever, and errno and the floating-point environment
 * are put back.
 */
typedef struct VmafConduct {
    VmafSignals signals;
    fenv_t environment;
    int error;
} VmafConduct;

static inline VmafConduct vmaf_conduct_begin(void)
{
    VmafConduct conduct = {.error = errno};
    fegetenv(&conduct.environment);
    vmaf_signals_block(&conduct.signals);
    return conduct;
}

static inline void vmaf_conduct_end(const VmafConduct *conduct)
{
    vmaf_signals_restore(&conduct->signals);
    fesetenv(&conduct->environment);
    errno = conduct->error;
}

#endif
