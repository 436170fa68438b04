/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/signals.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>

static_assert(sizeof(sigset_t) <= sizeof(VmafSignals) && alignof(sigset_t) <= alignof(VmafSignals),
              "VmafSignals is too small for this system");

/* Signals that have names: their numbers begin with 1, and entry 0 is not used. */
enum { N_SIGNALS = 32 };

typedef struct SignalHandlers {
    struct sigaction actions[N_SIGNALS];
    bool is_known[N_SIGNALS];
} SignalHandlers;

static_assert(sizeof(SignalHandlers) <= sizeof(VmafSignalHandlers) &&
                  alignof(SignalHandlers) <= alignof(VmafSignalHandlers),
              "VmafSignalHandlers is too small for this system");

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

void vmaf_signal_handlers_keep(VmafSignalHandlers *handlers)
{
    SignalHandlers *kept = (SignalHandlers *)(void *)handlers;
    for (int i = 1; i < N_SIGNALS; i++)
        kept->is_known[i] = sigaction(i, NULL, &kept->actions[i]) == 0;
}

void vmaf_signal_handlers_restore(const VmafSignalHandlers *handlers)
{
    const SignalHandlers *kept = (const SignalHandlers *)(const void *)handlers;
    for (int i = 1; i < N_SIGNALS; i++) {
        if (kept->is_known[i]) /* fails for those that cannot be handled */
            sigaction(i, &kept->actions[i], NULL);
    }
}

static atomic_bool *interrupted;

static void note_interrupt(int number)
{
    (void)number;
    atomic_store(interrupted, true);
}

void vmaf_interrupts_note(atomic_bool *flag)
{
    static const int requests[] = {SIGINT, SIGTERM, SIGHUP};
    interrupted = flag;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
        struct sigaction before, action = {.sa_handler = note_interrupt};
        action.sa_flags = (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        /* A program that was started to ignore it, as nohup does, goes on. */
        if (!sigaction(requests[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(requests[i], &action, NULL);
    }
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
