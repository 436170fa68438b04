/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/signals.h"

#include <assert.h>
#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>

#include "platform/windows/exit_code.h"
#include "platform/windows/native.h"

/* Signals interrupt no thread here: Ctrl-C is a thread of its own, and faults are exceptions. */
void vmaf_signals_block(VmafSignals *before)
{
    *before = (VmafSignals){{0}};
}

void vmaf_signals_restore(const VmafSignals *before)
{
    (void)before;
}

/* ---- Handlers ---- */

static const int signals[] = {SIGABRT, SIGFPE, SIGILL, SIGINT, SIGSEGV, SIGTERM};
enum { N_SIGNALS = sizeof(signals) / sizeof(signals[0]) };

typedef void (*Handler)(int);

typedef struct SignalHandlers {
    Handler handlers[N_SIGNALS];
    LPTOP_LEVEL_EXCEPTION_FILTER filter;
} SignalHandlers;

static_assert(sizeof(SignalHandlers) <= sizeof(VmafSignalHandlers) &&
                  alignof(SignalHandlers) <= alignof(VmafSignalHandlers),
              "VmafSignalHandlers is too small for this system");

/* They can only be asked by setting another one. */
void vmaf_signal_handlers_keep(VmafSignalHandlers *handlers)
{
    SignalHandlers *kept = (SignalHandlers *)(void *)handlers;
    for (int i = 0; i < N_SIGNALS; i++) {
        kept->handlers[i] = signal(signals[i], SIG_DFL);
        if (kept->handlers[i] != SIG_ERR && kept->handlers[i] != SIG_DFL)
            signal(signals[i], kept->handlers[i]);
    }
    kept->filter = SetUnhandledExceptionFilter(NULL);
    SetUnhandledExceptionFilter(kept->filter);
}

void vmaf_signal_handlers_restore(const VmafSignalHandlers *handlers)
{
    const SignalHandlers *kept = (const SignalHandlers *)(const void *)handlers;
    for (int i = 0; i < N_SIGNALS; i++) {
        if (kept->handlers[i] != SIG_ERR)
            signal(signals[i], kept->handlers[i]);
    }
    SetUnhandledExceptionFilter(kept->filter);
}

/* ---- Requests to end ---- */

static _Atomic(atomic_bool *) interrupted;

/* The first request sets the flag; the second does what the system does without us. */
static BOOL WINAPI note_interrupt(DWORD event)
{
    (void)event;
    atomic_bool *flag = atomic_load(&interrupted);
    return flag && !atomic_exchange(flag, true);
}

void vmaf_interrupts_note(atomic_bool *flag)
{
    atomic_store(&interrupted, flag);
    SetConsoleCtrlHandler(note_interrupt, TRUE);
}

/* ---- Names ---- */

void vmaf_signal_name(char *name, size_t size, int number)
{
    static const struct {
        uint32_t number;
        const char *name;
    } known[] = {
        {VMAF_EXIT_ABORTED, "SIGABRT"},
        {(uint32_t)STATUS_ACCESS_VIOLATION, "SIGSEGV"},
        {(uint32_t)STATUS_STACK_OVERFLOW, "SIGSEGV (stack overflow)"},
        {(uint32_t)STATUS_ILLEGAL_INSTRUCTION, "SIGILL"},
        {(uint32_t)STATUS_PRIVILEGED_INSTRUCTION, "SIGILL"},
        {(uint32_t)STATUS_INTEGER_DIVIDE_BY_ZERO, "SIGFPE"},
        {(uint32_t)STATUS_FLOAT_DIVIDE_BY_ZERO, "SIGFPE"},
        {(uint32_t)STATUS_IN_PAGE_ERROR, "SIGBUS"},
        {(uint32_t)STATUS_CONTROL_C_EXIT, "SIGINT"},
        {0xc0000374u, "SIGABRT (heap corruption)"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].number == (uint32_t)number) {
            snprintf(name, size, "%s", known[i].name);
            return;
        }
    }
    snprintf(name, size, "exception %08x", (unsigned)number);
}
