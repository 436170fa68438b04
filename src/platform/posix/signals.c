/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/signals.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>

static_assert(sizeof(sigset_t) <= sizeof(VmafSignals) && alignof(sigset_t) <= alignof(VmafSignals),
              "VmafSignals is too small for this system");

void vmaf_signals_block(VmafSignals *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, (void *)before);
}

void vmaf_signals_restore(const VmafSignals *before)
{
    pthread_sigmask(SIG_SETMASK, (const void *)before, NULL);
}
