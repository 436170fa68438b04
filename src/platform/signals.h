/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_SIGNALS_H
#define VMAF_PLATFORM_SIGNALS_H

/* What the system interrupts threads and processes with. */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* The signals that a thread blocks, as do threads that it creates from then on. */
typedef union VmafSignals {
    uint64_t alignment[16];
    unsigned char bytes[128];
} VmafSignals;

/*
 * The calling thread blocks all signals until it restores those that it blocked before. Faults of
 * the thread itself (SIGSEGV, SIGBUS and the like) are not blocked: the system would end the
 * program instead of calling its handler.
 */
void vmaf_signals_block(VmafSignals *before);
void vmaf_signals_restore(const VmafSignals *before);

/* How the process handles signals. */
typedef union VmafSignalHandlers {
    uint64_t alignment[1024];
    unsigned char bytes[8192];
} VmafSignalHandlers;

/* Around calls that may install handlers of their own. The handlers belong to the process: another
 * thread that changes them in between is not noticed. */
void vmaf_signal_handlers_keep(VmafSignalHandlers *handlers);
void vmaf_signal_handlers_restore(const VmafSignalHandlers *handlers);

/*
 * From now on Ctrl-C and a request to end (SIGINT, SIGTERM, SIGHUP) set the flag, which lives as
 * long as the process; a second one ends the program as if this had not been called.
 */
void vmaf_interrupts_note(atomic_bool *flag);

/* "SIGSEGV", or "signal 42". */
void vmaf_signal_name(char *name, size_t size, int number);

#endif
