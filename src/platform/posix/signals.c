/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/signals.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdio.h>

static_assert(sizeof(sigset_t) <= sizeof(VmafSignals) && alignof(sigset_t) <= alignof(VmafSignals),
              "VmafSignals is too small for this system");

void vmaf_signals_block(VmafSignals *before)
{
    static const int faults[] = {SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
    sigset_t signals;
    sigfillset(&signals);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(&signals, faults[i]);
    pthread_sigmask(SIG_SETMASK, &signals, (void *)before);
}

void vmaf_signals_restore(const VmafSignals *before)
{
    pthread_sigmask(SIG_SETMASK, (const void *)before, NULL);
}

void vmaf_signal_name(char *name, size_t size, int number)
{
    static const struct {
        int number;
        const char *name;
    } known[] = {
        {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
        {SIGHUP, "SIGHUP"},   {SIGILL, "SIGILL"},   {SIGINT, "SIGINT"},   {SIGKILL, "SIGKILL"},
        {SIGPIPE, "SIGPIPE"}, {SIGSEGV, "SIGSEGV"}, {SIGSYS, "SIGSYS"},   {SIGTERM, "SIGTERM"},
        {SIGTRAP, "SIGTRAP"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].number == number) {
            snprintf(name, size, "%s", known[i].name);
            return;
        }
    }
    snprintf(name, size, "signal %d", number);
}
